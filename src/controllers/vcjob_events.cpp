#include "controllers/vcjob_events.hpp"

#include <algorithm>

namespace tidegate::vcjob {

namespace {

JobEvent eventOf(const Book& book, const PodView& pod, const char* name) {
  return {.name = name,
          .task = taskIndex(*book.job, pod.task),
          .pod = pod.name,
          .podUid = pod.uid,
          .exitCode = pod.exitCode};
}

bool isOurs(const Book& book, const PodView& pod) {
  return pod.outOfSync || pod.recalled || pod.version < book.status.version || book.killed.contains(pod.uid);
}

// The end of one pod, if it has come and was not told before.
void lookAt(Book& book, const PodView& pod, std::vector<JobEvent>& happened) {
  const bool silent = isOurs(book, pod) || isSuspended(*book.job);
  const bool wasLiving = book.living.erase(pod.uid) > 0;
  if (pod.active()) {
    if (!silent) book.living.emplace(pod.uid, eventOf(book, pod, event::kPodEvicted));
    return;
  }
  if (!book.settled.insert(pod.uid).second || silent) return;
  if (pod.terminating && (wasLiving || !pod.ended())) {
    happened.push_back(eventOf(book, pod, event::kPodEvicted));
  } else if (pod.phase == PodPhase::Failed) {
    happened.push_back(eventOf(book, pod, event::kPodFailed));
  }
}

// Counts for its task: not on its way out, nor left of a start before. (What has succeeded before a
// suspension still counts once the job runs again.)
bool isCounted(const Book& book, const PodView& pod) {
  const bool isLive =
      book.status.state.phase == phase::kPending || book.status.state.phase == phase::kRunning;
  const bool isOld = pod.version < book.status.version && !isLive;
  return !pod.terminating && !pod.outOfSync && !isOld && !book.killed.contains(pod.uid);
}

void addTaskEvents(Book& book, std::vector<JobEvent>& happened) {
  const auto& tasks = book.job->spec.tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::int32_t succeeded = 0;
    std::int32_t restarts = 0;
    for (const auto& [name, pod] : book.pods) {
      if (pod.task != tasks[i].name || !isCounted(book, pod)) continue;
      if (pod.phase == PodPhase::Succeeded) ++succeeded;
      if (!pod.ended()) restarts += pod.restarts;
    }
    const JobEvent about{.name = {}, .task = i, .pod = {}, .podUid = {}, .exitCode = 0};
    const auto tell = [&](bool is, std::set<std::size_t>& told, const char* name) {
      if (!is) {
        told.erase(i);
      } else if (told.insert(i).second) {
        happened.push_back(about);
        happened.back().name = name;
      }
    };
    const std::int32_t maxRetry = tasks[i].maxRetry.value_or(3);
    tell(tasks[i].replicas > 0 && succeeded >= tasks[i].replicas, book.completedTasks, event::kTaskCompleted);
    tell(maxRetry > 0 && restarts >= maxRetry, book.failedTasks, event::kTaskFailed);
  }
}

void addJobEvents(Book& book, std::vector<JobEvent>& happened) {
  JobEvent about{.name = {}, .task = book.job->spec.tasks.size(), .pod = {}, .podUid = {}, .exitCode = 0};
  const bool unknown = book.group && book.group->status.phase == "Unknown";
  if (unknown && !book.unknownTold && !isSuspended(*book.job)) {
    about.name = event::kUnknown;
    happened.push_back(about);
  }
  book.unknownTold = unknown;
  if (book.updated && namesEvent(*book.job, event::kJobUpdated)) {
    about.name = event::kJobUpdated;
    happened.push_back(about);
  }
  book.updated = false;
}

void forgetGone(Book& book) {
  std::set<std::string> present;
  for (const auto& [name, pod] : book.pods) present.insert(pod.uid);
  const auto gone = [&](const std::string& uid) { return !present.contains(uid); };
  std::erase_if(book.settled, gone);
  std::erase_if(book.killed, gone);
}

}  // namespace

std::vector<JobEvent> takeEvents(Book& book) {
  std::vector<JobEvent> happened;
  std::map<std::string, JobEvent> before = std::exchange(book.living, {});
  for (const auto& [name, pod] : book.pods) {
    if (auto known = before.extract(pod.uid)) book.living.insert(std::move(known));
    lookAt(book, pod, happened);
  }
  for (auto& [uid, end] : before) {  // gone at once
    if (!book.killed.contains(uid) && !isSuspended(*book.job)) happened.push_back(std::move(end));
  }
  // A job that is shrunk on purpose does not mourn the pods above its limit.
  if (replicasLimit(*book.job) < jobReplicas(*book.job) &&
      static_cast<std::int32_t>(book.living.size()) >= replicasLimit(*book.job)) {
    std::erase_if(happened, [](const JobEvent& it) { return it.name == event::kPodEvicted; });
  }
  addTaskEvents(book, happened);
  addJobEvents(book, happened);
  forgetGone(book);
  return happened;
}

std::vector<JobEvent> overduePods(const Book& book, Time now, std::optional<Time>& wake) {
  std::vector<JobEvent> overdue;
  for (const auto& [name, pod] : book.pods) {
    if (!pod.active() || pod.phase != PodPhase::Pending || !pod.created || isOurs(book, pod)) continue;
    const auto policy = pendingPolicy(*book.job, taskIndex(*book.job, pod.task));
    if (!policy) continue;
    const Time due = *pod.created + policy->delay;
    if (due <= now) {
      overdue.push_back(eventOf(book, pod, event::kPodPending));
    } else {
      wake = wake ? std::min(*wake, due) : due;
    }
  }
  return overdue;
}

}  // namespace tidegate::vcjob
