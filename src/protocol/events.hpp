// What goes into the brain and what comes out of it. Worlds (src/world/*) carry both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/objects.hpp"
#include "api/pod_copy.hpp"
#include "core/time.hpp"

namespace tidegate {

using CommandId = std::uint64_t;

// ---- events
// ------------------------------------------------------------------------------------------------

struct ObjectSeen {
  api::Object object;
};
struct ObjectGone {
  api::ObjectRef ref;
  std::string uid;
};
enum class Outcome : std::uint8_t {
  Succeeded,
  Conflict,  // resourceVersion or uid precondition failed
  NotFound,
  Rejected,  // refused for good (invalid, forbidden, pod already bound)
  Unknown,   // answer lost: look at the objects again
};
struct CommandDone {
  CommandId id = 0;
  Outcome outcome = Outcome::Succeeded;
  std::string message;
};
struct Tick {};  // a time asked for with WakeAt has come

using Event = std::variant<ObjectSeen, ObjectGone, CommandDone, Tick>;

// ---- commands
// ---------------------------------------------------------------------------------------------- Every
// command is safe to repeat: it carries the uid it means.

struct Bind {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string node;
  bool operator==(const Bind&) const = default;
};

// A merge patch of our own fields only.
struct Patch {
  api::ObjectRef target;
  std::string uid;
  std::map<std::string, std::optional<std::string>> annotations = {};  // nullopt removes
  std::map<std::string, std::optional<std::string>> labels = {};       // nullopt removes
  // batch Job, JobSet, RayJob, RayCluster: spec.suspend; Kubeflow's jobs: spec.runPolicy.suspend
  std::optional<bool> suspend = {};
  // Deployment, StatefulSet: spec.replicas; batch Job: spec.parallelism
  std::optional<std::int32_t> replicas = {};
  std::optional<api::Condition> condition = {};  // PodGroup, Pod: status.conditions, by type
  bool operator==(const Patch&) const = default;
};

struct DeletePod {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::int64_t graceSeconds = 30;
  bool viaEviction = false;  // Eviction API: respects PodDisruptionBudgets
  bool operator==(const DeletePod&) const = default;
};

// Creates the record, or replaces it (resourceVersion in the metadata is the precondition; empty: create).
struct WriteRecall {
  api::Recall recall;
  bool operator==(const WriteRecall&) const = default;
};
struct DeleteRecall {
  std::string name;
  bool operator==(const DeleteRecall&) const = default;
};

// Asks a pod over HTTP to save a checkpoint.
struct Signal {
  std::string namespace_;
  std::string pod;
  std::string uid;
  std::string port;
  std::string path;
  std::string recall;
  Time deadline;
  bool operator==(const Signal&) const = default;
};

struct Emit {  // a Kubernetes event
  api::ObjectRef about;
  bool warning = false;
  std::string reason;
  std::string message;
  bool operator==(const Emit&) const = default;
};

struct WakeAt {
  Time at;
  bool operator==(const WakeAt&) const = default;
};

// Creates an object of any kind. The name must be given: what exists already answers Conflict, so that doing
// it twice changes nothing.
struct Create {
  api::ObjectRef target;
  std::string json;  // the whole object, apiVersion and kind included
  bool operator==(const Create&) const = default;
};

// Deletes an object of any kind but pods that need a grace of their own; what it owns goes in the background.
struct Delete {
  api::ObjectRef target;
  std::string uid;
  bool operator==(const Delete&) const = default;
};

// A merge patch (RFC 7386) of what a controller keeps true of an object it has made: a PodGroup's spec, a
// ConfigMap's data. Never of status, and never of what users write.
struct Merge {
  api::ObjectRef target;
  std::string uid;   // precondition; empty: none
  std::string json;  // {"spec":{"minMember":3}}
  bool operator==(const Merge&) const = default;
};

// A merge patch of the status subresource.
struct WriteStatus {
  api::ObjectRef target;
  std::string uid;
  std::string resourceVersion;  // precondition; empty: none
  std::string statusJson;       // what stands under "status"
  bool operator==(const WriteStatus&) const = default;
};

// Stores a pod, as the server has it at that moment, as the SuspendedPod of its name. The world copies it:
// what is in it passes through no decision. Conflict if there is one already.
struct StorePod {
  std::string namespace_;
  std::string name;
  std::string uid;  // of the pod
  api::SuspendFacts facts;
  bool operator==(const StorePod&) const = default;
};

// Makes the pod that a SuspendedPod holds. Conflict if there is a pod of that name; NotFound if the
// SuspendedPod is gone.
struct RemakePod {
  std::string namespace_;
  std::string name;
  std::string uid;  // of the SuspendedPod
  bool operator==(const RemakePod&) const = default;
};

using Action = std::variant<Bind, Patch, DeletePod, WriteRecall, DeleteRecall, Signal, Emit, WakeAt, Create,
                            Delete, Merge, WriteStatus, StorePod, RemakePod>;

struct Command {
  CommandId id = 0;
  Action action;
};

}  // namespace tidegate
