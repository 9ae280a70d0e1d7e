#include <ostream>

#include "cli/commands.hpp"

namespace tidegate::cli {

int runCommand(const VersionCommand&, const Streams& streams) {
  streams.out << "tidegate " TIDEGATE_VERSION "\n";
  return 0;
}

}  // namespace tidegate::cli
