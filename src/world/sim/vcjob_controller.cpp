#include "world/sim/vcjob_controller.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

namespace phase = vcjob_phase;

bool isFinal(const std::string& phase) {
  return phase == phase::kCompleted || phase == phase::kTerminated || phase == phase::kAborted ||
         phase == phase::kFailed;
}

bool hasPods(const std::vector<PodPtr>& pods) {
  return std::ranges::any_of(pods, [](const PodPtr& pod) { return !isTerminal(*pod); });
}

bool hasTerminating(const std::vector<PodPtr>& pods) {
  return std::ranges::any_of(pods, [](const PodPtr& pod) { return isTerminating(*pod); });
}

std::size_t taskOf(const api::VcJob& job, const api::Pod& pod) {
  const auto label = pod.metadata.labels.find(api::names::kTaskSpec);
  const std::string task = label == pod.metadata.labels.end() ? "" : label->second;
  const auto found = std::ranges::find(job.spec.tasks, task, &api::TaskSpec::name);
  return static_cast<std::size_t>(found - job.spec.tasks.begin());
}

void countPods(const std::vector<PodPtr>& pods, api::VcJobStatus& status) {
  status.pending = status.running = status.succeeded = status.failed = status.terminating = 0;
  for (const PodPtr& pod : pods) {
    if (isTerminating(*pod)) {
      ++status.terminating;
    } else if (pod->status.phase == "Succeeded") {
      ++status.succeeded;
    } else if (pod->status.phase == "Failed") {
      ++status.failed;
    } else {
      ++(pod->status.phase == "Running" ? status.running : status.pending);
    }
  }
}

// Phases that only wait for pods to go.
std::string afterDraining(const std::string& phase) {
  if (phase == phase::kAborting) return phase::kAborted;
  if (phase == phase::kTerminating) return phase::kTerminated;
  if (phase == phase::kCompleting) return phase::kCompleted;
  if (phase == phase::kRestarting || phase == phase::kSuspending || phase == phase::kSuspended)
    return phase::kPending;
  return {};
}

std::string nextPhase(const api::VcJob& job, const api::VcJobStatus& status) {
  const std::int32_t minimum = std::min(jobMinimum(job), replicasLimit(job));
  const std::int32_t finished = status.succeeded + status.failed;
  if (finished > 0 && status.running + status.pending + status.terminating == 0 && finished >= minimum) {
    return status.succeeded >= minimum ? phase::kCompleted : phase::kFailed;
  }
  return status.running + finished >= minimum ? phase::kRunning : phase::kPending;
}

}  // namespace

void VcJobController::reconcile(const api::VcJob& job) {
  Memory& memory = memory_[job.metadata.uid];
  const std::vector<PodPtr> pods = api().store().podsOwnedBy(job.metadata.uid);
  api::VcJobStatus status = job.status;
  countPods(pods, status);
  std::vector<JobEvent> happened = events(memory, job, pods);
  if (status.state.phase.empty()) status.state.phase = phase::kPending;
  if (isFinal(status.state.phase)) {
    removePods(memory, pods);
  } else if (job.metadata.annotations.contains(api::names::kSuspend)) {
    removePods(memory, pods);
    clearEnded(memory, job, pods);
    status.state.phase = hasPods(pods) ? phase::kSuspending : phase::kSuspended;
  } else if (const std::string next = afterDraining(status.state.phase); !next.empty()) {
    if (!hasPods(pods) || (next == phase::kPending && !hasTerminating(pods))) status.state.phase = next;
  } else {
    act(memory, job, judge(job, happened), pods, status);
  }
  if (status.state.phase == phase::kPending || status.state.phase == phase::kRunning) {
    ensureGroup(job);
    createPods(memory, job);
  }
  writeGroupStatus(job, status);
  api().modify<api::VcJob>(keyOf(job.metadata), job.metadata.uid,
                           [&](api::VcJob& it) { it.status = status; });
}

