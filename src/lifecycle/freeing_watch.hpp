// Whether GPUs are coming free one after another.
#pragma once

#include <algorithm>
#include <optional>

#include "core/resources.hpp"
#include "core/time.hpp"

namespace tidegate::lifecycle {

// The pods of a peak end one by one. Of what the first few leave, a small job could be brought back at once,
// and would then sit in the middle of the nodes that a larger one, which is served first, fits on a moment
// later. So nothing comes back until no more has come free for `quiet`; work that ends all the time does not
// put it off for longer than `most`.
class FreeingWatch {
 public:
  struct Limits {
    Duration quiet = seconds(2);
    Duration most = seconds(15);
  };
  FreeingWatch() = default;
  explicit FreeingWatch(Limits limits) : limits_(limits) {}

  void note(Amount held, Time now) {  // accelerators that are held, whenever the state is looked at
    if (held_ && held < *held_) {
      if (!fell_ || now >= *fell_ + limits_.quiet) began_ = now;
      fell_ = now;
    }
    held_ = held;
  }
  // From then on what is free is taken as it is, if nothing more comes free before.
  Time settledAt() const {
    return fell_ ? std::min(*fell_ + limits_.quiet, began_ + limits_.most) : Time::min();
  }

 private:
  Limits limits_;
  std::optional<Amount> held_;
  std::optional<Time> fell_;
  Time began_;
};

}  // namespace tidegate::lifecycle
