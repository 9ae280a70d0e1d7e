#include "lifecycle/suspended_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "lifecycle/suspended_pods.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

using GangsByOwner = std::map<std::pair<OwnerKind, std::string>, std::vector<GangId>>;

GangsByOwner gangsByOwner(const ClusterState& state) {
  GangsByOwner gangs;
  for (const auto& [key, id] : state.gangIndex()) {
    const Owner owner = ownerOf(state, state.gang(id));
    gangs[std::pair(owner.kind, owner.key)].push_back(id);
  }
  return gangs;
}

api::Pod podFrom(const api::PodTemplateSpec& template_, const api::ObjectMeta& owner, std::size_t index) {
  api::Pod pod{.metadata = template_.metadata, .spec = template_.spec, .status = {}};
  pod.metadata.namespace_ = owner.namespace_;
  pod.metadata.name = fmt::format("{}-{}", owner.name, index);
  return pod;
}

std::vector<api::Pod> copies(const api::PodTemplateSpec& template_, const api::ObjectMeta& owner,
                             std::int32_t count) {
  std::vector<api::Pod> pods;
  for (std::int32_t i = 0; i < count; ++i) pods.push_back(podFrom(template_, owner, pods.size()));
  return pods;
}

std::vector<api::Pod> podsOf(const api::VcJob& job) {
  std::vector<api::Pod> pods;
  for (const auto& task : job.spec.tasks) {
    for (std::int32_t i = 0; i < task.replicas; ++i) {
      pods.push_back(podFrom(task.template_, job.metadata, pods.size()));
      auto& className = pods.back().spec.priorityClassName;
      if (className.empty()) className = job.spec.priorityClassName;
    }
  }
  return pods;
}

std::int32_t minAvailable(const api::VcJob& job) {
  if (job.spec.minAvailable) return *job.spec.minAvailable;
  std::int32_t sum = 0;
  for (const auto& task : job.spec.tasks) sum += task.minAvailable.value_or(task.replicas);
  return sum;
}

void readJob(const api::VcJob& job, SuspendedJob& out) {
  out.query.pods = podsOf(job);
  out.query.minMember = minAvailable(job);
  out.query.queue = job.spec.queue;
  if (out.whole) return;
  const auto all = static_cast<std::int32_t>(out.query.pods.size());
  const std::int32_t kept =
      std::clamp(intAnnotation(job.metadata, names::kReplicasLimit).value_or(all), 0, all);
  out.query.pods.erase(out.query.pods.begin(), out.query.pods.begin() + kept);
}

// Deployments, StatefulSets and batch Jobs: `now` replicas of the `before` that the annotation remembers.
void readReplicas(const api::ObjectMeta& metadata, const api::PodTemplateSpec& template_, std::int32_t now,
                  SuspendedJob& out) {
  std::int32_t before = intAnnotation(metadata, names::kSuspendedReplicas).value_or(now);
  const bool scaled = out.owner.kind == OwnerKind::Deployment || out.owner.kind == OwnerKind::StatefulSet;
  if (scaled && out.whole && now > 0) before = now;  // by hand, while it was suspended
  out.query.pods = copies(template_, metadata, std::max(0, before - (out.whole ? 0 : now)));
  out.query.minMember = static_cast<std::int32_t>(out.query.pods.size());
  auto label = template_.metadata.labels.find(names::kQueueName);
  if (label != template_.metadata.labels.end()) out.query.queue = label->second;
  if (const std::string* queue = annotation(template_.metadata, names::kQueueName)) out.query.queue = *queue;
}

void readJob(const api::BatchJob& job, SuspendedJob& out) {
  std::int32_t parallelism = job.spec.parallelism.value_or(1);
  if (job.spec.completions) parallelism = std::min(parallelism, *job.spec.completions);
  readReplicas(job.metadata, job.spec.template_, parallelism, out);
}

void readJob(const api::Deployment& deployment, SuspendedJob& out) {
  readReplicas(deployment.metadata, deployment.spec.template_, deployment.spec.replicas.value_or(1), out);
}

void readJob(const api::StatefulSet& set, SuspendedJob& out) {
  readReplicas(set.metadata, set.spec.template_, set.spec.replicas.value_or(1), out);
}

