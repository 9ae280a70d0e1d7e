// The last word on a plan, on the problem itself: nothing is stopped that is not needed.
#pragma once

#include <vector>

#include "recall/problem.hpp"

namespace tidegate::recall::solver {

// Restores units of a feasible plan, dearest first, each with all that cannot be stopped without it, as long
// as pods and reliefs suffice. Afterwards no proper subset is feasible.
void trimExactly(const Problem& problem, std::vector<bool>& stopped);

}  // namespace tidegate::recall::solver
