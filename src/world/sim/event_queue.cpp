#include "world/sim/event_queue.hpp"

#include <algorithm>
#include <tuple>

#include "core/error.hpp"

namespace tidegate::sim {

bool EventQueue::later(const Entry& a, const Entry& b) {
  return std::tie(a.when, a.sequence) > std::tie(b.when, b.sequence);
}

Time EventQueue::nextTime() const {
  TIDEGATE_CHECK(!heap_.empty(), "no event is due");
  return heap_.front().when;
}

void EventQueue::at(Time when, Action action) {
  heap_.push_back({std::max(when, now_), nextSequence_++, std::move(action)});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EventQueue::step() {
  TIDEGATE_CHECK(!heap_.empty(), "no event is due");
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Entry entry = std::move(heap_.back());
  heap_.pop_back();
  now_ = entry.when;
  entry.action();
}

void EventQueue::advanceTo(Time when) {
  TIDEGATE_CHECK(heap_.empty() || heap_.front().when >= when, "an event is due before that time");
  now_ = std::max(now_, when);
}

}  // namespace tidegate::sim
