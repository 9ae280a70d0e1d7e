#include "world/rest/sim_loop.hpp"

#include <utility>

namespace tidegate::rest {

SimLoop::SimLoop(sim::EventQueue& clock, Duration skew) : clock_(clock), skew_(skew) {}

kube::TimerId SimLoop::at(Time when, std::function<void()> action) {
  const kube::TimerId timer = ++last_;
  if (!alive_) return timer;
  pending_->insert(timer);
  clock_.at(when - skew_, [pending = pending_, timer, action = std::move(action)] {
    if (pending->erase(timer) > 0) action();
  });
  return timer;
}

void SimLoop::kill() {
  alive_ = false;
  pending_->clear();
}

}  // namespace tidegate::rest
