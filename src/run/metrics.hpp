// The metrics of a running tidegate, in the text format of Prometheus, and the last cycles as JSON.
#pragma once

#include <string>

#include "run/brain_controller.hpp"
#include "world/kube/kube_host.hpp"

namespace tidegate::run {

struct MetricsView {
  bool leads = false;
  const kube::KubeHost* host = nullptr;    // nullptr: nothing runs here (yet)
  const BrainController* brain = nullptr;  // nullptr: the scheduler does not run here
};

std::string metricsText(const MetricsView& view);
// {"cycles":[{"at":"...","milliseconds":1.2,"commands":{"Bind":8}}]}, newest last.
std::string cyclesJson(const BrainController& brain);

}  // namespace tidegate::run
