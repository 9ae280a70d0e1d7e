#include "lifecycle/owner.hpp"

#include <algorithm>
#include <array>

#include "api/conditions.hpp"
#include "api/kinds.hpp"
#include "api/names.hpp"
#include "api/owners.hpp"
#include "lifecycle/objects.hpp"
#include "state/companies.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

constexpr auto kFirstOperator = static_cast<std::size_t>(OwnerKind::Operator);

const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts = [] {
    std::vector<std::string> all = {"Job.batch.volcano.sh", "Job.batch", "Deployment.apps",
                                    "StatefulSet.apps",     "Pod",       "Other"};
    for (const api::OperatorKind& kind : api::kOperatorKinds) {
      all.push_back(std::string(kind.kind) + "." + std::string(api::groupOfVersion(kind.apiVersion)));
    }
    return all;
  }();
  return kTexts;
}

// nullptr: gone, not seen yet, or no operator's.
const OperatorJobInfo* operatorJob(const ClusterState& state, const Owner& owner) {
  const auto kind = operatorOf(owner.kind);
  if (!kind) return nullptr;
  const auto& jobs = state.operatorJobs(*kind);
  const auto found = jobs.find(owner.key);
  return found == jobs.end() ? nullptr : &found->second;
}

// Suspends and resumes are one patch with the mark: a flag without it is somebody else's.
bool isSuspendedByOthers(const ClusterState& state, const Owner& owner) {
  const auto* metadata = ownerMetadata(state, owner);
  if (metadata == nullptr || metadata->annotations.contains(names::kSuspend)) return false;
  if (const auto* job = operatorJob(state, owner)) return job->facts.suspended;
  if (owner.kind != OwnerKind::BatchJob) return false;
  return state.batchJobs().at(owner.key).spec.suspend.value_or(false);
}

// The batch Jobs that it has made say that they are suspended, or are over.
bool childJobsAreDone(const ClusterState& state, const OperatorJobInfo& job) {
  return std::ranges::all_of(state.batchJobs(), [&](const auto& item) {
    const auto& [metadata, spec, status] = item.second;
    const api::OwnerReference* maker = api::controllerOf(metadata);
    if (maker == nullptr || maker->uid != job.object.metadata.uid) return true;
    return api::isTrue(status.conditions, "Suspended") || api::isTrue(status.conditions, "Complete") ||
           api::isTrue(status.conditions, "Failed");
  });
}

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

Patch patchFor(const ClusterState& state, const Owner& owner, const StopOrder& order) {
  const api::ObjectMeta& metadata = operatorJob(state, owner)->object.metadata;
  Patch patch = basePatch(ownerRef(state, owner, metadata), metadata, order);
  patch.suspend = true;
  // Its PodGroup may go with its pods.
  const GangId gang = mainGang(state, gangsOf(state, owner));
  if (gang != kNone) patch.annotations[names::kSuspendedQueue] = state.gang(gang).queue;
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
  return texts()[static_cast<std::size_t>(kind)];
}

OwnerKind ownerKind(std::string_view text) {
  const auto found = std::ranges::find(texts(), text);
  return found == texts().end() ? OwnerKind::Other : static_cast<OwnerKind>(found - texts().begin());
}

std::optional<std::size_t> operatorOf(OwnerKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < kFirstOperator ? std::nullopt : std::optional(number - kFirstOperator);
}

OwnerKind operatorKind(std::size_t number) {
  return static_cast<OwnerKind>(kFirstOperator + number);
}

Owner ownerOf(const ClusterState& state, const GangInfo& gang) {
  if (const auto top = operatorOwner(state, gang)) return {.kind = operatorKind(top->kind), .key = top->key};
  const std::string ns = namespaceOf(gang.key);
  if (!gang.owner.kind.empty()) return fromReference(state, ns, gang.owner);
  for (const PodId pod : gang.pods) {
    const auto* controller = controllerOf(state.pod(pod).object->metadata);
    if (controller != nullptr) return fromReference(state, ns, *controller);
  }
  return {.kind = OwnerKind::Pod, .key = gang.pods.empty() ? gang.key : state.pod(gang.pods.front()).key};
}

std::vector<GangId> gangsOf(const ClusterState& state, const Owner& owner) {
  std::vector<GangId> gangs;
  for (const auto& [key, id] : state.gangIndex()) {
    if (ownerOf(state, state.gang(id)) == owner) gangs.push_back(id);
  }
  return gangs;
}

GangId mainGang(const ClusterState& state, const std::vector<GangId>& gangs) {
  const auto found =
      std::ranges::find_if(gangs, [&](GangId id) { return state.gang(id).queue != names::kDefaultQueue; });
  if (found != gangs.end()) return *found;
  return gangs.empty() ? kNone : gangs.front();
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
    case OwnerKind::Operator:
      break;
  }
  const OperatorJobInfo* job = operatorJob(state, owner);
  return job != nullptr && job->facts.suspendable ? &job->object.metadata : nullptr;
}

api::ObjectRef ownerRef(const ClusterState& state, const Owner& owner, const api::ObjectMeta& metadata) {
  if (const OperatorJobInfo* job = operatorJob(state, owner)) {
    const api::OperatorKind& kind = api::kOperatorKinds.at(job->row);
    return {.kind = kind.kind,
            .apiVersion = kind.apiVersion,
            .namespace_ = metadata.namespace_,
            .name = metadata.name};
  }
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
    return job != nullptr &&
           (api::isTrue(job->status.conditions, "Complete") || api::isTrue(job->status.conditions, "Failed"));
  }
  const OperatorJobInfo* job = operatorJob(state, owner);
  return job != nullptr && job->facts.finished;
}

bool isStopped(const ClusterState& state, const Owner& owner, const StopOrder& order) {
  const api::ObjectMeta* metadata = ownerMetadata(state, owner);
  if (metadata == nullptr || isFinished(state, owner) || isSuspendedByOthers(state, owner)) return true;
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
    case OwnerKind::Operator:
      break;
  }
  return patchFor(state, owner, order);
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
    case OwnerKind::Operator:
      break;
  }
  return true;
}

bool controllerIsDone(const ClusterState& state, const Owner& owner, bool hasBegun) {
  if (owner.kind == OwnerKind::StatefulSet) return hasBegun;
  if (const OperatorJobInfo* job = operatorJob(state, owner)) {
    return job->facts.stopped && childJobsAreDone(state, *job);
  }
  if (owner.kind != OwnerKind::BatchJob) return false;
  const auto* job = findIn(state.batchJobs(), owner.key);
  return job != nullptr && api::isTrue(job->status.conditions, "Suspended");
}

}  // namespace tidegate::lifecycle
