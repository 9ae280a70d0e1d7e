// The flags of `tidegate drill`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace tidegate::cli {

// Fills in `drill` as the line is parsed. Flags that do not go together are a CLI::ValidationError, thrown by
// the parser.
void describeDrill(CLI::App& app, DrillCommand& drill);

}  // namespace tidegate::cli
