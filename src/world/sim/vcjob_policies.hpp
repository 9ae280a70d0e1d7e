// What a vcjob does about its pods' ends: life cycle policies, as Volcano looks them up (the task's own, then
// the job's; by exit code or by event; "*" for any event).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/objects.hpp"

namespace tidegate::sim {

enum class JobAction : std::uint8_t {
  Sync,
  RestartPod,
  RestartTask,
  RestartJob,
  CompleteJob,
  TerminateJob,
  AbortJob
};

// Something that has happened to a pod or a task of the job.
struct JobEvent {
  std::string name;  // PodEvicted | PodFailed | TaskCompleted
  std::size_t task = 0;
};

JobAction actionFor(const api::VcJob& job, const JobEvent& event);

// The action that settles several events of one moment: the most far-reaching one.
struct Verdict {
  JobAction action = JobAction::Sync;
  std::vector<std::size_t> tasks;  // to restart, for RestartTask
};
Verdict judge(const api::VcJob& job, const std::vector<JobEvent>& events);

std::int32_t taskMinimum(const api::TaskSpec& task);
std::int32_t jobMinimum(const api::VcJob& job);
std::int32_t jobReplicas(const api::VcJob& job);

}  // namespace tidegate::sim
