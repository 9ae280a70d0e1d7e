// Tells waiting jobs why they wait: a condition on the PodGroup (or on the pod, where there is none), written
// when the reason changes.
#pragma once

#include <map>
#include <string>

#include "protocol/outbox.hpp"
#include "scheduler/policy.hpp"

namespace tidegate {

class PendingNews {
 public:
  void tell(const ClusterState& state, const scheduler::Decisions& decisions, Outbox& outbox, Time now);

 private:
  std::map<std::string, std::string> told_;  // by gang or pod uid
};

}  // namespace tidegate
