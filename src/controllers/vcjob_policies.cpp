#include "controllers/vcjob_policies.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tidegate::vcjob {

namespace {

constexpr std::array<std::pair<std::string_view, JobAction>, 9> kActions = {{
    {"SyncJob", JobAction::Sync},
    {"RestartPod", JobAction::RestartPod},
    {"RestartPartition", JobAction::RestartPartition},
    {"RestartTask", JobAction::RestartTask},
    {"ResumeJob", JobAction::ResumeJob},
    {"RestartJob", JobAction::RestartJob},
    {"CompleteJob", JobAction::CompleteJob},
    {"TerminateJob", JobAction::TerminateJob},
    {"AbortJob", JobAction::AbortJob},
}};

constexpr std::array<std::string_view, 5> kAny = {event::kPodFailed, event::kPodEvicted, event::kUnknown,
                                                  event::kTaskCompleted, event::kTaskFailed};

bool names(const api::LifecyclePolicy& policy, std::string_view event, bool orAny) {
  const bool any = orAny && std::ranges::find(kAny, event) != kAny.end();
  const auto matches = [&](const std::string& pattern) {
    return pattern == event || (any && pattern == "*");
  };
  return matches(policy.event) || std::ranges::any_of(policy.events, matches);
}

Answer answerOf(const api::LifecyclePolicy& policy) {
  Answer answer{.action = parseAction(policy.action).value_or(JobAction::Sync)};
  if (const auto delay = parseDuration(policy.timeout); delay && !policy.timeout.empty()) {
    answer.delay = std::max(*delay, Duration{0});
  }
  return answer;
}

using Policies = std::span<const api::LifecyclePolicy>;

std::optional<Answer> lookUp(Policies policies, const JobEvent& event) {
  for (const api::LifecyclePolicy& policy : policies) {
    const bool byCode = policy.exitCode && event.exitCode != 0 && *policy.exitCode == event.exitCode;
    if (names(policy, event.name, true) || byCode) return answerOf(policy);
  }
  return std::nullopt;
}

}  // namespace

std::optional<JobAction> parseAction(std::string_view text) {
  const auto found = std::ranges::find(kActions, text, &std::pair<std::string_view, JobAction>::first);
  if (found == kActions.end()) return std::nullopt;
  return found->second;
}

std::string_view textOf(JobAction action) {
  return kActions[static_cast<std::size_t>(action)].first;
}

bool isUsableEvent(std::string_view name) {
  return name == "*" || name == event::kPodPending || name == event::kJobUpdated ||
         std::ranges::find(kAny, name) != kAny.end();
}

Answer answerTo(const api::VcJob& job, const JobEvent& event) {
  if (event.task < job.spec.tasks.size()) {
    if (const auto answer = lookUp(job.spec.tasks[event.task].policies, event)) return *answer;
  }
  return lookUp(job.spec.policies, event).value_or(Answer{});
}

std::optional<Answer> pendingPolicy(const api::VcJob& job, std::size_t task) {
  const JobEvent event{.name = event::kPodPending, .task = task, .pod = {}, .podUid = {}, .exitCode = 0};
  const Answer answer = answerTo(job, event);
  if (answer.action == JobAction::Sync) return std::nullopt;
  return answer;
}

bool namesEvent(const api::VcJob& job, std::string_view event) {
  return std::ranges::any_of(job.spec.policies, [&](const auto& it) { return names(it, event, false); });
}

}  // namespace tidegate::vcjob