// What has happened to pods since the last look, apart from what this controller did itself.
std::vector<JobEvent> VcJobController::events(Memory& memory, const api::VcJob& job,
                                              const std::vector<PodPtr>& pods) {
  std::vector<JobEvent> happened;
  std::map<std::string, std::size_t> living;
  for (const PodPtr& pod : pods) {
    const std::string& uid = pod->metadata.uid;
    if (memory.removed.contains(uid)) continue;
    const std::size_t task = taskOf(job, *pod);
    const bool known = memory.living.erase(uid) > 0;
    if (isActive(*pod)) {
      living.emplace(uid, task);
    } else if (known && isTerminating(*pod)) {
      happened.push_back({"PodEvicted", task});
    } else if (known && pod->status.phase == "Failed") {
      happened.push_back({"PodFailed", task});
    }
  }
  for (const auto& [uid, task] : memory.living) {
    if (!memory.removed.contains(uid)) happened.push_back({"PodEvicted", task});  // gone at once
  }
  memory.living = std::move(living);
  // A job that is shrunk on purpose does not mourn the pods above its limit.
  if (static_cast<std::int32_t>(memory.living.size()) >= replicasLimit(job)) {
    std::erase_if(happened, [](const JobEvent& event) { return event.name == "PodEvicted"; });
  }
  std::ranges::copy(completions(memory, job, pods), std::back_inserter(happened));
  return happened;
}

std::vector<JobEvent> VcJobController::completions(Memory& memory, const api::VcJob& job,
                                                   const std::vector<PodPtr>& pods) {
  std::vector<std::int32_t> succeeded(job.spec.tasks.size() + 1);
  for (const PodPtr& pod : pods) {
    if (pod->status.phase == "Succeeded" && !isTerminating(*pod)) ++succeeded[taskOf(job, *pod)];
  }
  std::vector<JobEvent> happened;
  for (std::size_t task = 0; task < job.spec.tasks.size(); ++task) {
    const std::int32_t replicas = job.spec.tasks[task].replicas;
    if (replicas > 0 && succeeded[task] >= replicas && memory.completedTasks.insert(task).second) {
      happened.push_back({"TaskCompleted", task});
    }
  }
  return happened;
}

void VcJobController::act(Memory& memory, const api::VcJob& job, const Verdict& verdict,
                          const std::vector<PodPtr>& pods, api::VcJobStatus& status) {
  const auto drainInto = [&](const char* phase) {
    removePods(memory, pods);
    status.state.phase = phase;
  };
  switch (verdict.action) {
    case JobAction::Sync:
    case JobAction::RestartPod:  // creating the missing pod anew is all there is to it
      status.state.phase = nextPhase(job, status);
      return;
    case JobAction::RestartTask:
    case JobAction::RestartJob:
      return restart(memory, job, verdict, pods, status);
    case JobAction::CompleteJob:
      return drainInto(phase::kCompleting);
    case JobAction::TerminateJob:
      return drainInto(phase::kTerminating);
    case JobAction::AbortJob:
      return drainInto(phase::kAborting);
  }
}

void VcJobController::restart(Memory& memory, const api::VcJob& job, const Verdict& verdict,
                              const std::vector<PodPtr>& pods, api::VcJobStatus& status) {
  ++status.retryCount;
  const bool givesUp = status.retryCount >= job.spec.maxRetry.value_or(3);
  const bool whole = verdict.action == JobAction::RestartJob || givesUp;
  std::vector<PodPtr> targets;
  std::ranges::copy_if(pods, std::back_inserter(targets), [&](const PodPtr& pod) {
    return whole || std::ranges::find(verdict.tasks, taskOf(job, *pod)) != verdict.tasks.end();
  });
  if (!givesUp) clearEnded(memory, job, targets);
  removePods(memory, targets);
  memory.completedTasks.clear();
  status.state.phase = givesUp ? phase::kFailed : phase::kRestarting;
  if (whole) api().remove(refTo<api::PodGroup>(job.metadata.namespace_, podGroupName(job)));
}

// Deletes the ended pods whose names the next start wants: a gang starts whole, from its checkpoint; of
// single pods only those that failed.
void VcJobController::clearEnded(Memory& memory, const api::VcJob& job, const std::vector<PodPtr>& pods) {
  for (const PodPtr& pod : pods) {
    if (!isTerminal(*pod) || (jobMinimum(job) <= 1 && pod->status.phase != "Failed")) continue;
    memory.removed.insert(pod->metadata.uid);
    deletePod(api(), *pod);
  }
}

// Deletes those that live; what has ended stays for its owner to look at.
void VcJobController::removePods(Memory& memory, const std::vector<PodPtr>& pods) {
  for (const PodPtr& pod : pods) {
    if (!isTerminal(*pod)) memory.removed.insert(pod->metadata.uid);
    memory.living.erase(pod->metadata.uid);
    if (isActive(*pod)) deletePod(api(), *pod);
  }
}

}  // namespace tidegate::sim
