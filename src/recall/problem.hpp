// The recall problem as pure combinatorics: which jobs to stop, at least cost, so that enough pods of one
// shape fit. Minimum k-Union with weights and side constraints (recall literature: Lyra, EuroSys'23; closure
// = project selection, Picard 1976). No cluster types here: the builder (recall/build.hpp) makes it, the
// solver (recall/solve.hpp) reads it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "core/quantity.hpp"
#include "core/resources.hpp"

namespace tidegate::recall {

// One thing that is stopped as a whole: a gang, or a single surplus pod of an elastic gang.
struct Unit {
  Int128 cost = 0;  // scalar; all keys of the objective folded in, ties included; >= 0
  struct Share {
    std::uint32_t node = 0;
    std::vector<Amount> freed;  // per dimension of Problem::podRequest
  };
  std::vector<Share> shares;  // at most one per node, ascending by node
  struct Draw {
    std::uint32_t budget = 0;
    Amount amount = 0;
  };
  std::vector<Draw> draws;               // lender budgets this unit uses up
  std::vector<Draw> reliefs;             // quota ceilings this unit relieves (index into Problem::reliefs)
  Amount gpus = 0;                       // for Problem::maxStopped, and reported
  std::vector<std::uint32_t> requires_;  // units that must be stopped too if this one is (an elastic gang's
                                         // core requires its surplus pods)
};

struct Node {
  std::vector<Amount> idle;  // per dimension: free now or already leaving, and not promised to anybody
  bool blocked = false;      // holds foreign work that may not be stopped: it can never become whole
  std::int64_t maxPods = 0;  // most demand pods it may host by all other rules (pod count, other resources)
  Amount gpus = 0;           // size of the node, reported
};

// A lender may not give more than `slack` (over all units drawing on it). Straddle: the sum may exceed slack
// if it would be below slack without the largest unit.
struct Budget {
  Amount slack = 0;
  bool allowStraddle = false;
};

// A quota ceiling above the demand: units under it must give at least `need`.
struct Relief {
  Amount need = 0;
};

enum class Mode {
  WholeNode,  // a node counts only if it is not blocked and every unit on it is stopped
  Partial,    // any freed amount counts
};

struct Problem {
  Mode mode = Mode::WholeNode;
  std::vector<Amount> podRequest;  // one demand pod, per dimension; all > 0
  std::int64_t podsWanted =
      0;  // sum over nodes of (pods that fit after) - (pods that fit in idle) must reach this
  std::vector<Node> nodes;
  std::vector<Unit> units;
  std::vector<Budget> budgets;
  std::vector<Relief> reliefs;
  Amount maxStopped = kUnlimited;  // cap on the sum of gpus of stopped units
};

struct Plan {
  std::vector<std::uint32_t> units;  // stopped, ascending
  std::vector<std::uint32_t> nodes;  // nodes whose gain is used, ascending
  Int128 cost = 0;
  Int128 lowerBound = 0;  // proven: no legal plan costs less
  bool optimal = false;   // cost == lowerBound, or proven by exhaustive search
  double gap() const {
    return cost == 0 ? 0.0 : static_cast<double>(cost - lowerBound) / static_cast<double>(cost);
  }
};

// Why no plan exists, with the most that could have been had.
struct NoPlan {
  enum class Why {
    Nodes,    // even stopping every unit frees too little
    Budget,   // lenders may not give that much
    Relief,   // a quota ceiling cannot be relieved
    Stopped,  // maxStopped
  };
  Why why = Why::Nodes;
  std::int64_t podsPossible = 0;       // most pods that fit when budgets are ignored
  std::vector<std::uint32_t> budgets;  // those that bind
  std::vector<std::uint32_t> reliefs;  // those that cannot be met
};

struct Effort {
  // Branch-and-bound steps allowed; one that chooses among more than a hundred options counts for several.
  std::int64_t exactNodes = 20000;
  int cuts = 24;  // min-cuts allowed
};

// All costs of a problem together stay below this.
inline constexpr Int128 kCostLimit = static_cast<Int128>(1) << 100;

// Lagrangian closure, then marginal greedy and trim; branch and bound where small. Deterministic: depends on
// the order of units and nodes only through ties that the costs leave (give every unit a distinct cost to
// have none).
std::expected<Plan, NoPlan> solve(const Problem& problem, const Effort& effort = {});

// True if units drawing `sum` in all, the largest of them `largest`, may be taken from the budget.
bool withinBudget(const Budget& budget, Amount sum, Amount largest);
// Pods of the demand shape that fit in `free`, at most `cap`.
std::int64_t podsThatFit(const std::vector<Amount>& free, const std::vector<Amount>& request,
                         std::int64_t cap);
// Gain of every node if exactly `stopped` units (closed under requires_) are stopped, and its sum.
std::vector<std::int64_t> gainPerNode(const Problem& problem, const std::vector<bool>& stopped);
std::int64_t gainOf(const Problem& problem, const std::vector<bool>& stopped);
// True if `stopped` meets podsWanted, budgets, reliefs, maxStopped and requires_.
bool feasible(const Problem& problem, const std::vector<bool>& stopped);

}  // namespace tidegate::recall
