// Labels, annotations and other agreed names, in one place. Volcano's are listed in its
// staging/src/volcano.sh/apis/pkg/apis/{scheduling/v1beta1,batch/v1alpha1}/labels.go.
#pragma once

namespace tidegate::api::names {

// Volcano's, read as it reads them.
inline constexpr const char* kGroupName = "scheduling.k8s.io/group-name";  // pod -> PodGroup
inline constexpr const char* kGroupNameVolcano = "scheduling.volcano.sh/group-name";
inline constexpr const char* kQueueName = "scheduling.volcano.sh/queue-name";  // pods without a PodGroup
inline constexpr const char* kGroupMinMember = "scheduling.volcano.sh/group-min-member";
inline constexpr const char* kGroupMinResources = "scheduling.volcano.sh/group-min-resources";
inline constexpr const char* kClosedByParent = "volcano.sh/closed-by-parent";  // queue: opens with its parent
inline constexpr const char* kTopologyMode = "volcano.sh/network-topology-mode";  // pods without a PodGroup
inline constexpr const char* kTopologyTier = "volcano.sh/network-topology-highest-tier";
inline constexpr const char* kPreemptable = "volcano.sh/preemptable";  // "false": hard opt-out
inline constexpr const char* kCooldownTime = "volcano.sh/cooldown-time";
inline constexpr const char* kTaskPriority = "volcano.sh/task-priority";
inline constexpr const char* kTaskSpec = "volcano.sh/task-spec";
inline constexpr const char* kJobName = "volcano.sh/job-name";
inline constexpr const char* kPodDeletionCost = "controller.kubernetes.io/pod-deletion-cost";  // Kubernetes'

// tidegate's own.
inline constexpr const char* kLending = "tidegate.dev/lending";  // queue: "none" locks its guarantee
inline constexpr const char* kTopology =
    "tidegate.dev/topology";  // queue, podgroup, pod: "auto" | "whole-node"
inline constexpr const char* kMinRuntime = "tidegate.dev/min-runtime";          // queue, podgroup: duration
inline constexpr const char* kRecallDeadline = "tidegate.dev/recall-deadline";  // queue: duration, 15 s unset
inline constexpr const char* kStraddleRatio =
    "tidegate.dev/straddle-ratio";  // queue: GPUs stopped per GPU delivered
inline constexpr const char* kRecalledBy = "tidegate.dev/recalled-by";  // podgroup, pod, owner: recall id
inline constexpr const char* kEvictions = "tidegate.dev/evictions";     // podgroup, owner: count so far
inline constexpr const char* kLastCheckpoint =
    "tidegate.dev/last-checkpoint";  // pod, podgroup, owner: RFC 3339
inline constexpr const char* kCheckpointInterval = "tidegate.dev/checkpoint-interval";
inline constexpr const char* kCheckpointDuration = "tidegate.dev/checkpoint-duration";  // time a save takes
inline constexpr const char* kStopDuration = "tidegate.dev/stop-duration";              // SIGTERM to gone
inline constexpr const char* kCheckpointRequested =
    "tidegate.dev/checkpoint-requested";  // pod: "<recall id> <deadline>"
inline constexpr const char* kCheckpointDone = "tidegate.dev/checkpoint-done";  // pod: recall id
inline constexpr const char* kCheckpointPort = "tidegate.dev/checkpoint-port";
inline constexpr const char* kCheckpointPath = "tidegate.dev/checkpoint-path";
inline constexpr const char* kCheckpointMode = "tidegate.dev/checkpoint-mode";  // "host"
inline constexpr const char* kSuspendedReplicas =
    "tidegate.dev/suspended-replicas";                           // replicas to give back on resume
inline constexpr const char* kSuspend = "tidegate.dev/suspend";  // vcjob: recall id while suspended
inline constexpr const char* kSuspendedQueue =
    "tidegate.dev/suspended-queue";  // an operator's job: its queue, while it is suspended
inline constexpr const char* kReplicasLimit =
    "tidegate.dev/replicas-limit";                                  // vcjob: pods it keeps while shrunk
inline constexpr const char* kShrunkBy = "tidegate.dev/shrunk-by";  // owner: recall id while shrunk
inline constexpr const char* kSuspendedAt =
    "tidegate.dev/suspended-at";                                      // owner: RFC 3339, when it was stopped
inline constexpr const char* kResumedAt = "tidegate.dev/resumed-at";  // RFC 3339
inline constexpr const char* kAbortedBy =
    "tidegate.dev/aborted-by";  // vcjob: id of the recall that aborted it by a Command, until one resumes it
inline constexpr const char* kMeasuredBy =
    "tidegate.dev/measured-by";  // podgroup, owner: id of the recall last learned from
inline constexpr const char* kRecreate =
    "tidegate.dev/recreate";  // bare pod: "true": made again when recalled
inline constexpr const char* kSubmittedAt =
    "tidegate.dev/submitted-at";  // pod made again: RFC 3339, when the first of its kind was made
inline constexpr const char* kResumeFromEnv = "TIDEGATE_RESUME_FROM";

inline constexpr const char* kRootQueue = "root";
inline constexpr const char* kDefaultQueue = "default";

}  // namespace tidegate::api::names
