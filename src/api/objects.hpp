// Kubernetes and Volcano objects as plain values: the fields tidegate reads or writes, under their API names.
// Field by field descriptions: api/fields.hpp (one visitor per type, which reading, writing and comparing
// share). Sources: k8s.io/api core/v1, apps/v1, batch/v1, policy/v1, scheduling/v1; Volcano's
// staging/src/volcano.sh/apis/pkg/apis/{scheduling/v1beta1,batch/v1alpha1,topology/v1alpha1}.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/quantity.hpp"
#include "core/resources.hpp"
#include "core/time.hpp"

namespace tidegate::api {

using StringMap = std::map<std::string, std::string>;

// ---- metadata
// ----------------------------------------------------------------------------------------------

struct OwnerReference {
  std::string apiVersion;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_;  // "namespace"; empty for cluster-scoped kinds
  std::string uid;
  std::string resourceVersion;
  std::optional<Time> creationTimestamp;
  std::optional<Time> deletionTimestamp;
  std::optional<std::int64_t> deletionGracePeriodSeconds;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> ownerReferences;
  std::vector<std::string> finalizers;
  bool operator==(const ObjectMeta&) const = default;
};

struct Condition {
  std::string type;
  std::string status;  // "True" | "False" | "Unknown"
  std::string reason;
  std::string message;
  std::optional<Time> lastTransitionTime;
  bool operator==(const Condition&) const = default;
};

struct LabelSelectorRequirement {
  std::string key;
  std::string operator_;  // "operator": In | NotIn | Exists | DoesNotExist | Gt | Lt
  std::vector<std::string> values;
  bool operator==(const LabelSelectorRequirement&) const = default;
};

struct LabelSelector {
  StringMap matchLabels;
  std::vector<LabelSelectorRequirement> matchExpressions;
  bool operator==(const LabelSelector&) const = default;
};

// ---- core/v1
// -----------------------------------------------------------------------------------------------

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule | PreferNoSchedule | NoExecute
  bool operator==(const Taint&) const = default;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;
  bool operator==(const NodeSpec&) const = default;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<Condition> conditions;
  bool operator==(const NodeStatus&) const = default;
};

struct Node {
  static constexpr const char* kKind = "Node";
  static constexpr const char* kApiVersion = "v1";
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
  bool operator==(const Node&) const = default;
};

struct Toleration {
  std::string key;
  std::string operator_;  // "operator": Equal (default) | Exists
  std::string value;
  std::string effect;
  std::optional<std::int64_t> tolerationSeconds;
  bool operator==(const Toleration&) const = default;
};

struct NodeSelectorTerm {
  std::vector<LabelSelectorRequirement> matchExpressions;
  std::vector<LabelSelectorRequirement> matchFields;
  bool operator==(const NodeSelectorTerm&) const = default;
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> nodeSelectorTerms;
  bool operator==(const NodeSelector&) const = default;
};

struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;
  bool operator==(const PreferredSchedulingTerm&) const = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> requiredDuringSchedulingIgnoredDuringExecution;
  std::vector<PreferredSchedulingTerm> preferredDuringSchedulingIgnoredDuringExecution;
  bool operator==(const NodeAffinity&) const = default;
};

struct Affinity {
  std::optional<NodeAffinity> nodeAffinity;
  bool operator==(const Affinity&) const = default;
};

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  bool operator==(const ResourceRequirements&) const = default;
};

struct EnvVar {
  std::string name;
  std::string value;
  bool operator==(const EnvVar&) const = default;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<EnvVar> env;
  ResourceRequirements resources;
  std::string restartPolicy;  // "Always" on an init container makes it a sidecar
  bool operator==(const Container&) const = default;
};

struct PodSpec {
  std::string nodeName;
  std::string schedulerName;
  std::string priorityClassName;
  std::optional<std::int32_t> priority;
  std::string preemptionPolicy;  // PreemptLowerPriority (default) | Never
  std::optional<std::int64_t> terminationGracePeriodSeconds;
  std::string restartPolicy;
  StringMap nodeSelector;
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<Container> containers;
  std::vector<Container> initContainers;
  ResourceList overhead;
  bool operator==(const PodSpec&) const = default;
};

struct PodStatus {
  std::string phase;  // Pending | Running | Succeeded | Failed | Unknown
  std::string reason;
  std::string message;
  std::vector<Condition> conditions;
  std::optional<Time> startTime;
  std::string nominatedNodeName;
  bool operator==(const PodStatus&) const = default;
};

struct Pod {
  static constexpr const char* kKind = "Pod";
  static constexpr const char* kApiVersion = "v1";
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
  bool operator==(const Pod&) const = default;
};

// What controllers make pods from.
struct PodTemplateSpec {
  ObjectMeta metadata;
  PodSpec spec;
  bool operator==(const PodTemplateSpec&) const = default;
};

