// Whether GPUs are coming free one after another.
#pragma once

#include <algorithm>
#include <optional>

#include "core/resources.hpp"
#include "core/time.hpp"

namespace tidegate::lifecycle {

// The pods of a peak end one by one. Of what the first few leave, a small job could be brought back at once,
// and would then sit in the middle of the nodes that a larger one, which is served first, fits on a moment
// later. So nothing comes back until no more has come free for kQuiet; work that ends all the time does not
// put it off for longer than kMost.
class FreeingWatch {
 public:
  void note(Amount held, Time now) {  // accelerators that are held, whenever the state is looked at
    if (held_ && held < *held_) {
      if (!fell_ || now >= *fell_ + kQuiet) began_ = now;
      fell_ = now;
    }
    held_ = held;
  }
  // From then on what is free is taken as it is, if nothing more comes free before.
  Time settledAt() const { return fell_ ? std::min(*fell_ + kQuiet, began_ + kMost) : Time::min(); }

 private:
  static constexpr Duration kQuiet = seconds(2);
  static constexpr Duration kMost = seconds(15);

  std::optional<Amount> held_;
  std::optional<Time> fell_;
  Time began_;
};

}  // namespace tidegate::lifecycle
