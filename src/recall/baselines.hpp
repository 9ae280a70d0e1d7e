// Plain rules to compare the solver with. They see the same problem, look no further than the next step,
// prove nothing (lowerBound is 0) and do not take back what turns out to be unneeded.
#pragma once

#include "recall/problem.hpp"

namespace tidegate::recall {

// The cheapest further cost per pod gained, again and again.
std::expected<Plan, NoPlan> marginalGreedy(const Problem& problem);

// Our re-implementation of the reclaiming rule of Lyra (Li et al., EuroSys 2023): a server's cost is the sum
// over its jobs of 1 / (servers the job is on), whatever work the jobs would lose; take the cheapest server,
// count its jobs as gone everywhere, repeat. Where that cannot stay within the budgets, the rule knows none:
// the plan then breaks them.
std::expected<Plan, NoPlan> lyraCount(const Problem& problem);

}  // namespace tidegate::recall