struct ConfigMap {
  static constexpr const char* kKind = "ConfigMap";
  static constexpr const char* kApiVersion = "v1";
  ObjectMeta metadata;
  StringMap data;
  bool operator==(const ConfigMap&) const = default;
};

// ---- scheduling/v1, policy/v1, apps/v1, batch/v1
// -------------------------------------------------------------

struct PriorityClass {
  static constexpr const char* kKind = "PriorityClass";
  static constexpr const char* kApiVersion = "scheduling.k8s.io/v1";
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool globalDefault = false;
  std::string preemptionPolicy;
  bool operator==(const PriorityClass&) const = default;
};

// A whole number, or a percentage written "30%".
struct IntOrPercent {
  std::int32_t value = 0;
  bool percent = false;
  bool operator==(const IntOrPercent&) const = default;
};

struct PodDisruptionBudgetSpec {
  std::optional<IntOrPercent> minAvailable;
  std::optional<IntOrPercent> maxUnavailable;
  LabelSelector selector;
  bool operator==(const PodDisruptionBudgetSpec&) const = default;
};

struct PodDisruptionBudget {
  static constexpr const char* kKind = "PodDisruptionBudget";
  static constexpr const char* kApiVersion = "policy/v1";
  ObjectMeta metadata;
  PodDisruptionBudgetSpec spec;
  bool operator==(const PodDisruptionBudget&) const = default;
};

struct DeploymentSpec {
  std::optional<std::int32_t> replicas;  // 1 when absent
  LabelSelector selector;
  PodTemplateSpec template_;
  bool operator==(const DeploymentSpec&) const = default;
};

struct DeploymentStatus {
  std::int32_t replicas = 0;
  std::int32_t readyReplicas = 0;
  bool operator==(const DeploymentStatus&) const = default;
};

struct Deployment {
  static constexpr const char* kKind = "Deployment";
  static constexpr const char* kApiVersion = "apps/v1";
  ObjectMeta metadata;
  DeploymentSpec spec;
  DeploymentStatus status;
  bool operator==(const Deployment&) const = default;
};

struct JobSpec {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::optional<std::int32_t> backoffLimit;  // 6 when absent
  std::optional<bool> suspend;
  PodTemplateSpec template_;
  bool operator==(const JobSpec&) const = default;
};

struct JobStatus {
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::vector<Condition> conditions;
  bool operator==(const JobStatus&) const = default;
};

// batch/v1 Job.
struct BatchJob {
  static constexpr const char* kKind = "Job";
  static constexpr const char* kApiVersion = "batch/v1";
  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;
  bool operator==(const BatchJob&) const = default;
};

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

struct QueueStatus {
  std::string state;  // Open | Closed | Closing | Unknown
  ResourceList allocated;
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
  bool operator==(const LifecyclePolicy&) const = default;
};

struct TaskSpec {
  std::string name;
  std::int32_t replicas = 1;
  std::optional<std::int32_t> minAvailable;  // replicas when absent
  PodTemplateSpec template_;
  std::vector<LifecyclePolicy> policies;
  bool operator==(const TaskSpec&) const = default;
};

struct VcJobSpec {
  std::string schedulerName;
  std::optional<std::int32_t> minAvailable;  // sum of the tasks' when absent
  std::vector<TaskSpec> tasks;
  std::vector<LifecyclePolicy> policies;
  std::string queue;
  std::optional<std::int32_t> maxRetry;  // 3 when absent
  std::string priorityClassName;
  bool operator==(const VcJobSpec&) const = default;
};

struct VcJobState {
  std::string phase;  // Pending | Running | Aborting | Aborted | Restarting | Completed | Failed | ...
  std::string reason;
  std::string message;
  bool operator==(const VcJobState&) const = default;
};

struct VcJobStatus {
  VcJobState state;
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t terminating = 0;
  std::int32_t retryCount = 0;
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

// Every kind tidegate knows. The order is the order in which objects are applied when they arrive together.
using Object = std::variant<PriorityClass, Node, HyperNode, Queue, PodDisruptionBudget, PodGroup, VcJob,
                            BatchJob, Deployment, Recall, Pod, ConfigMap>;

// Names an object of a kind: "Pod", "default", "web-0".
struct ObjectRef {
  std::string kind;  // as kKind; the two Jobs differ by apiVersion
  std::string apiVersion;
  std::string namespace_;
  std::string name;
  bool operator==(const ObjectRef&) const = default;
  auto operator<=>(const ObjectRef&) const = default;
};

const ObjectMeta& metadataOf(const Object& object);
ObjectMeta& metadataOf(Object& object);
ObjectRef refOf(const Object& object);

}  // namespace tidegate::api
