// One recall, step by step: hold and signal, wait for checkpoints, stop, see the GPUs free, hand them over.
//
//   Planned -> Signalled -> Checkpointed | GraceExpired -> Stopping -> Released        per job, the whole
//   gang in step
//
// step() is level-triggered: it compares the record with what the objects show now and asks for all that is
// still missing. Repeated, reordered or lost events and a restart at any point therefore need no case of
// their own: what has been done is seen on the objects (marks, deletionTimestamp, the suspended owner), what
// has not is asked for again. The caller must see the record stored before it calls step() for the first
// time.
//
// Rules and their sources. A second delete may shorten a grace period, never lengthen it, and grace 0 removes
// the object without waiting for the kubelet, so 1 s is the least we send (Kubernetes: Pod lifecycle,
// termination). Ordinary recalls go through the Eviction API and so respect PodDisruptionBudgets. SIGTERM
// reaches PID 1 only, and launchers cut it short, so a checkpoint is asked for first and waited for
// (kubeflow/trainer and torch elastic reports).
#pragma once

#include <set>
#include <string>

#include "placement/session.hpp"
#include "protocol/act.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::lifecycle {

struct RecallOptions {
  Duration gracePeriod = seconds(30);   // no victim gets more, whatever its pod asks for
  Duration stopAllowance = seconds(3);  // kept for SIGTERM-to-exit of jobs that declare no stop-duration
  Duration holdTime = seconds(120);     // freed nodes are kept for the demand at most so long
  Duration stuckMargin = placement::kStuckMargin;  // past its own deadline plus this a victim counts as stuck
  bool overrideBudgets = true;  // a guarantee-backed recall deletes past PodDisruptionBudgets
  bool vcjobCommands = false;   // Volcano's Jobs are under Volcano's controllers: abort them by Command
  bool remakePods = false;      // bare pods that ask for it are stored and made again (suspended_pods.hpp)
};

struct RecallView {
  const ClusterState& state;
  const std::set<std::string>& answered;  // uids of pods whose checkpoint request was answered over HTTP
};

struct RecallStep {
  api::Recall record;
  Acts acts;
};
RecallStep step(api::Recall record, const RecallView& view, const RecallOptions& options, Time now);

// The pod a record names, while it lives: same uid, not ended. nullptr once its GPUs are free.
const PodInfo* livePod(const ClusterState& state, const api::RecallPod& pod);

}  // namespace tidegate::lifecycle
