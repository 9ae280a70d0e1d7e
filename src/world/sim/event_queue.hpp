// Virtual time: a queue of things to happen, run in the order of (time, order of asking). Nothing here reads
// a clock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/time.hpp"

namespace tidegate::sim {

class EventQueue {
 public:
  using Action = std::function<void()>;

  explicit EventQueue(Time start) : now_(start) {}

  Time now() const { return now_; }
  bool empty() const { return heap_.empty(); }
  // When the next event is due; the queue must not be empty.
  Time nextTime() const;

  // Asks for an action at a time; a time that has passed means now. Equal times run in the order of asking.
  void at(Time when, Action action);
  void after(Duration delay, Action action) { at(now_ + delay, std::move(action)); }

  // Moves the clock to the next event and runs it.
  void step();
  // Moves the clock on without running anything; no event may be due before `when`.
  void advanceTo(Time when);

 private:
  struct Entry {
    Time when;
    std::uint64_t sequence;
    Action action;
  };
  static bool later(const Entry& a, const Entry& b);

  Time now_;
  std::uint64_t nextSequence_ = 0;
  std::vector<Entry> heap_;  // the earliest entry in front
};

}  // namespace tidegate::sim
