#include "world/sim/batch_job_controller.hpp"

#include <algorithm>

#include "api/conditions.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

constexpr std::int32_t kDefaultBackoffLimit = 6;
constexpr Duration kFirstBackoff = seconds(10);
constexpr Duration kLongestBackoff = seconds(360);

api::Condition condition(const char* type, bool holds, const char* reason) {
  return {.type = type,
          .status = holds ? "True" : "False",
          .reason = reason,
          .message = {},
          .lastTransitionTime = {}};
}

std::vector<PodPtr> activeOf(const std::vector<PodPtr>& pods) {
  std::vector<PodPtr> active;
  std::ranges::copy_if(pods, std::back_inserter(active), [](const PodPtr& pod) { return isActive(*pod); });
  return active;
}

std::int32_t wantedActive(const api::JobSpec& spec, const api::JobStatus& status, std::int32_t active) {
  const std::int32_t parallelism = spec.parallelism.value_or(1);
  if (!spec.completions) return status.succeeded > 0 ? active : parallelism;
  return std::min(parallelism, *spec.completions - status.succeeded);
}

bool complete(const api::JobSpec& spec, const api::JobStatus& status) {
  if (spec.completions) return status.succeeded >= *spec.completions;
  return status.succeeded > 0 && status.active == 0;
}

}  // namespace

void BatchJobController::reconcile(const api::BatchJob& job) {
  Memory& memory = memory_[job.metadata.uid];
  const std::vector<PodPtr> pods = api().store().podsOwnedBy(job.metadata.uid);
  const std::vector<PodPtr> active = activeOf(pods);
  api::JobStatus status = job.status;
  count(memory, pods, status);
  status.active = static_cast<std::int32_t>(active.size());
  const bool suspended = job.spec.suspend.value_or(false);
  const Time now = services_.clock.now();
  if (api::isTrue(status.conditions, "Complete") || api::isTrue(status.conditions, "Failed")) {
    removePods(memory, active);
  } else if (status.failed > job.spec.backoffLimit.value_or(kDefaultBackoffLimit)) {
    setCondition(status.conditions, condition("Failed", true, "BackoffLimitExceeded"), now);
    removePods(memory, active);
  } else if (complete(job.spec, status)) {
    setCondition(status.conditions, condition("Complete", true, ""), now);
  } else {
    if (suspended || findCondition(status.conditions, "Suspended")) {
      setCondition(status.conditions,
                   condition("Suspended", suspended, suspended ? "JobSuspended" : "JobResumed"), now);
    }
    if (suspended) {
      removePods(memory, active);
    } else {
      scale(memory, job, status, active);
    }
  }
  api().modify<api::BatchJob>(keyOf(job.metadata), job.metadata.uid,
                              [&](api::BatchJob& it) { it.status = status; });
}

// Takes the pods that have come to an end since the last look into the status.
void BatchJobController::count(Memory& memory, const std::vector<PodPtr>& pods, api::JobStatus& status) {
  std::set<std::string> stillLiving;
  const auto failed = [&] {
    ++status.failed;
    ++memory.failuresInRow;
    memory.lastFailure = services_.clock.now();
  };
  for (const PodPtr& pod : pods) {
    const std::string& uid = pod->metadata.uid;
    const bool fresh = !memory.removed.contains(uid) && (isActive(*pod) || memory.living.contains(uid));
    if (!fresh) continue;
    if (isActive(*pod)) {
      stillLiving.insert(uid);
    } else if (pod->status.phase == "Succeeded") {
      ++status.succeeded;
      memory.failuresInRow = 0;
    } else {
      failed();
    }
    memory.living.erase(uid);
  }
  for (const std::string& uid : memory.living) {
    if (!memory.removed.contains(uid)) failed();  // gone without a trace: deleted by force
  }
  memory.living = std::move(stillLiving);
}

void BatchJobController::removePods(Memory& memory, const std::vector<PodPtr>& pods) {
  for (const PodPtr& pod : pods) {
    memory.removed.insert(pod->metadata.uid);
    memory.living.erase(pod->metadata.uid);
    deletePod(api(), *pod);
  }
}

std::optional<Time> BatchJobController::backoffEnd(const Memory& memory) const {
  if (memory.failuresInRow == 0 || !memory.lastFailure) return std::nullopt;
  Duration wait = kFirstBackoff;
  for (int i = 1; i < memory.failuresInRow && wait < kLongestBackoff; ++i) wait *= 2;
  return *memory.lastFailure + std::min(wait, kLongestBackoff);
}

void BatchJobController::scale(Memory& memory, const api::BatchJob& job, const api::JobStatus& status,
                               const std::vector<PodPtr>& active) {
  const std::int32_t wanted = std::max(0, wantedActive(job.spec, status, status.active));
  if (status.active > wanted) {
    return removePods(memory, firstToGo(active, static_cast<std::size_t>(status.active - wanted)));
  }
  if (status.active == wanted) return;
  if (const auto end = backoffEnd(memory); end && *end > services_.clock.now()) {
    return wake(keyOf(job.metadata), *end - services_.clock.now());
  }
  api::PodTemplateSpec pods = job.spec.template_;
  pods.metadata.labels["job-name"] = job.metadata.name;
  pods.metadata.labels["batch.kubernetes.io/job-name"] = job.metadata.name;
  for (std::int32_t i = status.active; i < wanted; ++i) {
    const PodPtr pod =
        createPod(services_, podFrom(pods, job.metadata.namespace_,
                                     generateName(services_, job.metadata.name), controlledBy(job)));
    if (pod) memory.living.insert(pod->metadata.uid);
  }
}

}  // namespace tidegate::sim
