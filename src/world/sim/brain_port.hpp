// Where a brain is plugged into the world: the real one (tidegate_brain.hpp), or a test's own.
#pragma once

#include <vector>

#include "protocol/events.hpp"

namespace tidegate::sim {

class BrainPort {
 public:
  virtual ~BrainPort() = default;
  virtual std::vector<Command> handle(const Event& event, Time now) = 0;
  // Its process died: it forgets everything. The world then shows it every object anew.
  virtual void restart() = 0;
};

}  // namespace tidegate::sim
