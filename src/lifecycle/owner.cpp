#include "lifecycle/owner.hpp"

#include <algorithm>
#include <array>

#include "api/names.hpp"
#include "api/owners.hpp"
#include "lifecycle/objects.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

constexpr std::array<std::string_view, 6> kTexts = {"Job.batch.volcano.sh", "Job.batch", "Deployment.apps",
                                                    "StatefulSet.apps",     "Pod",       "Other"};

template <class Map>
const typename Map::mapped_type* findIn(const Map& map, const std::string& key) {
  auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

std::string namespaceOf(const std::string& key) {
  return key.substr(0, key.find('/'));
}

Owner fromReference(const ClusterState& state, const std::string& ns, const api::OwnerReference& reference) {
  const std::string key = keyOf(ns, reference.name);
  if (reference.kind == "Job" && reference.apiVersion.starts_with("batch.volcano.sh/")) {
    return {.kind = OwnerKind::VcJob, .key = key};
  }
  if (reference.kind == "Job") return {.kind = OwnerKind::BatchJob, .key = key};
  if (reference.kind == "Deployment") return {.kind = OwnerKind::Deployment, .key = key};
  if (reference.kind == "StatefulSet") return {.kind = OwnerKind::StatefulSet, .key = key};
  if (reference.kind == "ReplicaSet") {
    std::string deployment = key.substr(0, key.rfind('-'));
    if (state.deployments().contains(deployment)) return {.kind = OwnerKind::Deployment, .key = deployment};
  }
  return {.kind = OwnerKind::Other, .key = key};
}

// How many the annotation remembers, else how many there are: a job shrunk twice gets all of them back.
std::string remembered(const api::ObjectMeta& metadata, std::int32_t current) {
  const std::string* before = annotation(metadata, names::kSuspendedReplicas);
  return before == nullptr ? std::to_string(current) : *before;
}

Patch basePatch(const api::ObjectRef& target, const api::ObjectMeta& metadata, const StopOrder& order) {
  Patch patch = patchOf(target, metadata.uid);
  patch.annotations[order.whole ? names::kSuspend : names::kShrunkBy] = order.recall;
  patch.annotations[names::kSuspendedAt] = formatTime(order.now);
  patch.annotations[names::kEvictions] =
      std::to_string(intAnnotation(metadata, names::kEvictions).value_or(0) + 1);
  if (order.checkpoint) patch.annotations[names::kLastCheckpoint] = formatTime(*order.checkpoint);
  return patch;
}

Patch patchFor(const api::VcJob& job, const StopOrder& order) {
  Patch patch = basePatch(api::refOf(job), job.metadata, order);
  if (!order.whole) patch.annotations[names::kReplicasLimit] = std::to_string(order.keep);
  if (order.whole && order.byCommand) patch.annotations[names::kAbortedBy] = order.recall;
  return patch;
}

Patch patchFor(const api::BatchJob& job, const StopOrder& order) {
  Patch patch = basePatch(api::refOf(job), job.metadata, order);
  if (order.whole) {
    patch.suspend = true;
  } else {
    patch.annotations[names::kSuspendedReplicas] = remembered(job.metadata, job.spec.parallelism.value_or(1));
    patch.replicas = order.keep;
  }
  return patch;
}

// Deployment, StatefulSet.
template <class Scaled>
Patch scaledPatch(const Scaled& owner, const StopOrder& order) {
  const std::int32_t now = owner.spec.replicas.value_or(1);
  Patch patch = basePatch(api::refOf(owner), owner.metadata, order);
  patch.annotations[names::kSuspendedReplicas] = remembered(owner.metadata, now);
  patch.replicas = order.whole ? 0 : std::min(order.keep, now);
  return patch;
}

}  // namespace

std::string_view text(OwnerKind kind) {
  return kTexts[static_cast<std::size_t>(kind)];
}

OwnerKind ownerKind(std::string_view text) {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (kTexts[i] == text) return static_cast<OwnerKind>(i);
  }
  return OwnerKind::Other;
}

Owner ownerOf(const ClusterState& state, const GangInfo& gang) {
  const std::string ns = namespaceOf(gang.key);
  if (!gang.owner.kind.empty()) return fromReference(state, ns, gang.owner);
  for (const PodId pod : gang.pods) {
    const auto* controller = controllerOf(state.pod(pod).object->metadata);
    if (controller != nullptr) return fromReference(state, ns, *controller);
  }
  return {.kind = OwnerKind::Pod, .key = gang.pods.empty() ? gang.key : state.pod(gang.pods.front()).key};
}

