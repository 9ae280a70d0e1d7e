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
  std::vector<GangId> gangs;                  // all of them
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

// A suspended Deployment or StatefulSet that somebody scales up: the number asked for is what it gets back
// when it resumes, and until then it stays at none. (Scaled to 0 it stays at what was remembered: that is the
// number it has.)
void keepSuspended(const ClusterState& state, Acts& acts);

// Gives `count` pods back: of a suspended job all, of a shrunk one some.
void resume(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now, Acts& acts);

}  // namespace tidegate::lifecycle
