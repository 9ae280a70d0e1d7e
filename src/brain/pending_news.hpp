// Tells waiting jobs why they wait: a condition on the PodGroup, written when the reason changes. Pods are
// told by pod_news.hpp.
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
  std::map<std::string, std::string> told_;  // by gang uid
};

}  // namespace tidegate
