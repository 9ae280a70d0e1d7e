// The schema: for each type of objects.hpp its fields under their API names. Reading, writing and comparing
// all go through these descriptions, so a field is named in one place.
//
// A visitor V is called
//   v(name, &T::member)                  a field
//   v(name, &T::member, Range)           an integer and what it may be
//   v.nested(outer, inner, &T::member)   a text that stands one level deeper
//   v.eitherForm(name, inner, &T::member) a resource list, flat or nested under `inner`
//   v.withText(name, &T::member, &T::text) a field that is also kept as the JSON text it was written as
//   v.asText(name, &T::text)             a map that is kept as the JSON text it was written as, and only so
//   v.known(names)                       fields of the API that tidegate does not use; they pass without a
//   word v.strict(hint)                       any other name is an error, not a warning: in these types a
//   field that is
//                                        silently dropped is a limit silently dropped
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "api/objects.hpp"

namespace tidegate::api {

// What an integer field may be.
struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
inline constexpr Range kFromZero{.low = 0};
// More pods of one object than a cluster can hold: a slip, and its sums would overflow.
inline constexpr Range kReplicas{.low = 0, .high = 1'000'000};

using Names = std::initializer_list<const char*>;

// Selects the description of T.
template <class T>
struct Of {};

// ---- metadata
// ----------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<OwnerReference>) {
  v("apiVersion", &OwnerReference::apiVersion);
  v("kind", &OwnerReference::kind);
  v("name", &OwnerReference::name);
  v("uid", &OwnerReference::uid);
  v("controller", &OwnerReference::controller);
  v.known({"blockOwnerDeletion"});
}

template <class V>
void fields(V& v, Of<ObjectMeta>) {
  v("name", &ObjectMeta::name);
  v("namespace", &ObjectMeta::namespace_);
  v("uid", &ObjectMeta::uid);
  v("resourceVersion", &ObjectMeta::resourceVersion);
  v("creationTimestamp", &ObjectMeta::creationTimestamp);
  v("deletionTimestamp", &ObjectMeta::deletionTimestamp);
  v("deletionGracePeriodSeconds", &ObjectMeta::deletionGracePeriodSeconds);
  v("labels", &ObjectMeta::labels);
  v("annotations", &ObjectMeta::annotations);
  v("ownerReferences", &ObjectMeta::ownerReferences);
  v("finalizers", &ObjectMeta::finalizers);
  v.known({"generateName", "generation", "managedFields", "selfLink", "clusterName", "initializers"});
}

template <class V>
void fields(V& v, Of<Condition>) {
  v("type", &Condition::type);
  v("status", &Condition::status);
  v("reason", &Condition::reason);
  v("message", &Condition::message);
  v("lastTransitionTime", &Condition::lastTransitionTime);
  v.known({"lastProbeTime", "lastHeartbeatTime", "lastUpdateTime", "observedGeneration", "transitionID"});
}

template <class V>
void fields(V& v, Of<LabelSelectorRequirement>) {
  v("key", &LabelSelectorRequirement::key);
  v("operator", &LabelSelectorRequirement::operator_);
  v("values", &LabelSelectorRequirement::values);
}

template <class V>
void fields(V& v, Of<LabelSelector>) {
  v("matchLabels", &LabelSelector::matchLabels);
  v("matchExpressions", &LabelSelector::matchExpressions);
}

// ---- core/v1
// -----------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<Taint>) {
  v("key", &Taint::key);
  v("value", &Taint::value);
  v("effect", &Taint::effect);
  v.known({"timeAdded"});
}

template <class V>
void fields(V& v, Of<NodeSpec>) {
  v("unschedulable", &NodeSpec::unschedulable);
  v("taints", &NodeSpec::taints);
  v.known({"podCIDR", "podCIDRs", "providerID", "configSource", "externalID"});
}

template <class V>
void fields(V& v, Of<NodeStatus>) {
  v("capacity", &NodeStatus::capacity);
  v("allocatable", &NodeStatus::allocatable);
  v("conditions", &NodeStatus::conditions);
  v.known({"addresses", "daemonEndpoints", "images", "nodeInfo", "phase", "volumesAttached", "volumesInUse",
           "config", "runtimeHandlers", "features", "declaredFeatures"});
}

template <class V>
void fields(V& v, Of<Node>) {
  v("metadata", &Node::metadata);
  v("spec", &Node::spec);
  v("status", &Node::status);
}

template <class V>
void fields(V& v, Of<Toleration>) {
  v("key", &Toleration::key);
  v("operator", &Toleration::operator_);
  v("value", &Toleration::value);
  v("effect", &Toleration::effect);
  v("tolerationSeconds", &Toleration::tolerationSeconds);
}

template <class V>
void fields(V& v, Of<NodeSelectorTerm>) {
  v("matchExpressions", &NodeSelectorTerm::matchExpressions);
  v("matchFields", &NodeSelectorTerm::matchFields);
}

template <class V>
void fields(V& v, Of<NodeSelector>) {
  v("nodeSelectorTerms", &NodeSelector::nodeSelectorTerms);
}

template <class V>
void fields(V& v, Of<PreferredSchedulingTerm>) {
  v("weight", &PreferredSchedulingTerm::weight);
  v("preference", &PreferredSchedulingTerm::preference);
}

