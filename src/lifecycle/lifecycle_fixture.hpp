// Objects for tests of the lifecycle, and a very small API server to try its acts on.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>
#include <string>

#include "api/names.hpp"
#include "lifecycle/owner.hpp"
#include "lifecycle/phases.hpp"
#include "lifecycle/recall_machine.hpp"

namespace tidegate::lifecycle::test {

namespace names = api::names;

inline const Time kStart = Time{} + std::chrono::hours(24 * 20000);
inline Time at(double sinceStart) {
  return kStart + fromSeconds(sinceStart);
}

struct JobShape {
  std::string name = "train";
  std::int32_t pods = 2;
  std::int32_t minMember = 2;
  std::string queue = "offline";
  std::string node = "n1";  // empty: not bound
  api::StringMap podAnnotations = {};
  OwnerKind owner = OwnerKind::VcJob;
  bool group = true;
};

// Of a row of api::kOperatorKinds.
inline OwnerKind kindOfRow(std::size_t row) {
  const api::OperatorKind& kind = api::kOperatorKinds.at(row);
  return operatorKind(api::operatorKindOf(kind.kind, kind.apiVersion).value());
}

inline api::OwnerReference ownerReference(const JobShape& shape) {
  switch (shape.owner) {
    case OwnerKind::VcJob:
      return {api::VcJob::kApiVersion, "Job", shape.name, "uid-" + shape.name, true};
    case OwnerKind::BatchJob:
      return {api::BatchJob::kApiVersion, "Job", shape.name, "uid-" + shape.name, true};
    case OwnerKind::Deployment:
      return {"apps/v1", "ReplicaSet", shape.name + "-7d9f", "uid-rs-" + shape.name, true};
    case OwnerKind::StatefulSet:
      return {api::StatefulSet::kApiVersion, "StatefulSet", shape.name, "uid-" + shape.name, true};
    case OwnerKind::Pod:
    case OwnerKind::Other:
      return {};
    case OwnerKind::Operator:
      break;
  }
  const api::OperatorKind& kind = api::kOperatorKinds.at(operatorOf(shape.owner).value());
  return {kind.apiVersion, kind.kind, shape.name, "uid-" + shape.name, true};
}

inline bool isOwned(const JobShape& shape) {
  return shape.owner != OwnerKind::Pod && shape.owner != OwnerKind::Other;
}

inline api::PodTemplateSpec gpuTemplate(std::int64_t gpus = 4) {
  api::PodTemplateSpec made;
  api::Container container;
  container.name = "main";
  container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
  made.spec.containers.push_back(container);
  made.spec.schedulerName = "tidegate";
  return made;
}

inline api::Pod podOf(const JobShape& shape, std::int32_t index, std::int32_t life = 0) {
  const api::PodTemplateSpec made = gpuTemplate();
  api::Pod pod{.metadata = {}, .spec = made.spec, .status = {}};
  pod.metadata.name = fmt::format("{}-{}", shape.name, index);
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = fmt::format("uid-{}-{}-{}", shape.name, index, life);
  pod.metadata.creationTimestamp = kStart;
  pod.metadata.annotations = shape.podAnnotations;
  if (shape.group) pod.metadata.annotations[names::kGroupName] = shape.name + "-pg";
  if (isOwned(shape)) pod.metadata.ownerReferences = {ownerReference(shape)};
  pod.spec.nodeName = shape.node;
  pod.status.phase = shape.node.empty() ? "Pending" : "Running";
  return pod;
}

inline api::ObjectMeta ownerMeta(const JobShape& shape) {
  api::ObjectMeta metadata;
  metadata.name = shape.name;
  metadata.namespace_ = "default";
  metadata.uid = "uid-" + shape.name;
  metadata.creationTimestamp = kStart;
  return metadata;
}

// Its pods in one group, where most operators' specs have theirs.
inline std::string operatorSpec(const JobShape& shape) {
  return fmt::format(
      R"({{"shutdownAfterJobFinishes":true,"groups":{{"Worker":{{"replicas":{},"template":{{"spec":)"
      R"({{"containers":[{{"resources":{{"requests":{{"nvidia.com/gpu":"4"}}}}}}]}}}}}}}}}})",
      shape.pods);
}

inline api::Object ownerObject(const JobShape& shape) {
  if (const auto kind = operatorOf(shape.owner)) {
    return api::makeOperatorJob(*kind,
                                {.metadata = ownerMeta(shape), .spec = operatorSpec(shape), .status = ""});
  }
  if (shape.owner == OwnerKind::BatchJob) {
    api::BatchJob job;
    job.metadata = ownerMeta(shape);
    job.spec.parallelism = shape.pods;
    job.spec.template_ = gpuTemplate();
    return job;
  }
  if (shape.owner == OwnerKind::Deployment) {
    api::Deployment deployment;
    deployment.metadata = ownerMeta(shape);
    deployment.spec.replicas = shape.pods;
    deployment.spec.template_ = gpuTemplate();
    return deployment;
  }
  if (shape.owner == OwnerKind::StatefulSet) {
    api::StatefulSet set;
    set.metadata = ownerMeta(shape);
    set.spec.replicas = shape.pods;
    set.spec.template_ = gpuTemplate();
    return set;
  }
  api::VcJob job;
  job.metadata = ownerMeta(shape);
  job.spec.queue = shape.queue;
  job.spec.minAvailable = shape.minMember;
  job.spec.tasks.resize(1);
  job.spec.tasks[0].name = "worker";
  job.spec.tasks[0].replicas = shape.pods;
  job.spec.tasks[0].template_ = gpuTemplate();
  return job;
}

inline api::PodGroup groupOf(const JobShape& shape) {
  api::PodGroup group;
  group.metadata = ownerMeta(shape);
  group.metadata.name = shape.name + "-pg";
  group.metadata.uid = "uid-pg-" + shape.name;
  if (isOwned(shape)) group.metadata.ownerReferences = {ownerReference(shape)};
  group.spec.minMember = shape.minMember;
  group.spec.queue = shape.queue;
  return group;
}

inline api::Node nodeOf(const std::string& name, std::int64_t gpus = 8) {
  api::Node node;
  node.metadata.name = name;
  node.metadata.uid = "uid-" + name;
  node.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
  node.status.allocatable["pods"] = Quantity::ofInteger(110);
  return node;
}

// Stores objects and shows them to a ClusterState, at once or later, and carries acts out as the API server
// would.
class TinyApi {
 public:
  void put(api::Object object) {
    api::metadataOf(object).resourceVersion = std::to_string(++version_);
    const api::ObjectRef ref = api::refOf(object);
    objects_[ref] = object;
    unseen_.push_back({.ref = ref, .object = std::move(object), .uid = ""});
  }

