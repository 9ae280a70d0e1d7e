#include "drill/drill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tidegate::drill {
namespace {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran ran(const DrillOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = runDrill(options, {.out = out, .err = err, .colour = false, .progress = false});
  return {.code = code, .out = out.str(), .err = err.str()};
}

TEST(Drill, TheSeedsOwnDrillHolds) {
  const Ran drill = ran({});
  EXPECT_EQ(drill.code, kBarsHold) << drill.out << drill.err;
}

}  // namespace
}  // namespace tidegate::drill
