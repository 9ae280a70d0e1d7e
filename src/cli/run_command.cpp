#include "cli/commands.hpp"
#include "cli/environment.hpp"
#include "run/run.hpp"

namespace tidegate::cli {

int runCommand(const RunCommand& command, const Streams&) {
  return run::run(command.options, environmentOfProcess());
}

}  // namespace tidegate::cli