  void putJob(const JobShape& shape) {
    if (isOwned(shape)) put(ownerObject(shape));
    if (shape.group) put(groupOf(shape));
    for (std::int32_t i = 0; i < shape.pods; ++i) put(podOf(shape, i));
  }

  void drop(const api::ObjectRef& ref) {
    auto found = objects_.find(ref);
    if (found == objects_.end()) return;
    unseen_.push_back({.ref = ref, .object = std::nullopt, .uid = api::metadataOf(found->second).uid});
    objects_.erase(found);
  }

  template <class T>
  T* find(const std::string& name) {
    const std::string ns = std::is_same_v<T, api::Node> ? "" : "default";
    auto found = objects_.find({T::kKind, T::kApiVersion, ns, name});
    return found == objects_.end() ? nullptr : &std::get<T>(found->second);
  }
  template <class T>
  void change(const std::string& name, auto edit) {
    T copy = *find<T>(name);
    edit(copy);
    put(copy);
  }

  // Shows the state the next change, or all of them.
  bool showOne(ClusterState& state) {
    if (unseen_.empty()) return false;
    Change change = std::move(unseen_.front());
    unseen_.pop_front();
    change.object ? state.apply(*change.object) : state.remove(change.ref, change.uid);
    return true;
  }
  void show(ClusterState& state) {
    while (showOne(state)) {
    }
  }
  void showAnew(ClusterState& state) {
    unseen_.clear();
    for (const auto& [ref, object] : objects_) state.apply(object);
  }

  void carryOut(const Action& action, Time now) {
    if (const auto* patch = std::get_if<Patch>(&action)) patchObject(*patch);
    if (const auto* order = std::get_if<DeletePod>(&action)) deletePod(*order, now);
  }

  // What the controllers of stopped owners do when they look: they delete what is too many, each pod with its
  // own grace, the cheapest first.
  void controllersAct(Time now) {
    const auto all = objects_;
    for (const auto& [ref, owner] : all) {
      const auto wanted = wantedBy(owner);
      if (!wanted) continue;
      std::vector<api::Pod> pods = runningPodsOf(api::metadataOf(owner));
      std::ranges::stable_sort(pods, {}, [](const api::Pod& pod) {
        return !pod.metadata.annotations.contains(names::kPodDeletionCost);
      });
      for (std::size_t i = *wanted; i < pods.size(); ++i) {
        api::Pod& pod = pods[i - *wanted];
        pod.metadata.deletionTimestamp = now + seconds(pod.spec.terminationGracePeriodSeconds.value_or(30));
        put(pod);
      }
    }
  }

