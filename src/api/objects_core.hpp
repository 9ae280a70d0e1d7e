// Kubernetes objects as plain values (continued in objects_workloads.hpp and objects_custom.hpp; all of them
// together: objects.hpp). Sources: k8s.io/api core/v1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

struct ContainerTerminated {
  std::int32_t exitCode = 0;
  bool operator==(const ContainerTerminated&) const = default;
};

struct ContainerState {
  std::optional<ContainerTerminated> terminated;
  bool operator==(const ContainerState&) const = default;
};

struct ContainerStatus {
  std::string name;
  std::int32_t restartCount = 0;
  ContainerState state;
  bool operator==(const ContainerStatus&) const = default;
};

struct PodStatus {
  std::string phase;  // Pending | Running | Succeeded | Failed | Unknown
  std::string reason;
  std::string message;
  std::vector<Condition> conditions;
  std::optional<Time> startTime;
  std::string nominatedNodeName;
  std::vector<ContainerStatus> containerStatuses;
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

struct Namespace {
  static constexpr const char* kKind = "Namespace";
  static constexpr const char* kApiVersion = "v1";
  ObjectMeta metadata;
  bool operator==(const Namespace&) const = default;
};

struct ConfigMap {
  static constexpr const char* kKind = "ConfigMap";
  static constexpr const char* kApiVersion = "v1";
  ObjectMeta metadata;
  StringMap data;
  bool operator==(const ConfigMap&) const = default;
};

}  // namespace tidegate::api
