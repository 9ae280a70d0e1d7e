// What goes into the brain and what comes out of it. Worlds (src/world/*) carry both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/objects.hpp"
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
};

// A merge patch of our own fields only.
struct Patch {
  api::ObjectRef target;
  std::string uid;
  std::map<std::string, std::optional<std::string>> annotations;  // nullopt removes
  std::optional<bool> suspend;                                    // batch Job: spec.suspend
  std::optional<std::int32_t> replicas;     // Deployment: spec.replicas; batch Job: spec.parallelism
  std::optional<api::Condition> condition;  // PodGroup, Pod: status.conditions, by type
};

struct DeletePod {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::int64_t graceSeconds = 30;
  bool viaEviction = false;  // Eviction API: respects PodDisruptionBudgets
};

// Creates the record, or replaces it (resourceVersion in the metadata is the precondition; empty: create).
struct WriteRecall {
  api::Recall recall;
};
struct DeleteRecall {
  std::string name;
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
};

struct Emit {  // a Kubernetes event
  api::ObjectRef about;
  bool warning = false;
  std::string reason;
  std::string message;
};

struct WakeAt {
  Time at;
};

using Action = std::variant<Bind, Patch, DeletePod, WriteRecall, DeleteRecall, Signal, Emit, WakeAt>;

struct Command {
  CommandId id = 0;
  Action action;
};

}  // namespace tidegate
