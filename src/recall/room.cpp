#include "recall/room.hpp"

namespace tidegate::recall::solver {

Room::Room(const Problem& problem, const std::vector<bool>& stopped)
    : p_(problem),
      running_(problem.nodes.size(), 0),
      gain_(gainPerNode(problem, stopped)),
      given_(problem.reliefs.size(), 0) {
  for (const Node& node : problem.nodes) free_.push_back(node.idle);
  for (std::uint32_t u = 0; u < stopped.size(); ++u) {
    for (const Unit::Share& share : problem.units[u].shares) {
      if (stopped[u])
        shift(share, 1);
      else
        ++running_[share.node];
    }
    if (stopped[u]) give(u, 1);
  }
  for (std::int64_t gain : gain_) pods_ += gain;
}

bool Room::enough() const {
  if (pods_ < p_.podsWanted) return false;
  for (std::size_t r = 0; r < given_.size(); ++r)
    if (given_[r] < p_.reliefs[r].need) return false;
  return true;
}

void Room::shift(const Unit::Share& share, Amount sign) {
  for (std::size_t d = 0; d < share.freed.size(); ++d) free_[share.node][d] += sign * share.freed[d];
}

void Room::give(std::uint32_t unit, Amount sign) {
  for (const Unit::Draw& relief : p_.units[unit].reliefs) given_[relief.budget] += sign * relief.amount;
}

void Room::change(std::uint32_t unit, int sign) {
  give(unit, sign);
  for (const Unit::Share& share : p_.units[unit].shares) {
    shift(share, sign);
    running_[share.node] -= sign;
    const std::int64_t gain = gainOn(share.node);
    pods_ += gain - gain_[share.node];
    gain_[share.node] = gain;
  }
}

std::int64_t Room::gainOn(std::uint32_t n) const {
  const Node& node = p_.nodes[n];
  if (p_.mode == Mode::WholeNode && (node.blocked || running_[n] > 0)) return 0;
  return podsThatFit(free_[n], p_.podRequest, node.maxPods) -
         podsThatFit(node.idle, p_.podRequest, node.maxPods);
}

}  // namespace tidegate::recall::solver
