// The loop of one simulated process, in virtual time: timers on the world's event queue, and a clock that may
// be wrong by a constant.
//
// kill() is the death of the process: no timer of it runs from then on.
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "world/kube/loop.hpp"
#include "world/sim/event_queue.hpp"

namespace tidegate::rest {

class SimLoop : public kube::Loop {
 public:
  // `skew` is added to the true time by this process's clock.
  explicit SimLoop(sim::EventQueue& clock, Duration skew = {});
  ~SimLoop() override { kill(); }
  SimLoop(const SimLoop&) = delete;
  SimLoop& operator=(const SimLoop&) = delete;

  Time now() const override { return clock_.now() + skew_; }
  kube::TimerId at(Time when, std::function<void()> action) override;
  void cancel(kube::TimerId timer) override { pending_->erase(timer); }

  void kill();
  bool alive() const { return alive_; }
  // Timers that have not run yet.
  std::size_t pending() const { return pending_->size(); }

 private:
  sim::EventQueue& clock_;
  Duration skew_;
  bool alive_ = true;
  kube::TimerId last_ = 0;
  // Shared with what stands in the queue, which may outlive the process.
  std::shared_ptr<std::set<kube::TimerId>> pending_ = std::make_shared<std::set<kube::TimerId>>();
};

}  // namespace tidegate::rest
