// From any set of stopped units to a good legal plan: complete it, leave out what is not needed, try exchanges.
#pragma once

#include "recall/selection.hpp"

namespace tidegate::recall::solver {

// Stops option after option, cheapest per missing gain first, until every need is met; options with the unit `barred`
// are not used. False if limits or gains do not allow it.
bool complete(const Model& model, Selection& selection, Index barred = kNoIndex);

// Restores units, dearest first, as long as every need stays met. Afterwards no proper subset would do.
void trim(const Model& model, Selection& selection);

// Takes single units out and completes without them, as long as that gets cheaper. `steps` bounds the options looked at.
void exchange(const Model& model, Selection& selection, std::int64_t steps);

}  // namespace tidegate::recall::solver
