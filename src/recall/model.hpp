// The recall problem in the form the solver works on: units that cost, groups that give.
//
// A group is a place where gain arises: a node (dimension 0: pods), or one unit under a quota ceiling
// (dimension 1+r: relief r). It has options; an option gives its gain once all its units are stopped. A whole
// node has one option, all its units; a node in partial mode has one per useful subset. requires_ is folded
// in: an option lists the required units too. So every plan is: pay for units, collect the best option of
// each group, reach `need` in each dimension, stay within every limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "recall/problem.hpp"

namespace tidegate::recall::solver {

using Index = std::uint32_t;
inline constexpr Index kNoIndex = static_cast<Index>(-1);
inline constexpr Int128 kInfinite = static_cast<Int128>(1) << 125;

// Rows of different lengths in one array.
template <class T>
class Rows {
 public:
  void push(const T& value) { values_.push_back(value); }
  void endRow() { begin_.push_back(static_cast<Index>(values_.size())); }
  std::size_t size() const { return begin_.size() - 1; }
  std::size_t valueCount() const { return values_.size(); }
  Index begin(Index row) const { return begin_[row]; }
  Index end(Index row) const { return begin_[row + 1]; }
  std::span<const T> operator[](Index row) const {
    return {values_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }
  const T& value(Index position) const { return values_[position]; }

 private:
  std::vector<Index> begin_ = {0};
  std::vector<T> values_;
};

// Row c of the result lists the positions in `rows` that hold value c.
Rows<Index> positionsByValue(const Rows<Index>& rows, std::size_t values);

struct Draw {
  Index limit = 0;
  Amount amount = 0;
  Amount largest = 0;  // by one job; less than amount where a model unit stands for several
};

struct Model {
  std::vector<std::int64_t> need;  // per dimension
  std::vector<Budget> limits;      // the problem's budgets, then maxStopped

  std::vector<Int128> cost;   // per unit
  std::vector<Index> origin;  // the unit of the full model it is (itself there)
  Rows<Draw> draws;           // per unit
  Rows<Index> dependents;     // per unit: units that require it, which stay only if it stays
  Rows<Index> unitEdges;      // per unit: positions in groupUnits

  std::vector<Index> groupDim;
  Rows<Index> groupUnits;        // per group; a position in it is an "edge"
  std::vector<Index> edgeGroup;  // per edge
  std::vector<Amount> edgeSize;  // per edge: thousandths of pods that the unit frees there, at least 1
  std::vector<Index> optionBegin = {0};  // per group, and the end
  std::vector<std::int64_t>
      spareGain;  // per group: gain that no option covers, because there are too many to list

  std::vector<std::int64_t> optionGain;  // per option, at most `need`
  std::vector<Index> optionGroup;
  Rows<Index> optionEdges;
  Rows<Index> edgeOptions;  // per edge

  std::size_t unitCount() const { return cost.size(); }
  std::size_t groupCount() const { return groupDim.size(); }
  std::size_t optionCount() const { return optionGain.size(); }
  Index dim(Index option) const { return groupDim[optionGroup[option]]; }
  // One option per group that needs all the group's units: the cheapest choice at given prices is then a
  // minimum cut.
  bool singleOption() const { return optionCount() == groupCount(); }
  bool complete() const {
    return std::ranges::all_of(spareGain, [](std::int64_t gain) { return gain == 0; });
  }
  std::int64_t mostGain(Index group) const {
    std::int64_t most = spareGain[group];
    for (Index o = optionBegin[group]; o < optionBegin[group + 1]; ++o) most = std::max(most, optionGain[o]);
    return most;
  }
  // Fills the columns that follow from the others.
  void index();
};

// The part of `model` that is left with only the options kept.
Model restrictTo(const Model& model, const std::vector<bool>& keepOption);

// The model of the whole problem, and what each of its units stands for.
struct Built {
  Model model;
  Rows<Index> members;             // per model unit: units of the problem
  std::vector<bool> unusable;      // per problem unit: stopping it alone breaks a budget
  std::vector<bool> breaksBudget;  // per limit: it made a unit unusable
};
// Nodes not in `worthNode` are left out; empty: none are.
Built build(const Problem& problem, const std::vector<bool>& worthNode = {});

}  // namespace tidegate::recall::solver
