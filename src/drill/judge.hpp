// From figures to verdicts: the three acceptance bars, and for each that fails the cause.
#pragma once

#include <string>
#include <vector>

#include "drill/measure.hpp"

namespace tidegate::drill {

std::vector<report::Bar> judge(const DrillOptions& options, const Inputs& inputs, const Played& played,
                               const Measured& measured);

// What a reader should know besides the bars: what forced more evictions, which jobs lost work to short
// graces, how close the plan is to the proven optimum.
std::vector<std::string> notesOn(const DrillOptions& options, const Played& played, const Measured& measured);

}  // namespace tidegate::drill
