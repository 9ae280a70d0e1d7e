#include "scheduler/rival_rules.hpp"

#if __has_include("recall/baselines.hpp")
#include "recall/baselines.hpp"
#endif

namespace tidegate::scheduler {

std::expected<recall::Plan, recall::NoPlan> solveBy(VictimPolicy policy, const recall::Problem& problem) {
#if __has_include("recall/baselines.hpp")
  if (policy == VictimPolicy::LyraCount) return recall::lyraCount(problem);
#else
  (void)policy;
#endif
  return recall::solve(problem);
}

}  // namespace tidegate::scheduler
