// The Lagrangian closure: prices per dimension by secant search, each price tried by one minimum cut.
#pragma once

#include <functional>
#include <vector>

#include "recall/dual.hpp"

namespace tidegate::recall::solver {

class Closure {
 public:
  // The groups worth taking at some price: the start of a plan.
  using OnCut = std::function<void(const Model&, const std::vector<Index>&)>;

  Closure(int cuts, OnCut onCut) : cutsLeft_(cuts), onCut_(std::move(onCut)) {}

  // The best dual found for the units' costs. Called for a smaller part of the same model it goes on from the
  // prices of the last call. A model with several options per group has no cuts: its shares are by room.
  Dual dual(const Model& model);
  bool hasCutsLeft() const { return cutsLeft_ > 0; }

 private:
  int cutsLeft_;
  OnCut onCut_;
  Bracket bracket_;  // of the last search, where only one dimension has a price
};

// A valid dual for any weights, without a search over prices.
Dual dualFor(const Model& model, std::vector<Int128> weight);

}  // namespace tidegate::recall::solver
