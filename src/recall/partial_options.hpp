// Which sets of units are worth stopping on one node when any freed amount counts.
#pragma once

#include <span>
#include <vector>

#include "recall/model.hpp"

namespace tidegate::recall::solver {

// A unit as one node sees it. Units of one kind are alike but for their cost: only the cheapest of a kind
// need be tried. kNoIndex: unlike all others, because it shows elsewhere too.
struct LocalUnit {
  Index unit = 0;
  Index kind = kNoIndex;
  Int128 cost = 0;
  std::span<const Amount> freed;
  std::span<const Unit::Draw> draws;
  Amount gpus = 0;
};

struct Choice {
  std::int64_t gain = 0;
  std::vector<Index> local;  // positions in the list of local units
};

struct Choices {
  std::vector<Choice> list;    // each minimal for its gain, none beaten by another in cost and draws
  std::int64_t spareGain = 0;  // not 0: too many sets to list; the most the node could ever gain
};

// Sets of `units` that make room for pods on `node`; a gain above podsWanted counts as podsWanted. Sorts
// `units`. When `maxSets` tries are not enough, some sets are missing, but one for each gain that can be had
// is there.
Choices partialChoices(const Problem& problem, const Node& node, std::vector<LocalUnit>& units, int maxSets);

}  // namespace tidegate::recall::solver