const api::ObjectMeta* ownerMetadata(const ClusterState& state, const Owner& owner) {
  auto metadata = [](const auto* object) { return object == nullptr ? nullptr : &object->metadata; };
  switch (owner.kind) {
    case OwnerKind::VcJob:
      return metadata(findIn(state.vcJobs(), owner.key));
    case OwnerKind::BatchJob:
      return metadata(findIn(state.batchJobs(), owner.key));
    case OwnerKind::Deployment:
      return metadata(findIn(state.deployments(), owner.key));
    case OwnerKind::StatefulSet:
      return metadata(findIn(state.statefulSets(), owner.key));
    case OwnerKind::Pod:
    case OwnerKind::Other:
      return nullptr;
  }
  return nullptr;
}

api::ObjectRef ownerRef(const Owner& owner, const api::ObjectMeta& metadata) {
  api::ObjectRef ref{.kind = api::VcJob::kKind,
                     .apiVersion = api::VcJob::kApiVersion,
                     .namespace_ = metadata.namespace_,
                     .name = metadata.name};
  if (owner.kind == OwnerKind::BatchJob) ref.apiVersion = api::BatchJob::kApiVersion;
  if (owner.kind == OwnerKind::Deployment) ref.kind = api::Deployment::kKind;
  if (owner.kind == OwnerKind::StatefulSet) ref.kind = api::StatefulSet::kKind;
  if (ref.kind != api::VcJob::kKind) ref.apiVersion = api::Deployment::kApiVersion;
  return ref;
}

bool isFinished(const ClusterState& state, const Owner& owner) {
  if (owner.kind == OwnerKind::VcJob) {
    const auto* job = findIn(state.vcJobs(), owner.key);
    if (job == nullptr) return false;
    const std::string& phase = job->status.state.phase;
    return phase == "Completed" || phase == "Failed" || phase == "Terminated";
  }
  if (owner.kind == OwnerKind::BatchJob) {
    const auto* job = findIn(state.batchJobs(), owner.key);
    return job != nullptr && std::ranges::any_of(job->status.conditions, [](const api::Condition& c) {
             return c.status == "True" && (c.type == "Complete" || c.type == "Failed");
           });
  }
  return false;
}

bool isStopped(const ClusterState& state, const Owner& owner, const StopOrder& order) {
  const api::ObjectMeta* metadata = ownerMetadata(state, owner);
  if (metadata == nullptr || isFinished(state, owner)) return true;
  if (!order.whole && metadata->annotations.contains(names::kSuspend)) return true;  // more than was asked
  const std::string* by = annotation(*metadata, order.whole ? names::kSuspend : names::kShrunkBy);
  return by != nullptr && *by == order.recall;
}

std::optional<Patch> stopPatch(const ClusterState& state, const Owner& owner, const StopOrder& order) {
  if (isStopped(state, owner, order)) return std::nullopt;
  switch (owner.kind) {
    case OwnerKind::VcJob:
      return patchFor(*findIn(state.vcJobs(), owner.key), order);
    case OwnerKind::BatchJob:
      return patchFor(*findIn(state.batchJobs(), owner.key), order);
    case OwnerKind::Deployment:
      return scaledPatch(*findIn(state.deployments(), owner.key), order);
    case OwnerKind::StatefulSet:
      return scaledPatch(*findIn(state.statefulSets(), owner.key), order);
    case OwnerKind::Pod:
    case OwnerKind::Other:
      return std::nullopt;
  }
  return std::nullopt;
}

bool controllerDeletes(const Owner& owner, bool whole) {
  switch (owner.kind) {
    case OwnerKind::VcJob:
      return whole;
    case OwnerKind::BatchJob:
    case OwnerKind::Deployment:
    case OwnerKind::StatefulSet:
      return true;
    case OwnerKind::Pod:
    case OwnerKind::Other:
      return false;
  }
  return false;
}

bool controllerIsDone(const ClusterState& state, const Owner& owner, bool hasBegun) {
  if (owner.kind == OwnerKind::StatefulSet) return hasBegun;
  if (owner.kind != OwnerKind::BatchJob) return false;
  const auto* job = findIn(state.batchJobs(), owner.key);
  return job != nullptr && std::ranges::any_of(job->status.conditions, [](const api::Condition& c) {
           return c.type == "Suspended" && c.status == "True";
         });
}

}  // namespace tidegate::lifecycle
