// What a world hosts: the brain and every controller are of this shape.
//
// A controller starts with no memory. The world shows it every object that exists before the first Tick; from
// there on each change once, at least. Each command's outcome comes back once, as CommandDone with its id
// (ids are the controller's own): Unknown where the answer was lost, not silence, as nothing is sent a second
// time while its first copy is out. Of WakeAt and Emit no outcome need come back. A host that stops
// answering, as it has died or leads no more, never calls the controller again.
#pragma once

#include <vector>

#include "protocol/events.hpp"

namespace tidegate {

class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::vector<Command> handle(const Event& event, Time now) = 0;
};

}  // namespace tidegate
