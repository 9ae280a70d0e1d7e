// The command line as data. Only options.cpp knows the library that parses it.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/time.hpp"
#include "drill/live/options.hpp"
#include "drill/options.hpp"
#include "run/options.hpp"

namespace tidegate::cli {

inline constexpr int kBadInput = 2;

enum class Output { Text, Json };

// tidegate plan
struct PlanCommand {
  std::vector<std::string> files;  // "-": standard input
  std::string conf;                // empty: the default policy
  std::optional<Time> now;
  int cycles = 0;
  bool keepTerminating = false;
  Output output = Output::Text;
};

// tidegate drill
struct DrillCommand {
  drill::DrillOptions options;
  std::optional<drill::live::LiveOptions> live;  // on a live cluster; its `drill` is `options`
};

// tidegate run
struct RunCommand {
  run::RunOptions options;
};

// tidegate version
struct VersionCommand {};

using Command = std::variant<PlanCommand, DrillCommand, RunCommand, VersionCommand>;

// The line asks for no command: help was wanted (code 0, text for stdout), or it is wrong (code 2, text for
// stderr).
struct Exit {
  int code = 0;
  std::string text;
};

std::expected<Command, Exit> parseCommandLine(int argc, const char* const* argv);

}  // namespace tidegate::cli
