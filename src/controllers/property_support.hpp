// What property tests of controllers end with.
#pragma once

#include <rapidcheck.h>

#include "controllers/test_world.hpp"

namespace tidegate::controllers::test {

// A controller that begins with what the objects say finds nothing to do.
template <class Fresh>
void assertNothingIsLeftToDo(TestWorld& world) {
  Fresh fresh;
  world.clearLog();
  world.restart(fresh);
  RC_ASSERT(world.runToRest(seconds(60)));
  RC_ASSERT(world.log().empty());
}

}  // namespace tidegate::controllers::test
