// Volcano's kinds and tidegate's own (see objects.hpp). Source: Volcano's
// staging/src/volcano.sh/apis/pkg/apis/{scheduling/v1beta1,batch/v1alpha1,topology/v1alpha1,bus/v1alpha1}.
#pragma once

#include "api/objects_core.hpp"

namespace tidegate::api {

// ---- scheduling.volcano.sh/v1beta1
// -------------------------------------------------------------------------------

struct QueueGuarantee {
  ResourceList resource;
  bool operator==(const QueueGuarantee&) const = default;
};

struct QueueSpec {
  std::int32_t weight = 1;
  ResourceList capability;          // read from both spellings: flat, and nested under `resource`
  std::optional<bool> reclaimable;  // true when absent
  QueueGuarantee guarantee;
  ResourceList deserved;
  std::string parent;  // empty: root
  std::int32_t priority = 0;
  std::string type;
  std::string dequeueStrategy;
  bool operator==(const QueueSpec&) const = default;
};

// Nodes that are kept for a queue, and what of it its pods will take.
struct QueueReservation {
  std::vector<std::string> nodes;
  ResourceList resource;
  bool operator==(const QueueReservation&) const = default;
};

struct QueueStatus {
  std::string state;  // Open | Closed | Closing | Unknown
  ResourceList allocated;
  ResourceList deserved;
  QueueReservation reservation;
  std::int32_t pending = 0;  // PodGroups by phase
  std::int32_t inqueue = 0;
  std::int32_t running = 0;
  std::int32_t unknown = 0;
  std::int32_t completed = 0;
  bool operator==(const QueueStatus&) const = default;
};

struct Queue {
  static constexpr const char* kKind = "Queue";
  static constexpr const char* kApiVersion = "scheduling.volcano.sh/v1beta1";
  ObjectMeta metadata;
  QueueSpec spec;
  QueueStatus status;
  bool operator==(const Queue&) const = default;
};

struct NetworkTopology {
  std::string mode;  // hard (default) | soft
  std::optional<std::int32_t> highestTierAllowed;
  std::string highestTierName;
  bool operator==(const NetworkTopology&) const = default;
};

struct PodGroupSpec {
  std::int32_t minMember = 0;
  std::map<std::string, std::int32_t> minTaskMember;
  std::string queue;
  std::string priorityClassName;
  ResourceList minResources;
  std::optional<NetworkTopology> networkTopology;
  bool operator==(const PodGroupSpec&) const = default;
};

struct PodGroupStatus {
  std::string phase;  // Pending | Inqueue | Running | Unknown | Completed
  std::vector<Condition> conditions;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  bool operator==(const PodGroupStatus&) const = default;
};

struct PodGroup {
  static constexpr const char* kKind = "PodGroup";
  static constexpr const char* kApiVersion = "scheduling.volcano.sh/v1beta1";
  ObjectMeta metadata;
  PodGroupSpec spec;
  PodGroupStatus status;
  bool operator==(const PodGroup&) const = default;
};

// ---- batch.volcano.sh/v1alpha1
// ---------------------------------------------------------------------------------

struct LifecyclePolicy {
  std::string action;
  std::string event;
  std::vector<std::string> events;
  std::optional<std::int32_t> exitCode;
  std::string timeout;  // duration between the event and the action; empty: at once
  bool operator==(const LifecyclePolicy&) const = default;
};

// The tasks whose pods must be up before this task's are created.
struct TaskDependsOn {
  std::vector<std::string> name;
  std::string iteration;  // any | all (default)
  bool operator==(const TaskDependsOn&) const = default;
};

struct TaskSpec {
  std::string name;
  std::int32_t replicas = 1;
  std::optional<std::int32_t> minAvailable;  // replicas when absent
  PodTemplateSpec template_;
  std::string
      templateJson;  // the template as it was written, with the fields tidegate does not know; may be empty
  std::vector<LifecyclePolicy> policies;
  std::optional<std::int32_t> maxRetry;  // container restarts until TaskFailed: 3 when absent, -1 never
  std::optional<TaskDependsOn> dependsOn;
  bool operator==(const TaskSpec&) const = default;
};

struct VolumeClaimSpec {
  std::vector<std::string> accessModes;
  std::string storageClassName;
  ResourceRequirements resources;
  bool operator==(const VolumeClaimSpec&) const = default;
};

// A volume of all the job's pods: a claim that exists, or one to be made.
struct VcJobVolume {
  std::string mountPath;
  std::string volumeClaimName;
  VolumeClaimSpec volumeClaim;
  std::string volumeClaimJson;  // as it was written; empty: none
  bool operator==(const VcJobVolume&) const = default;
};

struct VcJobSpec {
  std::string schedulerName;
  std::optional<std::int32_t> minAvailable;  // sum of the tasks' when absent
  std::vector<TaskSpec> tasks;
  std::vector<LifecyclePolicy> policies;
  std::string queue;
  std::optional<std::int32_t> maxRetry;  // 3 when absent
  std::string priorityClassName;
  std::vector<VcJobVolume> volumes;
  std::map<std::string, std::vector<std::string>> plugins;  // name -> arguments
  std::optional<std::int32_t> ttlSecondsAfterFinished;
  std::optional<std::int32_t> minSuccess;
  std::optional<NetworkTopology> networkTopology;
  bool operator==(const VcJobSpec&) const = default;
};

struct VcJobState {
  std::string phase;  // Pending | Running | Aborting | Aborted | Restarting | Completed | Failed | ...
  std::string reason;
  std::string message;
  std::optional<Time> lastTransitionTime;
  bool operator==(const VcJobState&) const = default;
};

struct VcJobCondition {
  std::string status;  // a phase the job has had
  std::optional<Time> lastTransitionTime;
  bool operator==(const VcJobCondition&) const = default;
};

struct VcTaskState {
  std::map<std::string, std::int32_t> phase;  // pods by their phase
  bool operator==(const VcTaskState&) const = default;
};

struct VcJobStatus {
  VcJobState state;
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t terminating = 0;
  std::int32_t unknown = 0;
  std::int32_t minAvailable = 0;
  std::int32_t version =
      0;  // counts the times all pods were stopped; pods carry the one they were made under
  std::int32_t retryCount = 0;
  std::string runningDuration;
  std::map<std::string, VcTaskState> taskStatusCount;
  StringMap controlledResources;
  std::vector<VcJobCondition> conditions;
  bool operator==(const VcJobStatus&) const = default;
};

// Volcano's Job, as users call it: vcjob.
struct VcJob {
  static constexpr const char* kKind = "Job";
  static constexpr const char* kApiVersion = "batch.volcano.sh/v1alpha1";
  ObjectMeta metadata;
  VcJobSpec spec;
  VcJobStatus status;
  bool operator==(const VcJob&) const = default;
};

// ---- bus.volcano.sh/v1alpha1
// -------------------------------------------------------------------------------

// An order to a controller; it is deleted before it is carried out (at most once).
struct BusCommand {
  static constexpr const char* kKind = "Command";
  static constexpr const char* kApiVersion = "bus.volcano.sh/v1alpha1";
  ObjectMeta metadata;
  std::string
      action;  // AbortJob | ResumeJob | RestartJob | TerminateJob | CompleteJob | OpenQueue | CloseQueue
  OwnerReference target;
  std::string reason;
  std::string message;
  bool operator==(const BusCommand&) const = default;
};

// ---- topology.volcano.sh/v1alpha1
// --------------------------------------------------------------------------------

struct MemberSelector {
  std::string exactMatch;    // exactMatch.name
  std::string regexMatch;    // regexMatch.pattern
  LabelSelector labelMatch;  // Node members only
  bool operator==(const MemberSelector&) const = default;
};

struct HyperNodeMember {
  std::string type;  // Node | HyperNode
  MemberSelector selector;
  bool operator==(const HyperNodeMember&) const = default;
};

struct HyperNodeSpec {
  std::int32_t tier = 0;
  std::string tierName;
  std::vector<HyperNodeMember> members;
  bool operator==(const HyperNodeSpec&) const = default;
};

struct HyperNode {
  static constexpr const char* kKind = "HyperNode";
  static constexpr const char* kApiVersion = "topology.volcano.sh/v1alpha1";
  ObjectMeta metadata;
  HyperNodeSpec spec;
  bool operator==(const HyperNode&) const = default;
};

// ---- tidegate.dev/v1alpha1
// -----------------------------------------------------------------------------------------

// One pod a recall stops.
struct RecallPod {
  std::string name;
  std::string namespace_;
  std::string uid;
  std::string node;
  bool operator==(const RecallPod&) const = default;
};

// One job (gang) a recall stops, wholly or down to its minimum, and how far that has come.
struct RecallVictim {
  std::string gang;       // "namespace/podgroup"
  std::string ownerKind;  // Job.batch.volcano.sh | Job.batch | Deployment.apps | Pod
  std::string owner;      // "namespace/name"
  bool whole = true;      // false: an elastic job is shrunk, the rest keeps running
  std::vector<RecallPod> pods;
  std::string phase;  // Planned | Signalled | Checkpointed | GraceExpired | Stopping | Released
  std::optional<Time> signalledAt;
  std::optional<Time> checkpointedAt;
  std::optional<Time> stoppingAt;
  std::optional<Time> releasedAt;
  std::int64_t lostGpuSeconds = 0;  // as planned
  bool operator==(const RecallVictim&) const = default;
};

// One demand pod and the node that is freed for it.
struct RecallPlacement {
  std::string pod;  // "namespace/name"
  std::string podUid;
  std::string node;
  bool operator==(const RecallPlacement&) const = default;
};

struct RecallSpec {
  std::string queue;   // who asks
  std::string reason;  // "reclaim" (across queues) | "preempt" (inside one)
  bool guaranteeBacked = false;
  std::optional<Time> startedAt;
  std::optional<Time> deadline;  // victims are to be gone by then
  std::vector<std::string> nodes;
  std::vector<RecallVictim> victims;
  std::string stops;  // their owners in short, for kubectl: "a/bert, b/vit and 2 more"
  std::vector<RecallPlacement> placements;
  double cost = 0;        // scalar cost of the plan, for the record
  double lowerBound = 0;  // proven lower bound of that cost
  bool operator==(const RecallSpec&) const = default;
};

struct RecallStatus {
  std::string phase;  // Planned | Signalled | Stopping | Released | HandedOver | Abandoned
  std::optional<Time> handedOverAt;
  std::string message;
  bool operator==(const RecallStatus&) const = default;
};

// The record of one recall, written before the first act; a restart goes on from it.
struct Recall {
  static constexpr const char* kKind = "Recall";
  static constexpr const char* kApiVersion = "tidegate.dev/v1alpha1";
  ObjectMeta metadata;
  RecallSpec spec;
  RecallStatus status;
  bool operator==(const Recall&) const = default;
};

struct SuspendedPodSpec {
  std::string recall;    // that stopped it
  std::string queue;     // it is in
  std::string podGroup;  // name of its PodGroup; empty: that was made for it alone, and goes with it
  bool whole = true;     // its gang was stopped with it, and comes back with it
  std::string podUid;    // of the pod that was stopped
  PodTemplateSpec pod;   // metadata, with name and times, and spec
  bool operator==(const SuspendedPodSpec&) const = default;
};

// A pod that nothing owns, stored before it is stopped, to be made again: same namespace and name. What it
// waits for stands in annotations, as on other owners (names.hpp): suspend, suspended-at, evictions.
struct SuspendedPod {
  static constexpr const char* kKind = "SuspendedPod";
  static constexpr const char* kApiVersion = "tidegate.dev/v1alpha1";
  ObjectMeta metadata;
  SuspendedPodSpec spec;
  bool operator==(const SuspendedPod&) const = default;
};

}  // namespace tidegate::api
