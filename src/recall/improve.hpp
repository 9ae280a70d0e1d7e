// From any set of stopped units to a good legal plan: complete it, leave out what is not needed, try
// exchanges.
#pragma once

#include "recall/selection.hpp"

namespace tidegate::recall::solver {

struct Completion {
  Index barred = kNoIndex;  // options with this unit are not used
  const std::vector<Int128>* share =
      nullptr;  // per edge: what an option is charged; else its units' full cost
};

// Stops option after option, cheapest per missing gain first, until every need is met. False if limits or
// gains do not allow it. Charged by shares, a gang that gives a little in many places is seen for what it
// gives in all.
bool complete(const Model& model, Selection& selection, const Completion& how = {});

// Restores units, dearest first, as long as every need stays met. Afterwards no proper subset would do.
void trim(const Model& model, Selection& selection);

// Takes single units out and completes without them, as long as that gets cheaper. `steps` bounds the options
// looked at.
void exchange(const Model& model, Selection& selection, std::int64_t steps);

}  // namespace tidegate::recall::solver
