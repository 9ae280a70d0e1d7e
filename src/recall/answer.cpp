#include "recall/answer.hpp"

#include <algorithm>
#include <functional>

#include "recall/improve.hpp"

namespace tidegate::recall::solver {
namespace {

// Nodes with a gain; where together they give more than wanted, those with the least gain are left alone.
std::vector<Index> nodesUsed(const Problem& problem, const std::vector<bool>& stopped) {
  const std::vector<std::int64_t> gain = gainPerNode(problem, stopped);
  std::vector<Index> nodes;
  std::int64_t surplus = -problem.podsWanted;
  for (Index n = 0; n < gain.size(); ++n) {
    if (gain[n] > 0) nodes.push_back(n);
    surplus += gain[n];
  }
  std::ranges::stable_sort(nodes, std::greater<>{}, [&](Index n) { return gain[n]; });
  while (!nodes.empty() && gain[nodes.back()] <= surplus) {
    surplus -= gain[nodes.back()];
    nodes.pop_back();
  }
  std::ranges::sort(nodes);
  return nodes;
}

std::vector<std::uint32_t> reliefsOutOfReach(const Problem& problem) {
  std::vector<Amount> given(problem.reliefs.size(), 0);
  for (const Unit& unit : problem.units)
    for (const Unit::Draw& relief : unit.reliefs)
      given[relief.budget] = saturatingAdd(given[relief.budget], relief.amount);
  std::vector<std::uint32_t> missing;
  for (std::uint32_t r = 0; r < given.size(); ++r)
    if (given[r] < problem.reliefs[r].need) missing.push_back(r);
  return missing;
}

NoPlan noPlan(const Problem& problem, NoPlan::Why why) {
  const std::vector<bool> everything(problem.units.size(), true);
  return {.why = why, .podsPossible = gainOf(problem, everything), .budgets = {}, .reliefs = {}};
}

NoPlan limited(const Problem& problem, const std::vector<bool>& binding) {
  NoPlan no = noPlan(problem, NoPlan::Why::Stopped);
  for (Index b = 0; b < problem.budgets.size(); ++b)
    if (binding[b]) no.budgets.push_back(b);
  if (!no.budgets.empty()) no.why = NoPlan::Why::Budget;
  return no;
}

}  // namespace

std::vector<bool> stoppedBy(const Problem& problem, const Built& built, const std::vector<Index>& units) {
  std::vector<bool> stopped(problem.units.size(), false);
  for (Index unit : units)
    for (Index u : built.members[unit]) stopped[u] = true;
  return stopped;
}

Plan planOf(const Problem& problem, const std::vector<bool>& stopped) {
  Plan plan;
  for (Index u = 0; u < stopped.size(); ++u) {
    if (!stopped[u]) continue;
    plan.units.push_back(u);
    plan.cost += problem.units[u].cost;
  }
  plan.nodes = nodesUsed(problem, stopped);
  return plan;
}

std::optional<NoPlan> provenHopeless(const Problem& problem, const Built& built) {
  const Model& model = built.model;
  NoPlan no = noPlan(problem, NoPlan::Why::Nodes);
  if (no.podsPossible < problem.podsWanted) return no;
  no.reliefs = reliefsOutOfReach(problem);
  if (!no.reliefs.empty()) {
    no.why = NoPlan::Why::Relief;
    return no;
  }
  std::vector<std::int64_t> most(model.need.size(), 0);
  for (Index g = 0; g < model.groupCount(); ++g)
    most[model.groupDim[g]] = saturatingAdd(most[model.groupDim[g]], model.mostGain(g));
  for (Index d = 0; d < most.size(); ++d)
    if (most[d] < model.need[d]) return limited(problem, built.breaksBudget);
  return std::nullopt;
}

NoPlan blockedByLimits(const Problem& problem, const Built& built) {
  Model free = built.model;
  for (Budget& limit : free.limits) limit = {.slack = kUnlimited};
  Selection selection(free);
  complete(free, selection);
  trim(free, selection);
  std::vector<Amount> sum(free.limits.size(), 0), largest(free.limits.size(), 0);
  for (Index unit : selection.stopped()) {
    for (const Draw& draw : free.draws[unit]) {
      sum[draw.limit] = saturatingAdd(sum[draw.limit], draw.amount);
      largest[draw.limit] = std::max(largest[draw.limit], draw.largest);
    }
  }
  std::vector<bool> binding = built.breaksBudget;
  for (std::size_t b = 0; b < sum.size(); ++b)
    if (!withinBudget(built.model.limits[b], sum[b], largest[b])) binding[b] = true;
  return limited(problem, binding);
}

}  // namespace tidegate::recall::solver
