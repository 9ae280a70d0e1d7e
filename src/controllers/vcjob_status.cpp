#include "controllers/vcjob_status.hpp"

#include <algorithm>

#include "api/names.hpp"

namespace tidegate::vcjob {

namespace {

constexpr std::size_t kMostConditions = 50;  // the oldest but the first go

std::int32_t succeededOf(const Book& book, const std::string& task) {
  return static_cast<std::int32_t>(std::ranges::count_if(book.pods, [&](const auto& item) {
    return item.second.task == task && !item.second.terminating && item.second.phase == PodPhase::Succeeded;
  }));
}

// Enough have succeeded, of the job and of each task that has a minimum of its own.
bool isSuccess(const Book& book, std::int32_t minimum) {
  if (book.status.succeeded < minimum) return false;
  const api::VcJob& job = *book.job;
  if (jobMinimum(job) > minimum) return true;  // shrunk: there are fewer than the tasks ask for
  std::int64_t sum = 0;
  for (const api::TaskSpec& task : job.spec.tasks) sum += taskMinimum(task);
  if (jobMinimum(job) < sum) return true;  // the minima of tasks bind only within the job's
  return std::ranges::all_of(job.spec.tasks, [&](const api::TaskSpec& task) {
    return !task.minAvailable || succeededOf(book, task.name) >= *task.minAvailable;
  });
}

std::string timeText(const std::optional<Time>& time) {
  return time ? formatTime(*time) : std::string();
}

json::object taskCounts(const api::VcJobStatus& status, const api::VcJobStatus& before) {
  json::object out;
  for (const auto& [task, old] : before.taskStatusCount) {
    json::object& phases = objectAt(objectAt(out, task), "phase");
    for (const auto& [name, count] : old.phase) phases[name] = nullptr;
  }
  for (const auto& [task, state] : status.taskStatusCount) {
    json::object& phases = objectAt(objectAt(out, task), "phase");
    for (const auto& [name, count] : state.phase) phases[name] = count;
  }
  return out;
}

json::array conditionsOf(const api::VcJobStatus& status) {
  json::array out;
  for (const api::VcJobCondition& condition : status.conditions) {
    out.push_back(json::object{{"status", condition.status},
                               {"lastTransitionTime", timeText(condition.lastTransitionTime)}});
  }
  return out;
}

}  // namespace

const char* textOf(PodPhase phase) {
  constexpr const char* kTexts[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
  return kTexts[static_cast<std::size_t>(phase)];
}

bool isFinal(const std::string& phase) {
  return phase == phase::kCompleted || phase == phase::kFailed || phase == phase::kTerminated;
}

bool isStopping(const std::string& phase) {
  return phase == phase::kAborting || phase == phase::kTerminating || phase == phase::kCompleting ||
         phase == phase::kAborted;
}

void countPods(const Book& book, api::VcJobStatus& status) {
  status.pending = status.running = status.succeeded = status.failed = 0;
  status.terminating = status.unknown = 0;
  status.minAvailable = jobMinimum(*book.job);
  status.taskStatusCount.clear();
  for (const auto& [name, pod] : book.pods) {
    if (pod.terminating) {
      ++status.terminating;
      continue;
    }
    ++status.taskStatusCount[pod.task].phase[textOf(pod.phase)];
    std::int32_t* counts[] = {&status.pending, &status.running, &status.succeeded, &status.failed,
                              &status.unknown};
    ++*counts[static_cast<std::size_t>(pod.phase)];
  }
}

void setState(api::VcJobStatus& status, const NewState& state, Time now) {
  const bool moves = status.state.phase != state.phase;
  status.state.reason = state.reason;
  status.state.message = state.message;
  if (!moves) return;
  const Time whole = std::chrono::floor<seconds>(now);  // as metav1.Time keeps it
  status.state.phase = state.phase;
  status.state.lastTransitionTime = whole;
  status.conditions.push_back({.status = state.phase, .lastTransitionTime = whole});
  if (status.conditions.size() > kMostConditions) status.conditions.erase(status.conditions.begin() + 1);
  if (!isFinal(state.phase)) return;
  const auto ran = std::ranges::find(status.conditions, phase::kRunning, &api::VcJobCondition::status);
  if (ran != status.conditions.end() && ran->lastTransitionTime) {
    status.runningDuration = formatDuration(whole - *ran->lastTransitionTime);
  }
}

std::string syncedPhase(const Book& book) {
  const api::VcJob& job = *book.job;
  const api::VcJobStatus& status = book.status;
  const std::int32_t total = std::min(jobReplicas(job), replicasLimit(job));
  const std::int32_t minimum = std::min(jobMinimum(job), total);
  const std::int32_t ended = status.succeeded + status.failed;
  const std::string& now = status.state.phase;
  if (total == 0) return now;
  if (job.spec.minSuccess && status.succeeded >= *job.spec.minSuccess) return phase::kCompleted;
  if (ended >= total && status.running + status.pending + status.unknown == 0) {
    return isSuccess(book, minimum) ? phase::kCompleted : phase::kFailed;
  }
  if (now == phase::kRunning) return status.pending > total - minimum ? phase::kPending : phase::kRunning;
  return status.running + ended >= minimum ? phase::kRunning : phase::kPending;
}

std::string statusText(const api::VcJobStatus& status, const api::VcJobStatus& before) {
  json::object state{
      {"phase", status.state.phase}, {"reason", status.state.reason}, {"message", status.state.message}};
  if (status.state.lastTransitionTime)
    state["lastTransitionTime"] = timeText(status.state.lastTransitionTime);
  json::object out{{"state", std::move(state)},         {"minAvailable", status.minAvailable},
                   {"pending", status.pending},         {"running", status.running},
                   {"succeeded", status.succeeded},     {"failed", status.failed},
                   {"terminating", status.terminating}, {"unknown", status.unknown},
                   {"version", status.version},         {"retryCount", status.retryCount}};
  out["taskStatusCount"] = taskCounts(status, before);
  out["conditions"] = conditionsOf(status);
  if (!status.runningDuration.empty()) out["runningDuration"] = status.runningDuration;
  return text(out);
}

}  // namespace tidegate::vcjob
