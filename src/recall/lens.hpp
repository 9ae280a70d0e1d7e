// A dual bound that follows a search: units are paid for, groups are decided, and the bound is at hand after
// each step.
#pragma once

#include "recall/dual.hpp"

namespace tidegate::recall::solver {

class Lens {
 public:
  Lens(const Model& model, Dual dual);

  // No plan that stops the paid units and takes the decided gains weighs less.
  Int128 bound() const { return base_ + paid_ + open_; }
  // The bound if the option were taken.
  Int128 boundWith(Index option) const {
    return bound() - value_[model_->optionGroup[option]] + reduced_[option];
  }
  // Shares of the option's unpaid units less the price of its gain.
  Int128 reduced(Index option) const { return reduced_[option]; }

  void pay(Index unit);
  void refund(Index unit);
  // Takes the group out of the choice, counting `gain` from it. reopen undoes.
  void decide(Index group, std::int64_t gain);
  void reopen(Index group);
  bool isDecided(Index group) const { return decided_[group]; }

 private:
  void shift(Index unit, Int128 sign);
  Int128 valueOf(Index group) const;

  const Model* model_;
  Dual dual_;
  std::vector<Int128> reduced_;  // per option
  std::vector<Int128> value_;    // per group: its term in the bound
  std::vector<bool> decided_;
  Int128 base_ = 0, paid_ = 0, open_ = 0;
};

}  // namespace tidegate::recall::solver
