// The product's brain, plugged into the simulated world.
#pragma once

#include <utility>
#include <vector>

#include "brain/brain.hpp"
#include "world/sim/brain_port.hpp"

namespace tidegate::sim {

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
