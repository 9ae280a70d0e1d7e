// The timeline of a run: what happened to pods, nodes and jobs, and when. Reports read it; equal seeds give
// equal text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::sim {

enum class TraceKind : std::uint8_t {
  PodCreated,
  PodBound,
  PodRunning,
  PodReady,
  PodRecalled,          // marked as being recalled
  CheckpointRequested,  // the process has seen the request
  CheckpointSaved,      // the process has saved its part
  PodTerminating,       // deletionTimestamp set, or its grace shortened
  PodSigterm,
  PodKilled,    // SIGKILL, or the node went away
  PodFinished,  // Succeeded or Failed
  PodGone,
  NodeNotReady,
  NodeReady,
  JobSuspended,
  JobResumed,
  JobPhase,   // a vcjob or batch Job changed its phase
  WorkSaved,  // a checkpoint of a whole job is complete
  WorkLost,   // a job stopped; what it had not saved is lost
  WorkResumed,
  WorkDone,
  Command,  // of the brain, with its outcome
  Emitted,  // a Kubernetes event of the brain
  Fault,
};
std::string_view name(TraceKind kind);

struct TraceEntry {
  Time at;
  TraceKind kind = TraceKind::PodCreated;
  std::string object;  // key of the pod, job or node
  std::string uid = {};
  std::string owner = {};  // pods: "Kind namespace/name" of the controller
  std::string node = {};   // pods: where it is bound
  std::int64_t gpus = 0;   // pods: GPUs requested
  std::string detail = {};
};

class Trace {
 public:
  void add(TraceEntry entry) { entries_.push_back(std::move(entry)); }
  const std::vector<TraceEntry>& entries() const { return entries_; }
  // One line per entry, times in seconds since `start`.
  std::string text(Time start) const;

 private:
  std::vector<TraceEntry> entries_;
};

// A pod's entry with all that the pod itself tells.
TraceEntry podEntry(Time at, TraceKind kind, const api::Pod& pod, std::string detail = {});

// Writes down what can be read off the store's changes.
void recordChange(Trace& trace, Time now, const Change& change);

}  // namespace tidegate::sim
