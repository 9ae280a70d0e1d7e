// From the solver's terms back to the caller's: plans, and the reasons why there is none.
#pragma once

#include <optional>

#include "recall/selection.hpp"

namespace tidegate::recall::solver {

// Units of the built model as a set of the problem's units.
std::vector<bool> stoppedBy(const Problem& problem, const Built& built, const std::vector<Index>& units);

// The plan that stops exactly these. Its bound is left 0.
Plan planOf(const Problem& problem, const std::vector<bool>& stopped);

// A reason that no plan can exist, seen without any search; nothing if there may be one.
std::optional<NoPlan> provenHopeless(const Problem& problem, const Built& built);

// The reason after a search in vain: those limits that the cheapest plan without limits would break, and
// those that put single units out of reach.
NoPlan blockedByLimits(const Problem& problem, const Built& built);

}  // namespace tidegate::recall::solver
