// Gangs, queues, priorities and the objects that only the lifecycle reads.
#include <algorithm>
#include <charconv>

#include "api/names.hpp"
#include "state/cluster_state.hpp"
#include "state/translate.hpp"

namespace tidegate {
namespace names = api::names;

GangId ClusterState::gangSlot(const std::string& key) {
  auto [entry, added] = gangIndex_.try_emplace(key, kNone);
  if (!added) return entry->second;
  if (freeGangs_.empty()) {
    entry->second = static_cast<GangId>(gangs_.size());
    gangs_.emplace_back();
  } else {
    entry->second = freeGangs_.back();
    freeGangs_.pop_back();
    gangs_[entry->second] = GangInfo{};
  }
  GangInfo& gang = gangs_[entry->second];
  gang.key = key;
  gang.asksNoQueue = true;  // until its PodGroup, or a pod without one, says which
  giveQueue(gang, key.substr(0, key.find('/')));
  return entry->second;
}

void ClusterState::accountGang(GangId id, Sign sign) {
  for (const PodId pod : gangs_[id].pods) account(pod, sign);
}

void ClusterState::releaseGangIfUnused(GangId id) {
  GangInfo& gang = gangs_[id];
  if (gang.exists || !gang.pods.empty()) return;
  gangIndex_.erase(gang.key);
  gang = GangInfo{};
  freeGangs_.push_back(id);
}

// The gang's priority: its PodGroup's class, else the highest of its pods.
void ClusterState::refreshGang(GangId id) {
  GangInfo& gang = gangs_[id];
  std::int32_t highest = 0;
  for (std::size_t i = 0; i < gang.pods.size(); ++i) {
    const std::int32_t priority = pods_[gang.pods[i]].priority;
    highest = i == 0 ? priority : std::max(highest, priority);
  }
  auto group = podGroups_.find(gang.key);
  const std::string className = group == podGroups_.end() ? "" : group->second.spec.priorityClassName;
  gang.priority = className.empty() ? highest : classValue(className, highest);
}

std::int32_t ClusterState::classValue(const std::string& name, std::int32_t otherwise) const {
  auto found = priorityClasses_.find(name);
  return found == priorityClasses_.end() ? otherwise : found->second.value;
}

std::int32_t ClusterState::priorityOf(const api::Pod& object) const {
  return priorityOf(PodSource{.metadata = object.metadata,
                              .priority = object.spec.priority,
                              .priorityClassName = object.spec.priorityClassName});
}

std::int32_t ClusterState::priorityOf(const PodSource& pod) const {
  if (const std::string* text = annotation(pod.metadata, names::kTaskPriority)) {
    std::int32_t value = 0;
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc{} && end == text->data() + text->size()) return value;
  }
  if (pod.priority) return *pod.priority;
  if (!pod.priorityClassName.empty()) return classValue(pod.priorityClassName, 0);
  for (const auto& [name, priorityClass] : priorityClasses_) {
    if (priorityClass.globalDefault) return priorityClass.value;
  }
  return 0;
}

void ClusterState::refreshPriorities() {
  for (auto& pod : pods_) {
    if (!pod.key.empty()) pod.priority = priorityOf(*pod.object);
  }
  for (const auto& [key, id] : gangIndex_) refreshGang(id);
}

void ClusterState::applyObject(const api::PriorityClass& object) {
  priorityClasses_[object.metadata.name] = object;
  refreshPriorities();
}

void ClusterState::applyObject(const api::PodGroup& object) {
  const std::string key = keyOf(object.metadata);
  const GangId id = gangSlot(key);
  accountGang(id, Sign::Subtract);
  GangInfo& gang = gangs_[id];
  podGroups_[key] = object;
  readPodGroup(object, gang);
  giveQueue(gang, key.substr(0, key.find('/')));
  for (const PodId pod : gang.pods) {
    pods_[pod].recalled =
        !gang.recalledBy.empty() || annotation(pods_[pod].object->metadata, names::kRecalledBy) != nullptr;
  }
  accountGang(id, Sign::Add);
  refreshGang(id);
}

void ClusterState::removePodGroup(const std::string& key) {
  podGroups_.erase(key);
  const GangId id = findGang(key);
  if (id == kNone) return;
  gangs_[id].exists = false;
  releaseGangIfUnused(id);
}

void ClusterState::giveQueue(GangInfo& gang, const std::string& inNamespace) {
  if (gang.asksNoQueue) gang.queue = namespaceQueues_.queueFor(inNamespace, names::kDefaultQueue);
  gang.queueId = queues_.findOrAdd(gang.queue);
}

// Until a PodGroup is made, its pods count in their namespace's queue already.
bool ClusterState::applyObject(const api::Namespace& object) {
  if (!namespaceQueues_.isNews(object)) return false;
  namespaceQueues_.seen(object);
  const std::string& name = object.metadata.name;
  for (const auto& [key, id] : gangIndex_) {
    if (!gangs_[id].asksNoQueue || !key.starts_with(name + "/")) continue;
    accountGang(id, Sign::Subtract);
    giveQueue(gangs_[id], name);
    accountGang(id, Sign::Add);
  }
  return true;
}

// A queue's figures of use, which are written often, are for readers; the state counts by itself.
bool ClusterState::applyObject(const api::Queue& object) {
  const quota::QueueConfig config = queueConfig(object, resources_);
  const quota::QueueId held = queues_.find(config.name);
  if (held != quota::kNoQueue && queues_.exists(held) && queues_.config(held) == config) return false;
  queues_.upsert(config);
  return true;
}

void ClusterState::applyObject(const api::PodDisruptionBudget& object) {
  budgets_[keyOf(object.metadata)] = object;
}
void ClusterState::applyObject(const api::VcJob& object) {
  vcJobs_[keyOf(object.metadata)] = object;
}
void ClusterState::applyObject(const api::BatchJob& object) {
  batchJobs_[keyOf(object.metadata)] = object;
}
void ClusterState::applyObject(const api::Deployment& object) {
  deployments_[keyOf(object.metadata)] = object;
}
void ClusterState::applyObject(const api::StatefulSet& object) {
  statefulSets_[keyOf(object.metadata)] = object;
}
void ClusterState::applyObject(const api::ReplicaSet& object) {
  replicaSets_[keyOf(object.metadata)] = object;
}

void ClusterState::applyObject(const api::SuspendedPod& object) {
  suspendedPods_[keyOf(object.metadata)] = object;
}

void ClusterState::applyOperatorJob(std::size_t row, const api::OperatorJob& object) {
  const auto kind = api::operatorKindOf(api::kOperatorKinds[row].kind, api::kOperatorKinds[row].apiVersion);
  operatorJobs_.at(kind.value())[keyOf(object.metadata)] = {
      .row = row, .object = object, .facts = api::factsOf(row, object)};
}

void ClusterState::applyObject(const api::Recall& object) {
  RecallInfo info;
  info.name = object.metadata.name;
  info.queue = object.spec.queue;
  for (const auto& node : object.spec.nodes) info.nodes.insert(nodeSlot(node));
  for (const auto& placement : object.spec.placements) info.nodes.insert(nodeSlot(placement.node));
  info.active = object.status.phase != "HandedOver" && object.status.phase != "Abandoned";
  info.object = std::make_shared<const api::Recall>(object);
  recalls_[info.name] = std::move(info);
}

}  // namespace tidegate
