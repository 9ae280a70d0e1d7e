// One function per subcommand; each returns the exit status.
#pragma once

#include "cli/cli.hpp"
#include "cli/options.hpp"

namespace tidegate::cli {

int runCommand(const PlanCommand& command, const Streams& streams);
int runCommand(const DrillCommand& command, const Streams& streams);
int runCommand(const RunCommand& command, const Streams& streams);
int runCommand(const VersionCommand& command, const Streams& streams);

}  // namespace tidegate::cli
