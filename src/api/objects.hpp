// Kubernetes and Volcano objects as plain values: the fields tidegate reads or writes, under their API names.
// Field by field descriptions: api/fields.hpp (one visitor per type, which reading, writing and comparing
// share).
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "api/objects_core.hpp"
#include "api/objects_custom.hpp"
#include "api/objects_workloads.hpp"
#include "api/operators.hpp"

namespace tidegate::api {

template <class Rows>
struct Kinds;
template <std::size_t... Row>
struct Kinds<std::index_sequence<Row...>> {
  using Object = std::variant<PriorityClass, Namespace, Node, HyperNode, Queue, PodDisruptionBudget, PodGroup,
                              VcJob, BatchJob, Deployment, StatefulSet, ReplicaSet, OperatorJobOf<Row>...,
                              Recall, SuspendedPod, Pod, ConfigMap, BusCommand>;
};

// Every kind tidegate knows. The order is the order in which objects are applied when they arrive together.
using Object = Kinds<std::make_index_sequence<kOperatorRows>>::Object;

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

// Of an operator's job; nullptr if it is none.
const OperatorJob* operatorJobIn(const Object& object);
OperatorJob* operatorJobIn(Object& object);
// The row of its kind and version.
std::optional<std::size_t> operatorRowOf(const Object& object);
Object makeOperatorJob(std::size_t row, OperatorJob job);

}  // namespace tidegate::api