void readJob(const OperatorJobInfo& job, SuspendedJob& out) {
  const api::ObjectMeta& metadata = job.object.metadata;
  for (const api::PodShape& shape : job.facts.pods) {
    for (api::Pod& pod : copies(shape.template_, metadata, shape.count))
      out.query.pods.push_back(std::move(pod));
  }
  out.query.minMember = static_cast<std::int32_t>(out.query.pods.size());
  if (const std::string* queue = annotation(metadata, names::kSuspendedQueue)) out.query.queue = *queue;
}

template <class Object>
const api::ObjectMeta& metadataIn(const Object& object) {
  return object.metadata;
}
const api::ObjectMeta& metadataIn(const OperatorJobInfo& job) {
  return job.object.metadata;
}

// Its PodGroup says more than its owner does. (A group that was only made for an operator's pods has a
// minimum of 1, which is no gang.)
void readGangs(const ClusterState& state, const std::vector<GangId>& gangs, SuspendedJob& job) {
  job.gangs = gangs;
  const bool isOperators = operatorOf(job.owner.kind).has_value();
  job.gang = isOperators ? mainGang(state, gangs) : gangs.front();
  const GangInfo& gang = state.gang(job.gang);
  job.query.queue = gang.queue;
  const bool counts = !isOperators || (gangs.size() == 1 && gang.minMember > 1);
  if (gang.exists && job.whole && counts) job.query.minMember = gang.minMember;
}

template <class Object>
void collect(const ClusterState& state, const std::map<std::string, Object>& objects, OwnerKind kind,
             const GangsByOwner& gangs, std::vector<SuspendedJob>& jobs) {
  for (const auto& [key, object] : objects) {
    const api::ObjectMeta& metadata = metadataIn(object);
    const std::string* suspended = annotation(metadata, names::kSuspend);
    const std::string* by = suspended != nullptr ? suspended : annotation(metadata, names::kShrunkBy);
    if (by == nullptr || isFinished(state, {.kind = kind, .key = key})) continue;
    SuspendedJob job;
    job.owner = {.kind = kind, .key = key};
    job.metadata = &metadata;
    job.recall = *by;
    job.whole = suspended != nullptr;
    job.evictions = intAnnotation(metadata, names::kEvictions).value_or(0);
    job.suspendedAt = timeAnnotation(metadata, names::kSuspendedAt);
    job.resumedAt = timeAnnotation(metadata, names::kResumedAt);
    readJob(object, job);
    auto gang = gangs.find({kind, key});
    if (gang != gangs.end()) readGangs(state, gang->second, job);
    if (job.query.queue.empty()) job.query.queue = names::kDefaultQueue;
    if (!job.query.pods.empty()) job.priority = state.priorityOf(job.query.pods.front());
    jobs.push_back(std::move(job));
  }
}

// Scaled by hand while it is suspended: what the user asks for is remembered, and it keeps no pods until it
// resumes.
template <class Scaled>
void keepScaledAtNone(const std::map<std::string, Scaled>& owners, Acts& acts) {
  for (const auto& [key, owner] : owners) {
    const std::string* by = annotation(owner.metadata, names::kSuspend);
    const std::int32_t asked = owner.spec.replicas.value_or(1);
    if (by == nullptr || asked == 0) continue;
    Patch patch = patchOf(api::refOf(owner), owner.metadata.uid);
    patch.annotations[names::kSuspendedReplicas] = std::to_string(asked);
    patch.replicas = 0;
    acts.add(fmt::format("hold/{}/{}/{}/{}", Scaled::kKind, key, *by, asked), std::move(patch));
  }
}

void giveBackReplicas(const SuspendedJob& job, std::int32_t replicas, bool complete, Patch& patch) {
  patch.replicas = replicas;
  if (complete) patch.annotations[names::kSuspendedReplicas] = std::nullopt;
  if (job.owner.kind == OwnerKind::BatchJob && job.whole) patch.suspend = false;
}

