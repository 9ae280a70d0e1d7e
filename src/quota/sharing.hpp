// Dividing whole amounts exactly: nothing is lost to rounding, and the same input always gives the same
// parts. Ties go to the earlier entry, so callers pass their entries in name order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/resources.hpp"

namespace tidegate::quota {

// The parts unchanged if they sum to at most `bound`; else reduced in proportion, to sum to `bound` exactly
// (largest remainder). No part grows. Parts are >= 0; a bound below zero counts as zero.
std::vector<Amount> scaledDown(std::span<const Amount> parts, Amount bound);

// One who wants some of a common amount.
struct Want {
  std::int32_t weight = 1;  // >= 1
  Amount amount = 0;        // most it can use; >= 0
  Amount held = 0;          // at most `amount`: it has this in any case, and its part is counted from it
};

// Weighted max-min fair parts of `amount` (Bertsekas, Gallager: Data Networks, 6.5.2): nobody gets more than
// it wants, and all who are left wanting get parts in proportion to their weights, but nobody less than it
// holds. The parts sum to min(amount, all wants), or to all that is held if that is more.
std::vector<Amount> waterFill(Amount amount, std::span<const Want> wants);

}  // namespace tidegate::quota
