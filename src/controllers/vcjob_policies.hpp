// What a job does about what happens to its pods: life cycle policies, looked up as Volcano does: the task's
// own in their order, then the job's; by event ("*": any of PodFailed, PodEvicted, Unknown, TaskCompleted,
// TaskFailed) or by exit code. Source: Volcano's pkg/controllers/job/job_controller_util.go and
// docs on job policies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.hpp"
#include "core/time.hpp"

namespace tidegate::vcjob {

// In the order of how far they reach: the last of several that come together decides.
enum class JobAction : std::uint8_t {
  Sync,  // make and count pods, nothing else
  RestartPod,
  RestartPartition,
  RestartTask,
  ResumeJob,
  RestartJob,
  CompleteJob,
  TerminateJob,
  AbortJob,
};

namespace event {
inline constexpr const char* kPodFailed = "PodFailed";
inline constexpr const char* kPodEvicted = "PodEvicted";
inline constexpr const char* kPodPending = "PodPending";
inline constexpr const char* kUnknown = "Unknown";
inline constexpr const char* kTaskCompleted = "TaskCompleted";
inline constexpr const char* kTaskFailed = "TaskFailed";
inline constexpr const char* kJobUpdated = "JobUpdated";
}  // namespace event

std::optional<JobAction> parseAction(std::string_view text);
std::string_view textOf(JobAction action);
bool isUsableEvent(std::string_view name);  // may stand in a policy

// Something that has happened to a pod, a task or the job.
struct JobEvent {
  std::string name;
  std::size_t task = 0;  // past the last task: of the whole job
  std::string pod;       // its name, if it is about one
  std::string podUid;
  std::int32_t exitCode = 0;
};

struct Answer {
  JobAction action = JobAction::Sync;
  Duration delay{0};
};
Answer answerTo(const api::VcJob& job, const JobEvent& event);

// How long a pod may be pending before its PodPending policy acts; nullopt: there is no such policy.
std::optional<Answer> pendingPolicy(const api::VcJob& job, std::size_t task);
// A policy of the job names this event itself (not by "*").
bool namesEvent(const api::VcJob& job, std::string_view event);

}  // namespace tidegate::vcjob
