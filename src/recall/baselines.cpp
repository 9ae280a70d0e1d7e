#include "recall/baselines.hpp"

#include <algorithm>
#include <utility>

#include "recall/answer.hpp"
#include "recall/improve.hpp"

namespace tidegate::recall {
namespace {

using namespace solver;

Problem withoutBudgets(const Problem& problem) {
  Problem free = problem;
  for (Budget& budget : free.budgets) budget = {.slack = kUnlimited};
  free.maxStopped = kUnlimited;
  return free;
}

class CountRule {
 public:
  explicit CountRule(const Built& built, const Problem& problem)
      : model_(built.model), selection_(built.model), share_(built.model.unitCount(), 0) {
    for (Index u = 0; u < share_.size(); ++u)
      for (Index member : built.members[u])
        share_[u] += 1.0 / static_cast<double>(std::max<std::size_t>(problem.units[member].shares.size(), 1));
  }

  bool run() {
    std::vector<bool> passedOver(model_.groupCount(), false);
    while (selection_.missing(0) > 0) {
      const Index option = cheapestServer(passedOver);
      if (option == kNoIndex) return false;
      passedOver[model_.optionGroup[option]] = true;
      if (selection_.fits(option)) selection_.stopOption(option);
    }
    return complete(model_, selection_);  // quota ceilings, of which the rule knows nothing
  }

  const std::vector<Index>& stopped() const { return selection_.stopped(); }

 private:
  Index cheapestServer(const std::vector<bool>& passedOver) const {
    Index best = kNoIndex;
    double least = 0;
    for (Index g = 0; g < model_.groupCount(); ++g) {
      if (passedOver[g] || model_.groupDim[g] != 0) continue;
      const Index option = widest(g);
      if (option == kNoIndex || selection_.usefulGain(option) <= 0) continue;
      const double count = jobsOn(option);
      if (best != kNoIndex && count >= least) continue;
      best = option;
      least = count;
    }
    return best;
  }

  // The option that empties the server as far as that helps.
  Index widest(Index group) const {
    Index best = kNoIndex;
    for (Index o = model_.optionBegin[group]; o < model_.optionBegin[group + 1]; ++o)
      if (best == kNoIndex || model_.optionGain[o] > model_.optionGain[best]) best = o;
    return best;
  }

  double jobsOn(Index option) const {
    double count = 0;
    for (Index edge : model_.optionEdges[option]) {
      const Index unit = model_.groupUnits.value(edge);
      if (!selection_.isStopped(unit)) count += share_[unit];
    }
    return count;
  }

  const Model& model_;
  Selection selection_;
  std::vector<double> share_;  // per unit
};

}  // namespace

std::expected<Plan, NoPlan> marginalGreedy(const Problem& problem) {
  const Built built = build(problem);
  if (auto why = provenHopeless(problem, built)) return std::unexpected(std::move(*why));
  Selection selection(built.model);
  if (!complete(built.model, selection)) return std::unexpected(blockedByLimits(problem, built));
  return planOf(problem, stoppedBy(problem, built, selection.stopped()));
}

std::expected<Plan, NoPlan> lyraCount(const Problem& problem) {
  const Built built = build(problem);
  CountRule rule(built, problem);
  if (!provenHopeless(problem, built) && rule.run())
    return planOf(problem, stoppedBy(problem, built, rule.stopped()));
  const Problem free = withoutBudgets(problem);
  const Built freeBuilt = build(free);
  if (auto why = provenHopeless(free, freeBuilt)) return std::unexpected(std::move(*why));
  CountRule unlimited(freeBuilt, free);
  if (!unlimited.run()) return std::unexpected(blockedByLimits(free, freeBuilt));
  return planOf(free, stoppedBy(free, freeBuilt, unlimited.stopped()));
}

}  // namespace tidegate::recall
