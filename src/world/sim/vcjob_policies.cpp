#include "world/sim/vcjob_policies.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidegate::sim {

namespace {

JobAction parseAction(const std::string& action) {
  static constexpr std::pair<const char*, JobAction> kActions[] = {
      {"RestartPod", JobAction::RestartPod},     {"RestartTask", JobAction::RestartTask},
      {"RestartJob", JobAction::RestartJob},     {"CompleteJob", JobAction::CompleteJob},
      {"TerminateJob", JobAction::TerminateJob}, {"AbortJob", JobAction::AbortJob}};
  for (const auto& [text, value] : kActions) {
    if (action == text) return value;
  }
  return JobAction::Sync;
}

std::optional<JobAction> lookUp(const std::vector<api::LifecyclePolicy>& policies, const std::string& event) {
  const auto names = [&](const std::string& pattern) { return pattern == event || pattern == "*"; };
  for (const api::LifecyclePolicy& policy : policies) {
    if (names(policy.event) || std::ranges::any_of(policy.events, names)) return parseAction(policy.action);
  }
  return std::nullopt;
}

}  // namespace

JobAction actionFor(const api::VcJob& job, const JobEvent& event) {
  if (event.task < job.spec.tasks.size()) {
    if (const auto action = lookUp(job.spec.tasks[event.task].policies, event.name)) return *action;
  }
  return lookUp(job.spec.policies, event.name).value_or(JobAction::Sync);
}

Verdict judge(const api::VcJob& job, const std::vector<JobEvent>& events) {
  Verdict verdict;
  for (const JobEvent& event : events) {
    const JobAction action = actionFor(job, event);
    verdict.action = std::max(verdict.action, action);
    if (action == JobAction::RestartTask) verdict.tasks.push_back(event.task);
  }
  return verdict;
}

std::int32_t taskMinimum(const api::TaskSpec& task) {
  return task.minAvailable.value_or(task.replicas);
}

std::int32_t jobMinimum(const api::VcJob& job) {
  if (job.spec.minAvailable) return *job.spec.minAvailable;
  std::int32_t minimum = 0;
  for (const api::TaskSpec& task : job.spec.tasks) minimum += taskMinimum(task);
  return minimum;
}

std::int32_t jobReplicas(const api::VcJob& job) {
  std::int32_t replicas = 0;
  for (const api::TaskSpec& task : job.spec.tasks) replicas += task.replicas;
  return replicas;
}

}  // namespace tidegate::sim