template <class V>
void fields(V& v, Of<NodeAffinity>) {
  v("requiredDuringSchedulingIgnoredDuringExecution",
    &NodeAffinity::requiredDuringSchedulingIgnoredDuringExecution);
  v("preferredDuringSchedulingIgnoredDuringExecution",
    &NodeAffinity::preferredDuringSchedulingIgnoredDuringExecution);
}

template <class V>
void fields(V& v, Of<Affinity>) {
  v("nodeAffinity", &Affinity::nodeAffinity);
  v.known({"podAffinity", "podAntiAffinity"});
}

template <class V>
void fields(V& v, Of<ResourceRequirements>) {
  v("requests", &ResourceRequirements::requests);
  v("limits", &ResourceRequirements::limits);
  v.known({"claims"});
}

template <class V>
void fields(V& v, Of<EnvVar>) {
  v("name", &EnvVar::name);
  v("value", &EnvVar::value);
  v.known({"valueFrom"});
}

template <class V>
void fields(V& v, Of<Container>) {
  v("name", &Container::name);
  v("image", &Container::image);
  v("command", &Container::command);
  v("args", &Container::args);
  v("env", &Container::env);
  v("resources", &Container::resources);
  v("restartPolicy", &Container::restartPolicy);
  v.known({"workingDir", "ports", "envFrom", "volumeMounts", "volumeDevices", "livenessProbe",
           "readinessProbe", "startupProbe", "lifecycle", "terminationMessagePath",
           "terminationMessagePolicy", "imagePullPolicy", "securityContext", "stdin", "stdinOnce", "tty",
           "resizePolicy", "restartPolicyRules"});
}

template <class V>
void fields(V& v, Of<PodSpec>) {
  v("nodeName", &PodSpec::nodeName);
  v("schedulerName", &PodSpec::schedulerName);
  v("priorityClassName", &PodSpec::priorityClassName);
  v("priority", &PodSpec::priority);
  v("preemptionPolicy", &PodSpec::preemptionPolicy);
  v("terminationGracePeriodSeconds", &PodSpec::terminationGracePeriodSeconds, kFromZero);
  v("restartPolicy", &PodSpec::restartPolicy);
  v("nodeSelector", &PodSpec::nodeSelector);
  v("affinity", &PodSpec::affinity);
  v("tolerations", &PodSpec::tolerations);
  v("containers", &PodSpec::containers);
  v("initContainers", &PodSpec::initContainers);
  v("overhead", &PodSpec::overhead);
  v.known({"volumes",
           "ephemeralContainers",
           "activeDeadlineSeconds",
           "dnsPolicy",
           "serviceAccountName",
           "serviceAccount",
           "automountServiceAccountToken",
           "hostNetwork",
           "hostPID",
           "hostIPC",
           "hostUsers",
           "shareProcessNamespace",
           "securityContext",
           "imagePullSecrets",
           "hostname",
           "subdomain",
           "hostAliases",
           "dnsConfig",
           "readinessGates",
           "runtimeClassName",
           "enableServiceLinks",
           "topologySpreadConstraints",
           "setHostnameAsFQDN",
           "os",
           "schedulingGates",
           "resourceClaims",
           "resources",
           "hostnameOverride",
           "workloadRef"});
}

template <class V>
void fields(V& v, Of<ContainerTerminated>) {
  v("exitCode", &ContainerTerminated::exitCode);
  v.known({"signal", "reason", "message", "startedAt", "finishedAt", "containerID"});
}

template <class V>
void fields(V& v, Of<ContainerState>) {
  v("terminated", &ContainerState::terminated);
  v.known({"waiting", "running"});
}

template <class V>
void fields(V& v, Of<ContainerStatus>) {
  v("name", &ContainerStatus::name);
  v("restartCount", &ContainerStatus::restartCount);
  v("state", &ContainerStatus::state);
  v.known({"lastState", "ready", "image", "imageID", "containerID", "started", "allocatedResources",
           "resources", "volumeMounts", "user", "allocatedResourcesStatus", "stopSignal"});
}

template <class V>
void fields(V& v, Of<PodStatus>) {
  v("phase", &PodStatus::phase);
  v("reason", &PodStatus::reason);
  v("message", &PodStatus::message);
  v("conditions", &PodStatus::conditions);
  v("startTime", &PodStatus::startTime);
  v("nominatedNodeName", &PodStatus::nominatedNodeName);
  v("containerStatuses", &PodStatus::containerStatuses);
  v.known({"hostIP", "hostIPs", "podIP", "podIPs", "initContainerStatuses", "ephemeralContainerStatuses",
           "qosClass", "resize", "resourceClaimStatuses", "observedGeneration", "extendedResourceClaimStatus",
           "allocatedResources", "resources"});
}

template <class V>
void fields(V& v, Of<Pod>) {
  v("metadata", &Pod::metadata);
  v("spec", &Pod::spec);
  v("status", &Pod::status);
}

template <class V>
void fields(V& v, Of<PodTemplateSpec>) {
  v("metadata", &PodTemplateSpec::metadata);
  v("spec", &PodTemplateSpec::spec);
}

template <class V>
void fields(V& v, Of<Namespace>) {
  v("metadata", &Namespace::metadata);
}

template <class V>
void fields(V& v, Of<ConfigMap>) {
  v("metadata", &ConfigMap::metadata);
  v("data", &ConfigMap::data);
  v.known({"binaryData", "immutable"});
}

}  // namespace tidegate::api

// The descriptions of the workload kinds, and of Volcano's and tidegate's own, are in files of their own for
// size only.
#include "api/fields_custom.hpp"
#include "api/fields_workloads.hpp"
