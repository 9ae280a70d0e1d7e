// What policies and bus Commands do to a job.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "controllers/vcjob_status.hpp"
#include "controllers/vcjob_step.hpp"

namespace tidegate::vcjob {

namespace {

bool isRestart(JobAction action) {
  return action == JobAction::RestartJob || action == JobAction::RestartTask ||
         action == JobAction::RestartPartition || action == JobAction::RestartPod;
}

// Partitions are not kept apart: one restarts with its task.
bool isTarget(const api::VcJob& job, const PodView& pod, const JobEvent& event, JobAction action) {
  if (action == JobAction::RestartPod) return pod.name == event.pod;
  return event.task < job.spec.tasks.size() && pod.task == job.spec.tasks[event.task].name;
}

}  // namespace

JobStep::Verdict JobStep::judge(const std::vector<JobEvent>& happened) {
  Verdict verdict;
  const auto consider = [&](JobAction action, const JobEvent& event) {
    if (action == JobAction::Sync || action < verdict.action) return;
    if (action > verdict.action) verdict.events.clear();
    verdict.action = action;
    verdict.events.push_back(event);
  };
  const JobEvent ofJob{
      .name = {}, .task = book_.job->spec.tasks.size(), .pod = {}, .podUid = {}, .exitCode = 0};
  for (const JobAction order : std::exchange(book_.commands, {})) consider(order, ofJob);
  if (std::exchange(book_.rejected, false)) consider(JobAction::TerminateJob, ofJob);
  for (const JobEvent& event : happened) {
    const Answer answer = answerTo(*book_.job, event);
    const bool isTimed = answer.delay > Duration{0} && event.name != event::kPodPending;
    if (isTimed) {
      delay(event, answer);
    } else {
      consider(answer.action, event);
    }
  }
  for (const JobEvent& event : takeDue()) consider(answerTo(*book_.job, event).action, event);
  return verdict;
}

void JobStep::delay(const JobEvent& event, const Answer& answer) {
  if (answer.action == JobAction::Sync) return;
  book_.delayed.push_back({.due = context_.now + answer.delay,
                           .event = event,
                           .action = answer.action,
                           .version = book_.status.version});
}

std::vector<JobEvent> JobStep::takeDue() {
  std::vector<JobEvent> due;
  std::erase_if(book_.delayed, [&](const Delayed& waiting) {
    if (waiting.version < book_.status.version) return true;  // all its pods have been stopped since
    if (waiting.due > context_.now) return false;
    due.push_back(waiting.event);
    return true;
  });
  for (const Delayed& waiting : book_.delayed) wake(waiting.due);
  return due;
}

void JobStep::act(const Verdict& verdict) {
  const std::string& phase = book_.status.state.phase;
  const bool isLive = phase == phase::kPending || phase == phase::kRunning || phase == phase::kRestarting;
  const bool isAborted = phase == phase::kAborting || phase == phase::kAborted;
  if (isAborted && verdict.action == JobAction::ResumeJob) {
    ++book_.status.retryCount;
    return stopAll(phase::kRestarting, verdict.action);
  }
  if (!isLive) return;
  if (isRestart(verdict.action) && !isSuspended(*book_.job)) return restart(verdict);
  if (verdict.action == JobAction::AbortJob) stopAll(phase::kAborting, verdict.action);
  if (verdict.action == JobAction::TerminateJob) stopAll(phase::kTerminating, verdict.action);
  if (verdict.action == JobAction::CompleteJob) stopAll(phase::kCompleting, verdict.action);
}

// All events of one moment, and those that come while it restarts, make one restart and one retry.
void JobStep::restart(const Verdict& verdict) {
  const bool already = book_.status.state.phase == phase::kRestarting;
  if (!already) ++book_.status.retryCount;
  if (verdict.action == JobAction::RestartJob) return stopAll(phase::kRestarting, verdict.action);
  for (const auto& [name, pod] : book_.pods) {
    const bool hit = std::ranges::any_of(verdict.events, [&](const JobEvent& event) {
      return isTarget(*book_.job, pod, event, verdict.action);
    });
    if (hit) kill(pod, true);
  }
  if (already) return;
  book_.completedTasks.clear();
  book_.failedTasks.clear();
  enter({.phase = phase::kRestarting, .reason = std::string(textOf(verdict.action)), .message = {}});
  emit(false, std::string(textOf(verdict.action)), "pods of the job are restarted");
}

// Every pod the job has belongs to an older version from now on.
void JobStep::stopAll(const char* phase, JobAction action) {
  ++book_.status.version;
  book_.delayed.clear();
  book_.completedTasks.clear();
  book_.failedTasks.clear();
  if (book_.group) book_.deadGroup = book_.group->metadata.uid;
  enter({.phase = phase, .reason = std::string(textOf(action)), .message = {}});
  emit(false, std::string(textOf(action)), fmt::format("the job is {}", phase));
}

}  // namespace tidegate::vcjob
