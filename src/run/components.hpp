// What a leader hosts: the controllers of the components it was told to run, and the kinds each one watches.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "protocol/controller.hpp"
#include "run/brain_controller.hpp"
#include "run/options.hpp"

namespace tidegate::run {

struct Hosted {
  std::string name;
  std::unique_ptr<Controller> controller;
  std::vector<std::size_t> kinds;  // places in api::Object
};

struct Components {
  std::vector<Hosted> hosted;
  BrainController* brain = nullptr;  // one of them, if the scheduler runs here
};

// "scheduler,queue-controller"; the error lists the names there are.
Result<std::vector<Component>> parseComponents(const std::string& text);

Components makeComponents(const RunOptions& options, const scheduler::Policy& policy);

}  // namespace tidegate::run
