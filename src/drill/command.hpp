// The command line that gives a drill again.
#pragma once

#include <string>

#include "drill/options.hpp"

namespace tidegate::drill {

const char* nameOf(PolicyChoice choice);  // "tidegate", "pod-by-pod", "lyra-count", "compare"
const char* nameOf(BurstKind kind);       // "deployment", "job", "pods"

// Shape, burst, policy and seed, and of the other options those that are not as they are by default. What a
// run only writes (--out, -o) is left out.
std::string commandLine(const DrillOptions& options);

}  // namespace tidegate::drill
