// A wall clock that never goes back and never stands still, made of the system's two clocks.
//
// It follows the system's wall clock, also when that is put forward. When the wall clock is put back, this
// one goes on at nine tenths of its speed until the wall clock has caught up, so that timers stay nearly
// right and no two readings are in the wrong order.
#pragma once

#include <algorithm>

#include "core/time.hpp"

namespace tidegate::kube {

class CurlClock {
 public:
  // The time, given what the wall clock shows and a clock that only counts (from any start).
  Time advance(Time wall, Duration counted) {
    const Duration passed = started_ ? std::max(counted - counted_, Duration{0}) : Duration{0};
    time_ = started_ ? std::max(wall, time_ + passed * 9 / 10) : wall;
    counted_ = std::max(counted, counted_);
    started_ = true;
    return time_;
  }
  // The same, of this machine's clocks.
  Time read();

 private:
  bool started_ = false;
  Time time_;
  Duration counted_{0};
};

}  // namespace tidegate::kube
