// The program behind main(): parses the command line, reads files, runs the command, prints.
#pragma once

#include <iosfwd>

namespace tidegate::cli {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool outIsTerminal = false;
  bool errIsTerminal = false;
};

// The exit status: 0 done, 1 a bar of the drill failed, 2 bad input (nothing is written to `out` then).
int run(int argc, const char* const* argv, const Streams& streams);

}  // namespace tidegate::cli
