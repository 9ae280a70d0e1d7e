// The flags of `tidegate run`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace tidegate::cli {

void describeRun(CLI::App& app, RunCommand& run);

}  // namespace tidegate::cli
