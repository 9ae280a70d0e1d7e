// Dual bounds that no better plan may reach, and leaving out what would.
#pragma once

#include <vector>

#include "recall/lens.hpp"

namespace tidegate::recall::solver {

// A bound with the weight that is too much: for costs that of the best plan known.
struct Watch {
  Lens lens;
  Int128 tooMuch = kInfinite;
};

// For the limits that may bind, nearest to their end first; and for all of these summed up, as the tightness
// often shows only in the sum.
std::vector<Watch> limitWatches(const Model& model);

// Which options a plan that respects all watches may have.
std::vector<bool> worthKeeping(const Model& model, std::vector<Watch>& watches);

}  // namespace tidegate::recall::solver
