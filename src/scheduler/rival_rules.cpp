#include "scheduler/rival_rules.hpp"

#include "recall/baselines.hpp"

namespace tidegate::scheduler {

std::expected<recall::Plan, recall::NoPlan> solveBy(VictimPolicy policy, const recall::Problem& problem) {
  if (policy == VictimPolicy::LyraCount) return recall::lyraCount(problem);
  return recall::solve(problem);
}

}  // namespace tidegate::scheduler
