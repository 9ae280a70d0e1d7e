// A Controller, plugged into the world as the brain is.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/controller.hpp"
#include "world/sim/brain_port.hpp"

namespace tidegate::sim {

class ControllerPort : public BrainPort {
 public:
  // Called at once and at every restart: a controller starts with no memory.
  explicit ControllerPort(std::function<std::unique_ptr<Controller>()> make)
      : make_(std::move(make)), controller_(make_()) {}

  std::vector<Command> handle(const Event& event, Time now) override {
    return controller_->handle(event, now);
  }
  void restart() override { controller_ = make_(); }

  Controller& controller() { return *controller_; }

 private:
  std::function<std::unique_ptr<Controller>()> make_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace tidegate::sim
