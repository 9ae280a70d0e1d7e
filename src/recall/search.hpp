// Depth-first branch and bound over groups: take one of the options, or none. Pruned by dual bounds on cost
// and on the limits that may bind.
#pragma once

#include <vector>

#include "recall/selection.hpp"
#include "recall/watch.hpp"

namespace tidegate::recall::solver {

class Search {
 public:
  // watches[0] is on cost. `nodes` of the search tree may be opened if choosing a group is cheap; the more
  // options there are to choose from, the fewer.
  Search(const Model& model, std::vector<Watch> watches, std::int64_t nodes);

  void run();

  bool foundBetter() const { return found_; }
  const std::vector<Index>& best() const { return best_; }
  // No plan costs less than the smaller of this and the best known.
  Int128 lowerBound() const { return frontier_; }

 private:
  struct Branch {
    Index group = kNoIndex;
    std::vector<Index> options;  // most promising first
  };
  void explore();
  Branch pick();
  bool tryOption(Index option);
  void tryOptions(const Branch& branch);
  void leaveOut(Index group);
  bool hopeless() const;
  void record();

  const Model& model_;
  std::vector<Watch> watches_;
  Selection selection_;
  std::int64_t looksLeft_;  // at options
  bool stoppedEarly_ = false;
  bool found_ = false;
  std::vector<Index> best_;
  Int128 frontier_ = kInfinite;  // smallest bound of a part not searched
};

}  // namespace tidegate::recall::solver
