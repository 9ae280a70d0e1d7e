// Where a brain is plugged into the world: the real one, or a test's own.
#pragma once

#include <utility>
#include <vector>

#include "brain/brain.hpp"
#include "protocol/events.hpp"

namespace tidegate::sim {

class BrainPort {
 public:
  virtual ~BrainPort() = default;
  virtual std::vector<Command> handle(const Event& event, Time now) = 0;
  // Its process died: it forgets everything. The world then shows it every object anew.
  virtual void restart() = 0;
};

// The product's brain.
class TidegateBrain : public BrainPort {
 public:
  explicit TidegateBrain(BrainOptions options) : options_(std::move(options)), brain_(options_) {}

  std::vector<Command> handle(const Event& event, Time now) override { return brain_.handle(event, now); }
  void restart() override { brain_ = Brain(options_); }

  const Brain& brain() const { return brain_; }

 private:
  BrainOptions options_;
  Brain brain_;
};

}  // namespace tidegate::sim
