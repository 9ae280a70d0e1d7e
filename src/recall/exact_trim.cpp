#include "recall/exact_trim.hpp"

#include <algorithm>

namespace tidegate::recall::solver {
namespace {

// Gains of a problem, kept up to date as single units stop and return.
class Room {
 public:
  Room(const Problem& problem, const std::vector<bool>& stopped)
      : p_(problem),
        free_(problem.nodes.size()),
        running_(problem.nodes.size(), 0),
        gain_(gainPerNode(problem, stopped)),
        given_(problem.reliefs.size(), 0) {
    for (std::size_t n = 0; n < free_.size(); ++n) free_[n] = problem.nodes[n].idle;
    for (std::uint32_t u = 0; u < stopped.size(); ++u) {
      for (const Unit::Share& share : problem.units[u].shares) {
        if (stopped[u]) shift(share, 1);
        else ++running_[share.node];
      }
      if (stopped[u]) give(u, 1);
    }
    for (std::int64_t gain : gain_) pods_ += gain;
  }

  bool enough() const {
    if (pods_ < p_.podsWanted) return false;
    for (std::size_t r = 0; r < given_.size(); ++r)
      if (given_[r] < p_.reliefs[r].need) return false;
    return true;
  }

  void stop(std::uint32_t unit) { change(unit, 1); }
  void restore(std::uint32_t unit) { change(unit, -1); }

 private:
  void shift(const Unit::Share& share, Amount sign) {
    for (std::size_t d = 0; d < share.freed.size(); ++d) free_[share.node][d] += sign * share.freed[d];
  }

  void give(std::uint32_t unit, Amount sign) {
    for (const Unit::Draw& relief : p_.units[unit].reliefs) given_[relief.budget] += sign * relief.amount;
  }

  void change(std::uint32_t unit, int sign) {
    give(unit, sign);
    for (const Unit::Share& share : p_.units[unit].shares) {
      shift(share, sign);
      running_[share.node] -= sign;
      const std::int64_t gain = gainOn(share.node);
      pods_ += gain - gain_[share.node];
      gain_[share.node] = gain;
    }
  }

  std::int64_t gainOn(std::uint32_t n) const {
    const Node& node = p_.nodes[n];
    if (p_.mode == Mode::WholeNode && (node.blocked || running_[n] > 0)) return 0;
    return podsThatFit(free_[n], p_.podRequest, node.maxPods) - podsThatFit(node.idle, p_.podRequest, node.maxPods);
  }

  const Problem& p_;
  std::vector<std::vector<Amount>> free_;
  std::vector<int> running_;  // units on the node that are not stopped
  std::vector<std::int64_t> gain_;
  std::vector<Amount> given_;  // per relief
  std::int64_t pods_ = 0;
};

// Per unit: stopped units that require it directly.
std::vector<std::vector<std::uint32_t>> requirersOf(const Problem& problem, const std::vector<std::uint32_t>& units) {
  std::vector<std::vector<std::uint32_t>> requirers(problem.units.size());
  for (std::uint32_t u : units)
    for (std::uint32_t needed : problem.units[u].requires_) requirers[needed].push_back(u);
  return requirers;
}

}  // namespace

void trimExactly(const Problem& problem, std::vector<bool>& stopped) {
  std::vector<std::uint32_t> units;
  for (std::uint32_t u = 0; u < stopped.size(); ++u)
    if (stopped[u]) units.push_back(u);
  const auto requirers = requirersOf(problem, units);
  std::ranges::stable_sort(units, [&](std::uint32_t a, std::uint32_t b) {
    return problem.units[a].cost > problem.units[b].cost;
  });
  Room room(problem, stopped);
  for (std::uint32_t unit : units) {
    if (!stopped[unit]) continue;
    std::vector<std::uint32_t> back = {unit};
    stopped[unit] = false;
    for (std::size_t i = 0; i < back.size(); ++i) {
      room.restore(back[i]);
      for (std::uint32_t u : requirers[back[i]]) {
        if (stopped[u]) back.push_back(u);
        stopped[u] = false;
      }
    }
    if (room.enough()) continue;
    for (std::uint32_t u : back) {
      room.stop(u);
      stopped[u] = true;
    }
  }
}

}  // namespace tidegate::recall::solver
