// The promo drill: a cluster is filled by lending, a burst comes, and what happens is judged against three
// bars.
#pragma once

#include <iosfwd>

#include "drill/options.hpp"

namespace tidegate::drill {

// Where the drill writes. `colour` and `progress` are for people: set them only for a terminal.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
  bool progress = true;
};

inline constexpr int kBarsHold = 0;
inline constexpr int kBarFails = 1;
inline constexpr int kBadInput = 2;

// Runs the whole drill in virtual time and writes its report. Same options, same files, to the byte.
// Returns kBarsHold, kBarFails, or kBadInput (told on terminal.err with file, line and field).
int runDrill(const DrillOptions& options, const Terminal& terminal);

}  // namespace tidegate::drill
