#include "cli/cli.hpp"

#include <ostream>
#include <variant>

#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace tidegate::cli {

int run(int argc, const char* const* argv, const Streams& streams) {
  const std::expected<Command, Exit> command = parseCommandLine(argc, argv);
  if (!command) {
    (command.error().code == 0 ? streams.out : streams.err) << command.error().text;
    return command.error().code;
  }
  return std::visit([&](const auto& chosen) { return runCommand(chosen, streams); }, *command);
}

}  // namespace tidegate::cli
