// Jobs that a recall has stopped or shrunk, read back from the marks on their owners, and how they are
// brought back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lifecycle/owner.hpp"
#include "protocol/act.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::lifecycle {

struct SuspendedJob {
  Owner owner;
  const api::ObjectMeta* metadata = nullptr;  // of the owner, inside the state
  GangId gang = kNone;                        // its PodGroup, if there is one (or pods still live)
  std::string recall;                         // id of the recall that did it
  bool whole = true;                          // false: shrunk, the rest keeps running
  std::int32_t priority = 0;
  std::int32_t evictions = 0;
  std::optional<Time> suspendedAt;
  std::optional<Time> resumedAt;  // of the time before
  scheduler::ResumeQuery query;   // the pods that would come back
};

// In queue order: higher priority, then older, then by name.
std::vector<SuspendedJob> suspendedJobs(const ClusterState& state);

// Gives `count` pods back: of a suspended job all, of a shrunk one some.
void resume(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now, Acts& acts);

}  // namespace tidegate::lifecycle
