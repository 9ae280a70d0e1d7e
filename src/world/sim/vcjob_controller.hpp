// Volcano's job controller: PodGroup, pods, policies, retries; and tidegate's suspension of a vcjob.
//
// - PodGroup "<job>-<uid>", pods "<job>-<task>-<index>"; a pod is created only while its name is free.
// - An evicted pod (deletionTimestamp set by anybody else) or a failed one is an event for the policies.
// Without a
//   policy an evicted pod is created anew and a failed one stays. All events of one moment make one restart,
//   which counts one retry; what the controller deletes itself is no event. With maxRetry reached the job is
//   Failed.
// - Annotation tidegate.dev/suspend: no pod is created, those left are deleted with their own grace, nothing
// counts as
//   a retry; the phase is Suspending until the last pod is gone, then Suspended. Without it the job goes on
//   as Pending.
// - Annotation tidegate.dev/replicas-limit: N: pods are created only up to N living ones.
// - New pods get the last checkpoint that the job (or else its PodGroup) is annotated with, as annotation
//   tidegate.dev/last-checkpoint and environment TIDEGATE_RESUME_FROM.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "world/sim/controller.hpp"
#include "world/sim/vcjob_policies.hpp"

namespace tidegate::sim {

namespace vcjob_phase {
inline constexpr const char* kPending = "Pending";
inline constexpr const char* kRunning = "Running";
inline constexpr const char* kRestarting = "Restarting";
inline constexpr const char* kSuspending = "Suspending";  // tidegate's own two
inline constexpr const char* kSuspended = "Suspended";
inline constexpr const char* kCompleting = "Completing";
inline constexpr const char* kCompleted = "Completed";
inline constexpr const char* kTerminating = "Terminating";
inline constexpr const char* kTerminated = "Terminated";
inline constexpr const char* kAborting = "Aborting";
inline constexpr const char* kAborted = "Aborted";
inline constexpr const char* kFailed = "Failed";
}  // namespace vcjob_phase

std::string podGroupName(const api::VcJob& job);

// How many living pods the job may have: all, or what it is shrunk to.
std::int32_t replicasLimit(const api::VcJob& job);

class VcJobController : public OwnerController<api::VcJob> {
 public:
  using OwnerController::OwnerController;

 private:
  struct Memory {
    std::map<std::string, std::size_t> living;  // uid -> task of pods whose end would be an event
    std::set<std::string> removed;              // pods this controller has deleted
    std::set<std::size_t> completedTasks;
  };

  void reconcile(const api::VcJob& job) override;
  void forget(const std::string& uid) override { memory_.erase(uid); }

  std::vector<JobEvent> events(Memory& memory, const api::VcJob& job, const std::vector<PodPtr>& pods);
  std::vector<JobEvent> completions(Memory& memory, const api::VcJob& job, const std::vector<PodPtr>& pods);
  void act(Memory& memory, const api::VcJob& job, const Verdict& verdict, const std::vector<PodPtr>& pods,
           api::VcJobStatus& status);
  void restart(Memory& memory, const api::VcJob& job, const Verdict& verdict, const std::vector<PodPtr>& pods,
               api::VcJobStatus& status);
  void clearEnded(Memory& memory, const api::VcJob& job, const std::vector<PodPtr>& pods);
  void removePods(Memory& memory, const std::vector<PodPtr>& pods);
  void ensureGroup(const api::VcJob& job);
  void createPods(Memory& memory, const api::VcJob& job);
  api::Pod makePod(const api::VcJob& job, const api::TaskSpec& task, const std::string& name) const;
  void writeGroupStatus(const api::VcJob& job, const api::VcJobStatus& status);

  std::map<std::string, Memory> memory_;  // by uid of the job
};

}  // namespace tidegate::sim
