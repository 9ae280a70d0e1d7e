// What would happen: runs the scheduler on a still picture of a cluster until nothing changes. Pure: objects
// in, result out; no files, no clock.
//
// Evicted pods leave at once and, where somebody owns them, come back one cycle later as pending pods of the
// same name and gang. Freed room goes to the pods it was freed for before anything else looks at it, as a
// recall holds it in a live cluster. Pods that are leaving already in the input go after the first cycle and
// do not come back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/objects.hpp"
#include "core/resources.hpp"
#include "core/time.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::plan {

struct PlanOptions {
  std::optional<Time> now = {};  // unset: the newest time the objects name
  int cycles = 0;                // exactly so many; 0: until a cycle changes nothing
  bool keepTerminating = false;  // evicted pods do not leave; the pods they make room for stay `pipelined`
};

// A pod and the node it is bound to, or will be.
struct Bind {
  std::string pod;  // "namespace/name"
  std::string node;
};

struct Eviction {
  std::string pod;
  std::string job;  // "namespace/name" of the owner, or of the PodGroup where nothing owns it
  std::string reason = {};
};

struct Pending {
  std::string pod;
  std::string reason = {};
};

// One job a recall stops, or shrinks.
struct RecalledJob {
  std::string job;
  std::string queue;
  std::int32_t priority = 0;
  bool whole = true;
  std::int64_t pods = 0;
  std::int64_t gpus = 0;  // devices, of any maker
  std::int64_t lostGpuSeconds = 0;
  std::string reason = {};  // the same for each of its pods
};

struct Recall {
  int cycle = 1;
  std::string queue;  // who asked
  std::string kind;   // "reclaim" across queues, "preempt" inside one
  bool guaranteeBacked = false;
  std::vector<std::string> nodes = {};
  std::vector<RecalledJob> jobs = {};
  std::vector<Bind> placements = {};
  scheduler::RecallCost cost = {};
  double lowerBound = 0;
  double gap = 0;
  std::string forcedBy = {};  // the gang that made it stop more than a node's worth too much, if any
};

// A queue at the end of the plan. Entitlement, used, borrowed and lent name every resource that counts in the
// cluster.
struct QueueFigures {
  std::string name;
  std::string parent = {};  // empty: directly under the root
  ResourceList guarantee = {};
  ResourceList deserved = {};
  ResourceList capability = {};
  ResourceList entitlement = {};
  ResourceList used = {};
  ResourceList borrowed = {};
  ResourceList lent = {};
};

// A job that a recall has suspended or shrunk before the plan began. The plan keeps room for it as a live
// scheduler does, and does not start it.
struct Suspended {
  std::string job;
  std::string queue;
  std::int32_t priority = 0;
  bool whole = true;      // false: shrunk, the rest runs on
  std::int64_t pods = 0;  // that would come back
  std::int64_t fit = 0;   // of these, there is room for at the end of the plan
};

struct PlanResult {
  Time now{};
  int cycles = 0;                        // that were run
  bool settled = true;                   // the last cycle changed nothing
  std::vector<Bind> binds = {};          // pods bound by the plan and still bound at its end, by pod
  std::vector<Eviction> evictions = {};  // in the order they happen
  std::vector<Bind> pipelined = {};
  std::vector<Pending> pending = {};
  std::vector<Recall> recalls = {};
  std::vector<Suspended> suspended = {};  // in the order in which they come back
  std::vector<QueueFigures> queues = {};  // by name
  std::vector<std::string> warnings = {};
};

PlanResult runPlan(std::vector<api::Object> objects, const scheduler::Policy& policy,
                   const PlanOptions& options = {});

// The newest time at which the objects were made, pods started or asked to go; the epoch if they name none.
Time newestTime(const std::vector<api::Object>& objects);

}  // namespace tidegate::plan
