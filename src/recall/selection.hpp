// A set of stopped units with everything that follows from it, kept up to date unit by unit.
#pragma once

#include <vector>

#include "recall/model.hpp"

namespace tidegate::recall::solver {

class Selection {
 public:
  explicit Selection(const Model& model);

  void stop(Index unit);
  void restore(Index unit);
  void stopOption(Index option);
  // Lets the unit live, and all that cannot be stopped without it. Returns what was restored.
  std::vector<Index> restoreWithDependents(Index unit);

  bool isStopped(Index unit) const { return place_[unit] != kNoIndex; }
  const std::vector<Index>& stopped() const { return stopped_; }  // in no particular order
  Int128 cost() const { return cost_; }
  // True if the gains suffice in every dimension.
  bool covered() const { return unmet_ == 0; }
  std::int64_t missing(Index dim) const { return model_->need[dim] - covered_[dim]; }
  // What the group gives now.
  std::int64_t gainOf(Index group) const { return best_[group]; }
  // Cost of the option's units that are not stopped yet.
  Int128 due(Index option) const { return due_[option]; }
  // What the option would add to its dimension.
  std::int64_t usefulGain(Index option) const;
  // True if stopping the rest of the option keeps every limit.
  bool fits(Index option) const;

 private:
  void cover(Index group, std::int64_t gain);
  bool limitHolds(Index limit, const Draw& extra) const;

  const Model* model_;
  std::vector<Index> stopped_;
  std::vector<Index> place_;           // in stopped_
  std::vector<Int128> due_;            // per option
  std::vector<Index> left_;            // per option: units not stopped
  std::vector<std::int64_t> best_;     // per group: largest gain of a paid option
  std::vector<std::int64_t> covered_;  // per dimension
  std::vector<Amount> used_;           // per limit
  Int128 cost_ = 0;
  int unmet_ = 0;
  mutable std::vector<Draw> extra_;  // scratch of fits(), per limit
  mutable std::vector<Index> touched_;
};

}  // namespace tidegate::recall::solver
