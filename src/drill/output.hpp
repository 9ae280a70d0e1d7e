// What a drill hands out: its report, on the terminal and in files.
#pragma once

#include <string>

#include "drill/drill.hpp"
#include "drill/inputs.hpp"
#include "report/model.hpp"

namespace tidegate::drill {

// The report without its runs: what was asked, of which cluster.
report::Report emptyReport(const DrillOptions& options, const Inputs& inputs);
// One sentence on the cluster when the burst came.
std::string scenarioOf(const DrillOptions& options, const Inputs& inputs, const report::PolicyRun& run);
// Prints the report and writes the files the options ask for; what runDrill returns.
int present(const report::Report& report, const DrillOptions& options, const Terminal& terminal);

}  // namespace tidegate::drill
