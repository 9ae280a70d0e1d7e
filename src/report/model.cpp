#include "report/model.hpp"

#include <algorithm>

namespace tidegate::report {

bool Bar::holds() const {
  return std::ranges::all_of(checks, &Check::holds);
}

bool PolicyRun::holds() const {
  return std::ranges::all_of(bars, [](const Bar& bar) { return bar.holds(); });
}

}  // namespace tidegate::report