  std::size_t livePods() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(objects_, [](const auto& item) { return item.first.kind == api::Pod::kKind; }));
  }
  const std::map<api::ObjectRef, api::Object>& objects() const { return objects_; }

 private:
  struct Change {
    api::ObjectRef ref;
    std::optional<api::Object> object;
    std::string uid;
  };

  // Of an owner that was told to stop or to shrink, how many pods it keeps.
  static std::optional<std::size_t> wantedBy(const api::Object& owner) {
    if (const auto* job = std::get_if<api::BatchJob>(&owner)) {
      if (!job->spec.suspend.value_or(false)) return std::nullopt;
      return 0;
    }
    if (const auto* deployment = std::get_if<api::Deployment>(&owner)) {
      return static_cast<std::size_t>(deployment->spec.replicas.value_or(1));
    }
    if (const auto* set = std::get_if<api::StatefulSet>(&owner)) {
      return static_cast<std::size_t>(set->spec.replicas.value_or(1));
    }
    if (const api::OperatorJob* job = api::operatorJobIn(owner)) {
      return api::factsOf(api::operatorRowOf(owner).value(), *job).suspended ? std::optional<std::size_t>(0)
                                                                             : std::nullopt;
    }
    const auto* job = std::get_if<api::VcJob>(&owner);
    if (job == nullptr || !job->metadata.annotations.contains(names::kSuspend)) return std::nullopt;
    return 0;
  }

  std::vector<api::Pod> runningPodsOf(const api::ObjectMeta& owner) const {
    std::vector<api::Pod> pods;
    for (const auto& [ref, object] : objects_) {
      const auto* pod = std::get_if<api::Pod>(&object);
      if (pod == nullptr || pod->metadata.ownerReferences.empty() || pod->metadata.deletionTimestamp)
        continue;
      const std::string& uid = pod->metadata.ownerReferences[0].uid;
      if (uid == owner.uid || uid == "uid-rs-" + owner.name) pods.push_back(*pod);
    }
    return pods;
  }

  void patchObject(const Patch& patch) {
    auto found = objects_.find(patch.target);
    if (found == objects_.end() || api::metadataOf(found->second).uid != patch.uid) return;
    api::Object copy = found->second;
    for (const auto& [name, value] : patch.annotations) {
      auto& annotations = api::metadataOf(copy).annotations;
      value ? void(annotations[name] = *value) : void(annotations.erase(name));
    }
    if (auto* job = std::get_if<api::BatchJob>(&copy)) {
      if (patch.suspend) job->spec.suspend = patch.suspend;
      if (patch.replicas) job->spec.parallelism = patch.replicas;
    }
    if (auto* job = api::operatorJobIn(copy); job != nullptr && patch.suspend) {
      job->spec = api::withSuspend(api::operatorRowOf(copy).value(), job->spec, *patch.suspend);
    }
    if (auto* deployment = std::get_if<api::Deployment>(&copy); deployment && patch.replicas) {
      deployment->spec.replicas = patch.replicas;
    }
    if (auto* set = std::get_if<api::StatefulSet>(&copy); set && patch.replicas)
      set->spec.replicas = patch.replicas;
    put(std::move(copy));
  }

  void deletePod(const DeletePod& order, Time now) {
    auto* pod = find<api::Pod>(order.name);
    if (pod == nullptr || pod->metadata.uid != order.uid) return;
    api::Pod copy = *pod;
    const Time goneBy = now + seconds(order.graceSeconds);
    if (copy.metadata.deletionTimestamp && *copy.metadata.deletionTimestamp <= goneBy) return;
    copy.metadata.deletionTimestamp = goneBy;
    put(std::move(copy));
  }

  std::map<api::ObjectRef, api::Object> objects_;
  std::deque<Change> unseen_;
  std::uint64_t version_ = 0;
};

// A recall of whole jobs (all pods) for one pod of queue online.
inline api::Recall recallOf(const std::vector<JobShape>& jobs, Duration deadline = seconds(15)) {
  api::Recall recall;
  recall.metadata.name = "recall-1";
  recall.spec.queue = "online";
  recall.spec.reason = "reclaim";
  recall.spec.guaranteeBacked = true;
  recall.spec.startedAt = kStart;
  recall.spec.deadline = kStart + deadline;
  recall.spec.nodes = {"n1"};
  recall.status.phase = recall_phase::kPlanned;
  for (const auto& shape : jobs) {
    api::RecallVictim victim;
    victim.gang = "default/" + shape.name + "-pg";
    victim.ownerKind = text(shape.owner);
    victim.owner = "default/" + shape.name;
    victim.phase = "Planned";
    for (std::int32_t i = 0; i < shape.pods; ++i) {
      const api::Pod pod = podOf(shape, i);
      victim.pods.push_back({pod.metadata.name, "default", pod.metadata.uid, shape.node});
    }
    recall.spec.victims.push_back(std::move(victim));
  }
  recall.spec.placements = {{.pod = "default/web-0", .podUid = "uid-web-0-0", .node = "n1"}};
  return recall;
}

inline JobShape demandShape(const std::string& node = "") {
  return {.name = "web",
          .pods = 1,
          .minMember = 1,
          .queue = "online",
          .node = node,
          .podAnnotations = {},
          .owner = OwnerKind::Pod,
          .group = false};
}

}  // namespace tidegate::lifecycle::test
