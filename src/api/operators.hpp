// Jobs of other projects' operators that can be suspended: one table of what differs between them, and all
// the rest read in one way.
//
// Of such an object only the metadata has a struct; spec and status are kept as the JSON they came as, and
// the few facts that matter are found in them (factsOf). Another operator is one more row.
//
// What each operator does about its suspend flag, as its source has it:
//   JobSet 0.11 (pkg/controllers/jobset_controller.go): suspends its child Jobs, whose controller deletes the
//     pods, each with its own grace; a child Job that is suspended alone is resumed by it at once. Says
//     Suspended as it does so. On resume the same child Jobs go on.
//   Kubeflow training-operator 1.9 (pkg/controller.v1/common/job.go): deletes all pods, each with its own
//     grace, and the PodGroup it has made; says Suspended. On resume it makes both anew.
//   Kubeflow mpi-operator 0.6 (pkg/controller/mpi_job_controller.go): suspends the launcher, a batch Job, and
//     deletes the workers; says Suspended. On resume both come back.
//   KubeRay 1.5, RayCluster (raycluster_controller.go): deletes all pods; says suspended when they are gone.
//   KubeRay 1.5, RayJob (rayjob_controller.go): from Initializing or Running on it deletes its RayCluster and
//     submitter, and says Suspended when both are gone; on resume it makes a new RayCluster. One whose
//     shutdownAfterJobFinishes is not true fails for good if it is suspended (utils/validation.go).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects_core.hpp"

namespace tidegate::api {

// A text of the status, or with `field` empty a condition of that type whose status is "True".
struct StatusMark {
  const char* field = "";
  const char* value = "";  // empty: no such mark
};

struct OperatorKind {
  const char* kind;
  const char* apiVersion;
  const char* plural;
  const char* suspendIn;  // the flag is spec.<suspendIn>.suspend; empty: spec.suspend
  StatusMark stopped;     // it has done what it does about the flag
  std::array<StatusMark, 2> finished;
  const char* needs = "";  // a flag of spec without which it must not be suspended
};

inline constexpr StatusMark kSuspendedMark{.value = "Suspended"};
inline constexpr std::array kKubeflowEnds = {StatusMark{.value = "Succeeded"}, StatusMark{.value = "Failed"}};

// Rows of one kind and group (versions of it that no cluster serves both) stand together.
inline constexpr std::array kOperatorKinds = {
    OperatorKind{.kind = "JobSet",
                 .apiVersion = "jobset.x-k8s.io/v1alpha2",
                 .plural = "jobsets",
                 .suspendIn = "",
                 .stopped = kSuspendedMark,
                 .finished = {StatusMark{.value = "Completed"}, StatusMark{.value = "Failed"}}},
    OperatorKind{.kind = "PyTorchJob",
                 .apiVersion = "kubeflow.org/v1",
                 .plural = "pytorchjobs",
                 .suspendIn = "runPolicy",
                 .stopped = kSuspendedMark,
                 .finished = kKubeflowEnds},
    OperatorKind{.kind = "TFJob",
                 .apiVersion = "kubeflow.org/v1",
                 .plural = "tfjobs",
                 .suspendIn = "runPolicy",
                 .stopped = kSuspendedMark,
                 .finished = kKubeflowEnds},
    OperatorKind{.kind = "MPIJob",
                 .apiVersion = "kubeflow.org/v1",  // of the training operator
                 .plural = "mpijobs",
                 .suspendIn = "runPolicy",
                 .stopped = kSuspendedMark,
                 .finished = kKubeflowEnds},
    OperatorKind{.kind = "MPIJob",
                 .apiVersion = "kubeflow.org/v2beta1",  // of the mpi-operator
                 .plural = "mpijobs",
                 .suspendIn = "runPolicy",
                 .stopped = kSuspendedMark,
                 .finished = kKubeflowEnds},
    OperatorKind{.kind = "RayJob",
                 .apiVersion = "ray.io/v1",
                 .plural = "rayjobs",
                 .suspendIn = "",
                 .stopped = {.field = "jobDeploymentStatus", .value = "Suspended"},
                 .finished = {StatusMark{.field = "jobDeploymentStatus", .value = "Complete"},
                              StatusMark{.field = "jobDeploymentStatus", .value = "Failed"}},
                 .needs = "shutdownAfterJobFinishes"},
    OperatorKind{.kind = "RayCluster",
                 .apiVersion = "ray.io/v1",
                 .plural = "rayclusters",
                 .suspendIn = "",
                 .stopped = {.field = "state", .value = "suspended"},
                 .finished = {}},
};
inline constexpr std::size_t kOperatorRows = kOperatorKinds.size();

struct OperatorJob {
  ObjectMeta metadata;
  std::string spec;    // JSON, as written; empty: none
  std::string status;  // JSON
  bool operator==(const OperatorJob&) const = default;
};

// The same as a kind of its own, for api::Object.
template <std::size_t Row>
struct OperatorJobOf : OperatorJob {
  static constexpr std::size_t kRow = Row;
  static constexpr const char* kKind = kOperatorKinds[Row].kind;
  static constexpr const char* kApiVersion = kOperatorKinds[Row].apiVersion;
  bool operator==(const OperatorJobOf&) const = default;
};
template <class T>
concept AnOperatorJob = requires { T::kRow; };

// The first row of that kind and group, whatever the version: it stands for the kind.
std::optional<std::size_t> operatorKindOf(std::string_view kind, std::string_view apiVersion);

// Pods made from one template.
struct PodShape {
  PodTemplateSpec template_;
  std::int32_t count = 0;
};

struct OperatorFacts {
  bool suspended = false;      // asked to keep no pods
  bool stopped = false;        // says that it has seen to that
  bool finished = false;       // has ended by itself
  bool suspendable = true;     // its operator takes a suspension
  std::vector<PodShape> pods;  // that it has when it runs
};
// Parts that cannot be read are as if they were not there.
OperatorFacts factsOf(std::size_t row, const OperatorJob& job);

// The spec with its flag set.
std::string withSuspend(std::size_t row, const std::string& spec, bool suspend);

}  // namespace tidegate::api
