// What the controller knows of one job: the objects as last seen, its own newer status, and what it has
// begun.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controllers/vcjob_plugins.hpp"
#include "controllers/vcjob_policies.hpp"
#include "controllers/vcjob_spec.hpp"

namespace tidegate::vcjob {

namespace phase {
inline constexpr const char* kPending = "Pending";
inline constexpr const char* kRunning = "Running";
inline constexpr const char* kRestarting = "Restarting";
inline constexpr const char* kAborting = "Aborting";
inline constexpr const char* kAborted = "Aborted";
inline constexpr const char* kCompleting = "Completing";
inline constexpr const char* kCompleted = "Completed";
inline constexpr const char* kTerminating = "Terminating";
inline constexpr const char* kTerminated = "Terminated";
inline constexpr const char* kFailed = "Failed";
}  // namespace phase

// Marks a pod the controller deletes itself, so that its end is no event, also after a restart.
inline constexpr const char* kOutOfSync = "volcano.sh/controller-out-of-sync";
inline constexpr const char* kJobVersion = "volcano.sh/job-version";

enum class PodPhase : std::uint8_t { Pending, Running, Succeeded, Failed, Unknown };
const char* textOf(PodPhase phase);

struct PodView {
  std::string name;
  std::string uid;
  std::string task;
  PodPhase phase = PodPhase::Pending;
  bool terminating = false;
  bool ready = false;
  bool outOfSync = false;
  bool recalled = false;     // tidegate.dev/recalled-by
  std::int32_t version = 0;  // of the job when the pod was made
  std::int32_t exitCode = 0;
  std::int32_t restarts = 0;  // of its containers, together
  std::int64_t grace = 30;
  std::optional<Time> created;

  bool ended() const { return phase == PodPhase::Succeeded || phase == PodPhase::Failed; }
  bool active() const { return !terminating && !ended(); }
};
PodView viewOf(const api::Pod& pod);

// A policy's action that waits for its timeout.
struct Delayed {
  Time due;
  JobEvent event;
  JobAction action = JobAction::Sync;
  std::int32_t version = 0;
};

struct Book {
  std::optional<api::VcJob> job;           // with its defaults; none: only its pods were seen so far
  api::VcJobStatus status;                 // newer than the job's own
  api::VcJobStatus stored;                 // the status the API server has
  api::VcJobStatus sending;                // the status under way
  std::map<std::string, PodView> pods;     // by name
  std::optional<api::PodGroup> group;      // the mirror's
  std::string deadGroup;                   // uid of a PodGroup that is to go
  bool unknownTold = false;                // the group's phase Unknown has been an event
  std::map<std::string, JobEvent> living;  // uid -> the event its sudden end would be
  std::set<std::string> settled;           // uids of pods whose end has been an event, or is none
  std::set<std::string> killed;            // uids of pods this controller stops
  std::set<std::size_t> completedTasks;
  std::set<std::size_t> failedTasks;
  std::vector<Delayed> delayed;
  std::vector<JobAction> commands;  // orders that are to be carried out
  bool updated = false;             // the spec has changed since the last step
  bool rejected = false;            // a pod is refused for good: the job ends
  std::string toldProblem;
  std::map<std::string, Time> asked;     // pods asked for and not seen: when to ask again
  bool extrasDone = false;               // all that plugins and volumes need is there
  std::set<std::string> made;            // intentions of extras that are there
  std::map<std::string, int> conflicts;  // intentions of extras -> times something was there already
  std::string hosts;                     // the ConfigMap's data as it stands; empty: not known
  std::string hostsAsked;                // as sent last
  std::optional<SshKeys> keys;
  std::optional<Time> wakeAt;
  Time nextBatch{};  // of a job of many pods: not looked at before
};

}  // namespace tidegate::vcjob
