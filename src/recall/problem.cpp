#include "recall/problem.hpp"

#include <algorithm>

namespace tidegate::recall {
namespace {

bool closedUnderRequires(const Problem& problem, const std::vector<bool>& stopped) {
  for (std::size_t u = 0; u < problem.units.size(); ++u) {
    if (!stopped[u]) continue;
    for (std::uint32_t needed : problem.units[u].requires_)
      if (!stopped[needed]) return false;
  }
  return true;
}

bool budgetsKept(const Problem& problem, const std::vector<bool>& stopped) {
  std::vector<Amount> sum(problem.budgets.size(), 0), largest(problem.budgets.size(), 0);
  Amount gpus = 0;
  for (std::size_t u = 0; u < problem.units.size(); ++u) {
    if (!stopped[u]) continue;
    gpus = saturatingAdd(gpus, problem.units[u].gpus);
    for (const Unit::Draw& draw : problem.units[u].draws) {
      sum[draw.budget] = saturatingAdd(sum[draw.budget], draw.amount);
      largest[draw.budget] = std::max(largest[draw.budget], draw.amount);
    }
  }
  for (std::size_t b = 0; b < sum.size(); ++b)
    if (!withinBudget(problem.budgets[b], sum[b], largest[b])) return false;
  return withinBudget({.slack = problem.maxStopped}, gpus, gpus);
}

bool reliefsMet(const Problem& problem, const std::vector<bool>& stopped) {
  std::vector<Amount> given(problem.reliefs.size(), 0);
  for (std::size_t u = 0; u < problem.units.size(); ++u) {
    if (!stopped[u]) continue;
    for (const Unit::Draw& relief : problem.units[u].reliefs)
      given[relief.budget] = saturatingAdd(given[relief.budget], relief.amount);
  }
  for (std::size_t r = 0; r < given.size(); ++r)
    if (given[r] < problem.reliefs[r].need) return false;
  return true;
}

// What each node has free once `stopped` are gone; in whole-node mode only for nodes that become whole, -1
// marks others.
struct NodeRoom {
  std::vector<Amount> freed;  // node-major, one row per node
  std::vector<bool> counts;
};

NodeRoom roomAfter(const Problem& problem, const std::vector<bool>& stopped) {
  const std::size_t dims = problem.podRequest.size();
  NodeRoom room;
  room.freed.assign(problem.nodes.size() * dims, 0);
  room.counts.resize(problem.nodes.size());
  const bool whole = problem.mode == Mode::WholeNode;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) room.counts[n] = !whole || !problem.nodes[n].blocked;
  for (std::size_t u = 0; u < problem.units.size(); ++u) {
    for (const Unit::Share& share : problem.units[u].shares) {
      if (!stopped[u]) {
        if (whole) room.counts[share.node] = false;
        continue;
      }
      for (std::size_t d = 0; d < dims; ++d) room.freed[share.node * dims + d] += share.freed[d];
    }
  }
  return room;
}

}  // namespace

bool withinBudget(const Budget& budget, Amount sum, Amount largest) {
  if (sum == 0 || sum <= budget.slack) return true;
  return budget.allowStraddle && sum - largest < budget.slack;
}

std::int64_t podsThatFit(const std::vector<Amount>& free, const std::vector<Amount>& request,
                         std::int64_t cap) {
  std::int64_t pods = std::max<std::int64_t>(cap, 0);
  for (std::size_t d = 0; d < request.size(); ++d)
    pods = std::min(pods, std::max<Amount>(free[d], 0) / request[d]);
  return pods;
}

std::vector<std::int64_t> gainPerNode(const Problem& problem, const std::vector<bool>& stopped) {
  const std::size_t dims = problem.podRequest.size();
  const NodeRoom room = roomAfter(problem, stopped);
  std::vector<std::int64_t> gain(problem.nodes.size(), 0);
  std::vector<Amount> after(dims);
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    if (!room.counts[n]) continue;
    const Node& node = problem.nodes[n];
    for (std::size_t d = 0; d < dims; ++d) after[d] = node.idle[d] + room.freed[n * dims + d];
    gain[n] = podsThatFit(after, problem.podRequest, node.maxPods) -
              podsThatFit(node.idle, problem.podRequest, node.maxPods);
  }
  return gain;
}

std::int64_t gainOf(const Problem& problem, const std::vector<bool>& stopped) {
  std::int64_t total = 0;
  for (std::int64_t gain : gainPerNode(problem, stopped)) total += gain;
  return total;
}

bool feasible(const Problem& problem, const std::vector<bool>& stopped) {
  return closedUnderRequires(problem, stopped) && budgetsKept(problem, stopped) &&
         reliefsMet(problem, stopped) && gainOf(problem, stopped) >= problem.podsWanted;
}

}  // namespace tidegate::recall
