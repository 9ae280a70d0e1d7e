// The best cost shares at given prices when each group has one option: a maximum flow from groups (each may
// pay price * gain) through its units (each takes at most its weight). The minimum cut is the closure: the
// groups worth taking at those prices (Picard 1976). Dinic on the bipartite graph; changing the prices keeps
// the flow that still fits.
#pragma once

#include <vector>

#include "recall/dual.hpp"

namespace tidegate::recall::solver {

class ShareFlow {
 public:
  ShareFlow(const Model& model, Dual start);

  // The groups worth taking at `price` (the smallest such set).
  std::vector<Index> cut(const std::vector<Int128>& price);
  // The dual at the last prices. What no group had to pay for a unit is divided evenly: it makes dear groups
  // look dear.
  Dual dual() const;
  const std::vector<Int128>& weight() const { return weight_; }

 private:
  void setPrices(const std::vector<Int128>& price);
  bool findLevels();
  Int128 pushFromGroup(Index group, Int128 amount);
  Int128 pushFromUnit(Index unit, Int128 amount);

  const Model& model_;
  std::vector<Int128> weight_, price_;
  std::vector<Int128> flow_;    // per edge
  std::vector<Int128> spare_;   // per unit: weight nobody pays yet
  std::vector<Int128> excess_;  // per group: what it may pay and could not place
  std::vector<Index> groupLevel_, unitLevel_, groupArc_, unitArc_, queue_;
};

}  // namespace tidegate::recall::solver