void fillResume(const ClusterState& state, const SuspendedJob& job, std::int32_t count, bool complete,
                Patch& patch) {
  switch (job.owner.kind) {
    case OwnerKind::VcJob:
      if (complete)
        patch.annotations[names::kReplicasLimit] = std::nullopt;
      else
        patch.annotations[names::kReplicasLimit] =
            std::to_string(intAnnotation(*job.metadata, names::kReplicasLimit).value_or(0) + count);
      break;
    case OwnerKind::BatchJob: {
      const std::int32_t now = state.batchJobs().at(job.owner.key).spec.parallelism.value_or(1);
      giveBackReplicas(job, intAnnotation(*job.metadata, names::kSuspendedReplicas).value_or(now), complete,
                       patch);
      if (!complete) patch.replicas = now + count;
      break;
    }
    case OwnerKind::Deployment: {
      const std::int32_t now = state.deployments().at(job.owner.key).spec.replicas.value_or(1);
      giveBackReplicas(job, job.whole ? count : now + count, complete, patch);
      break;
    }
    case OwnerKind::StatefulSet: {
      const std::int32_t now = state.statefulSets().at(job.owner.key).spec.replicas.value_or(1);
      giveBackReplicas(job, job.whole ? count : now + count, complete, patch);
      break;
    }
    case OwnerKind::Pod:
    case OwnerKind::Other:
      break;
    case OwnerKind::Operator:
      break;
  }
  if (!operatorOf(job.owner.kind)) return;
  patch.suspend = false;
  patch.annotations[names::kSuspendedQueue] = std::nullopt;
}

Patch ownerPatch(const ClusterState& state, const SuspendedJob& job, std::int32_t count, bool complete,
                 Time now) {
  Patch patch = patchOf(ownerRef(state, job.owner, *job.metadata), job.metadata->uid);
  if (complete) {
    for (const char* name : {names::kSuspend, names::kShrunkBy, names::kSuspendedAt}) {
      if (job.metadata->annotations.contains(name)) patch.annotations[name] = std::nullopt;
    }
    patch.annotations[names::kResumedAt] = formatTime(now);
  }
  fillResume(state, job, count, complete, patch);
  return patch;
}

void tellResumed(const GangInfo& gang, const SuspendedJob& job, const std::string& what, Time now,
                 Acts& acts) {
  if (!gang.exists) return;
  Patch group = patchOf(groupRef(gang), gang.uid);
  if (job.whole) group.annotations[names::kRecalledBy] = std::nullopt;
  group.annotations[names::kResumedAt] = formatTime(now);
  group.condition = api::Condition{.type = "Recalled",
                                   .status = "False",
                                   .reason = "Resumed",
                                   .message = fmt::format("recalled {} time(s) so far", job.evictions),
                                   .lastTransitionTime = now};
  acts.add(fmt::format("{}/group/{}", what, gang.key), std::move(group));
  acts.add(fmt::format("{}/event/{}", what, gang.key), Emit{.about = groupRef(gang),
                                                            .warning = false,
                                                            .reason = "Resumed",
                                                            .message = "its GPUs are there again"});
}

}  // namespace

void keepSuspended(const ClusterState& state, Acts& acts) {
  keepScaledAtNone(state.deployments(), acts);
  keepScaledAtNone(state.statefulSets(), acts);
}

std::vector<SuspendedJob> suspendedJobs(const ClusterState& state) {
  std::vector<SuspendedJob> jobs;
  const GangsByOwner gangs = gangsByOwner(state);
  collect(state, state.vcJobs(), OwnerKind::VcJob, gangs, jobs);
  collect(state, state.batchJobs(), OwnerKind::BatchJob, gangs, jobs);
  collect(state, state.deployments(), OwnerKind::Deployment, gangs, jobs);
  collect(state, state.statefulSets(), OwnerKind::StatefulSet, gangs, jobs);
  for (std::size_t kind = 0; kind < api::kOperatorRows; ++kind) {
    collect(state, state.operatorJobs(kind), operatorKind(kind), gangs, jobs);
  }
  collectSuspendedPods(state, jobs);
  std::ranges::sort(jobs, [](const SuspendedJob& a, const SuspendedJob& b) {
    auto rank = [](const SuspendedJob& job) {
      return std::tuple(-job.priority, job.metadata->creationTimestamp.value_or(Time{}), job.owner.key,
                        job.owner.kind);
    };
    return rank(a) < rank(b);
  });
  return jobs;
}

void resume(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now, Acts& acts) {
  const bool complete = job.whole || count == static_cast<std::int32_t>(job.query.pods.size());
  const std::string what = fmt::format("resume/{}/{}/{}", text(job.owner.kind), job.owner.key, job.recall);
  if (job.owner.kind == OwnerKind::Pod) {
    resumePods(state, job, count, now, acts);
  } else {
    acts.add(fmt::format("{}/{}", what, job.query.pods.size()), ownerPatch(state, job, count, complete, now));
  }
  if (!complete || job.gang == kNone) return;
  for (const GangId gang : job.gangs.empty() ? std::vector{job.gang} : job.gangs) {
    tellResumed(state.gang(gang), job, what, now, acts);
  }
}

}  // namespace tidegate::lifecycle
