#include "recall/watch.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "recall/closure.hpp"

namespace tidegate::recall::solver {
namespace {

constexpr std::size_t kMostLimitWatches = 4;

// One past the most that may be drawn. A straddling job may exceed the slack by all but one of its draw. What
// draws nothing may always be stopped.
Int128 tooMuchOf(const Model& model, Index limit) {
  const Budget& budget = model.limits[limit];
  Amount largest = 0;
  for (Index u = 0; u < model.unitCount(); ++u)
    for (const Draw& draw : model.draws[u])
      if (draw.limit == limit) largest = std::max(largest, draw.largest);
  const Int128 slack = std::max<Amount>(budget.slack, 0);
  return budget.allowStraddle ? std::max(slack + 1, slack + largest) : slack + 1;
}

bool tooDear(std::vector<Watch>& watches, Index unit) {
  bool dear = false;
  for (Watch& watch : watches) {
    watch.lens.pay(unit);
    dear |= watch.lens.bound() >= watch.tooMuch;
    watch.lens.refund(unit);
  }
  return dear;
}

}  // namespace

std::vector<Watch> limitWatches(const Model& model) {
  std::vector<std::pair<double, Watch>> ranked;
  std::vector<Int128> sum(model.unitCount(), 0);
  Int128 sumTooMuch = 1;
  for (Index limit = 0; limit < model.limits.size(); ++limit) {
    if (model.limits[limit].slack == kUnlimited) continue;
    const std::vector<Int128> weight = drawWeights(model, limit);
    Int128 total = 0;
    for (Int128 w : weight) total += w;
    const Int128 tooMuch = tooMuchOf(model, limit);
    if (total < tooMuch) continue;
    for (Index u = 0; u < model.unitCount(); ++u) sum[u] += weight[u];
    sumTooMuch += tooMuch - 1;
    Watch watch{.lens = Lens(model, dualFor(model, weight)), .tooMuch = tooMuch};
    const double used = static_cast<double>(watch.lens.bound()) / static_cast<double>(tooMuch);
    ranked.emplace_back(used, std::move(watch));
  }
  std::ranges::stable_sort(ranked, std::greater<>{}, &std::pair<double, Watch>::first);
  const bool several = ranked.size() > 1;
  std::vector<Watch> watches;
  for (auto& [used, watch] : ranked)
    if (watches.size() < kMostLimitWatches) watches.push_back(std::move(watch));
  if (several) watches.push_back({.lens = Lens(model, dualFor(model, sum)), .tooMuch = sumTooMuch});
  return watches;
}

std::vector<bool> worthKeeping(const Model& model, std::vector<Watch>& watches) {
  std::vector<bool> keep(model.optionCount(), true);
  for (Index u = 0; u < model.unitCount(); ++u) {
    if (!tooDear(watches, u)) continue;
    for (Index edge : model.unitEdges[u])
      for (Index option : model.edgeOptions[edge]) keep[option] = false;
  }
  for (Index o = 0; o < model.optionCount(); ++o)
    for (const Watch& watch : watches)
      if (watch.lens.boundWith(o) >= watch.tooMuch) keep[o] = false;
  return keep;
}

}  // namespace tidegate::recall::solver
