// Partial mode on large clusters: which nodes are worth listing all their sets of units for.
#pragma once

#include <vector>

#include "recall/problem.hpp"

namespace tidegate::recall::solver {

struct Sieve {
  std::vector<bool> plan;       // a legal plan as the units stopped; empty: none was found at sight
  std::vector<bool> worthNode;  // per node: a better plan than that may use it
};

// Compares a greedy plan with a bound that takes each node as a fractional knapsack: units may be stopped in
// part, each charged for what it frees there.
Sieve sievePartial(const Problem& problem);

}  // namespace tidegate::recall::solver
