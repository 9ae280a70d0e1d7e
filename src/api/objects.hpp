// Kubernetes and Volcano objects as plain values: the fields tidegate reads or writes, under their API names.
// Field by field descriptions: api/fields.hpp (one visitor per type, which reading, writing and comparing
// share).
#pragma once

#include <string>
#include <variant>

#include "api/objects_core.hpp"
#include "api/objects_custom.hpp"
#include "api/objects_workloads.hpp"

namespace tidegate::api {

// Every kind tidegate knows. The order is the order in which objects are applied when they arrive together.
using Object = std::variant<PriorityClass, Namespace, Node, HyperNode, Queue, PodDisruptionBudget, PodGroup,
                            VcJob, BatchJob, Deployment, StatefulSet, ReplicaSet, Recall, SuspendedPod, Pod,
                            ConfigMap, BusCommand>;

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
