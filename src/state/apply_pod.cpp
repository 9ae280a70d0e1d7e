// Pods: which gang they belong to, and their share in every sum.
#include <algorithm>

#include "api/names.hpp"
#include "state/cluster_state.hpp"
#include "state/translate.hpp"

namespace tidegate {
namespace names = api::names;

namespace {

// Keeps a list of pods sorted by key, so that iteration order does not depend on arrival.
void insertSorted(std::vector<PodId>& list, PodId id, const std::vector<PodInfo>& pods) {
  auto at = std::ranges::lower_bound(list, pods[id].key, {},
                                     [&](PodId other) -> const std::string& { return pods[other].key; });
  if (at == list.end() || *at != id) list.insert(at, id);
}

void eraseFrom(std::vector<PodId>& list, PodId id) {
  std::erase(list, id);
}

std::string groupNameOf(const api::Pod& pod) {
  for (const char* name : {names::kGroupName, names::kGroupNameVolcano}) {
    const std::string* value = annotation(pod.metadata, name);
    if (value != nullptr && !value->empty()) return *value;
  }
  return "";
}

std::string constraintsKey(const api::PodSpec& spec) {
  std::string key;
  auto put = [&key](std::string_view text) { key.append(text).push_back('\x1f'); };
  auto putRequirements = [&](const std::vector<api::LabelSelectorRequirement>& list) {
    for (const auto& need : list) {
      put(need.key), put(need.operator_);
      for (const auto& value : need.values) put(value);
      put("|");
    }
  };
  for (const auto& [name, value] : spec.nodeSelector) put(name), put(value);
  put("#");
  if (spec.affinity && spec.affinity->nodeAffinity) {
    const auto& affinity = *spec.affinity->nodeAffinity;
    if (affinity.requiredDuringSchedulingIgnoredDuringExecution) {
      for (const auto& term : affinity.requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms) {
        put("r"), putRequirements(term.matchExpressions), putRequirements(term.matchFields);
      }
    }
    for (const auto& term : affinity.preferredDuringSchedulingIgnoredDuringExecution) {
      put("p"), put(std::to_string(term.weight));
      putRequirements(term.preference.matchExpressions), putRequirements(term.preference.matchFields);
    }
  }
  put("#");
  for (const auto& t : spec.tolerations) put(t.key), put(t.operator_), put(t.value), put(t.effect);
  return key == "#\x1f#\x1f" ? "" : key;
}

}  // namespace

PodConstraints constraintsIn(const api::PodSpec& spec) {
  return {.nodeSelector = spec.nodeSelector,
          .nodeAffinity = spec.affinity ? spec.affinity->nodeAffinity : std::nullopt,
          .tolerations = spec.tolerations};
}

ConstraintsId ClusterState::internConstraints(const api::PodSpec& spec) {
  auto [entry, added] = constraintIndex_.try_emplace(constraintsKey(spec), constraints_.size());
  if (added) constraints_.push_back(constraintsIn(spec));
  return entry->second;
}

ConstraintsId ClusterState::constraintsOf(const api::PodSpec& spec) const {
  auto found = constraintIndex_.find(constraintsKey(spec));
  return found == constraintIndex_.end() ? kNone : found->second;
}

void ClusterState::account(PodId id, Sign sign) {
  const PodInfo& pod = pods_[id];
  if (pod.key.empty()) return;
  const quota::QueueId queue = gangs_[pod.gang].queueId;
  const bool add = sign == Sign::Add;
  auto change = [&](ResourceVec& sum) { add ? sum += pod.request : sum -= pod.request; };
  if (pod.bound()) {
    NodeInfo& node = nodes_[pod.node];
    const bool movesTotal = node.closed || !pod.ours;
    const ResourceVec before = movesTotal ? offeredBy(node) : ResourceVec{};
    change(node.used);
    if (pod.leaving()) change(node.leaving);
    add ? insertSorted(node.pods, id, pods_) : eraseFrom(node.pods, id);
    if (!pod.ours) {
      change(node.foreign);
    } else {
      add ? queues_.addUsed(queue, pod.request) : queues_.subtractUsed(queue, pod.request);
      if (!pod.leaving()) change(node.staying);
      if (node.closed && !pod.leaving())
        add ? queues_.addClosed(queue, pod.request) : queues_.subtractClosed(queue, pod.request);
    }
    if (movesTotal) refreshTotal(before, offeredBy(node));
  } else if (pod.pending()) {
    add ? queues_.addPending(queue, pod.request) : queues_.subtractPending(queue, pod.request);
  }
}

GangId ClusterState::gangOf(const api::Pod& object) {
  const std::string group = groupNameOf(object);
  if (!group.empty()) {
    const GangId id = gangSlot(keyOf(object.metadata.namespace_, group));
    return id;
  }
  const auto& owners = object.metadata.ownerReferences;
  auto controller = std::ranges::find_if(owners, [](const auto& owner) { return owner.controller; });
  const std::string& owner = controller != owners.end() ? controller->uid : object.metadata.uid;
  const GangId id = gangSlot(
      keyOf(object.metadata.namespace_, "podgroup-" + (owner.empty() ? object.metadata.name : owner)));
  if (!gangs_[id].exists) {
    accountGang(id, Sign::Subtract);
    readImplicitGang(object, gangs_[id]);
    giveQueue(gangs_[id], object.metadata.namespace_);
    accountGang(id, Sign::Add);
  }
  return id;
}

void ClusterState::detachPod(PodId id) {
  account(id, Sign::Subtract);
  const GangId gang = pods_[id].gang;
  eraseFrom(gangs_[gang].pods, id);
}

void ClusterState::applyObject(const api::Pod& object) {
  const std::string key = keyOf(object.metadata);
  auto [entry, added] = podIndex_.try_emplace(key, kNone);
  NodeId assumedOn = kNone;
  if (added) {
    if (freePods_.empty()) {
      entry->second = static_cast<PodId>(pods_.size());
      pods_.emplace_back();
    } else {
      entry->second = freePods_.back();
      freePods_.pop_back();
    }
  }
  const PodId id = entry->second;
  GangId oldGang = kNone;
  std::optional<ConstraintsId> oldClass;
  if (!added) {
    oldClass = placedClass(pods_[id]);
    if (pods_[id].assumed && pods_[id].uid == object.metadata.uid) assumedOn = pods_[id].node;
    oldGang = pods_[id].gang;
    detachPod(id);
  }
  pods_[id] = PodInfo{};
  const GangId gang = gangOf(object);
  PodInfo& pod = pods_[id];
  readPod(object, resources_, pod);
  pod.ours = schedulerNames_.contains(object.spec.schedulerName);
  pod.gang = gang;
  pod.priority = priorityOf(*pod.object);
  pod.constraints = internConstraints(object.spec);
  if (const auto placed = placedClass(pod)) classComes(*placed);
  if (oldClass) classGoes(*oldClass);
  pod.recalled =
      !gangs_[gang].recalledBy.empty() || annotation(object.metadata, names::kRecalledBy) != nullptr;
  pod.node = object.spec.nodeName.empty() ? assumedOn : nodeSlot(object.spec.nodeName);
  pod.assumed = object.spec.nodeName.empty() && assumedOn != kNone;
  insertSorted(gangs_[gang].pods, id, pods_);
  account(id, Sign::Add);
  refreshGang(gang);
  if (oldGang != kNone && oldGang != gang) releaseGangIfUnused(oldGang);
}

void ClusterState::removePod(const std::string& key) {
  auto entry = podIndex_.find(key);
  if (entry == podIndex_.end()) return;
  const PodId id = entry->second;
  const GangId gang = pods_[id].gang;
  detachPod(id);
  if (const auto placed = placedClass(pods_[id])) classGoes(*placed);
  pods_[id] = PodInfo{};
  freePods_.push_back(id);
  podIndex_.erase(entry);
  releaseGangIfUnused(gang);
}

void ClusterState::assumeBind(PodId id, NodeId node) {
  TIDEGATE_CHECK(pods_[id].node == kNone, "pod " + pods_[id].key + " is bound already");
  account(id, Sign::Subtract);
  pods_[id].node = node;
  pods_[id].assumed = true;
  account(id, Sign::Add);
  ++generation_;
}

void ClusterState::undoBind(PodId id) {
  if (!pods_[id].assumed) return;
  account(id, Sign::Subtract);
  pods_[id].node = kNone;
  pods_[id].assumed = false;
  account(id, Sign::Add);
  ++generation_;
}

void ClusterState::assumeRecalled(PodId id) {
  if (pods_[id].recalled) return;
  account(id, Sign::Subtract);
  pods_[id].recalled = true;
  account(id, Sign::Add);
  ++generation_;
}

void ClusterState::markOverdue(PodId id) {
  if (pods_[id].overdue) return;
  account(id, Sign::Subtract);
  pods_[id].overdue = true;
  account(id, Sign::Add);
  ++generation_;
}

void ClusterState::dropAssumptions(PodId id) {
  PodInfo& pod = pods_[id];
  const bool recalled =
      !gangs_[pod.gang].recalledBy.empty() || annotation(pod.object->metadata, names::kRecalledBy) != nullptr;
  if (pod.recalled == recalled && !pod.overdue) return;
  account(id, Sign::Subtract);
  pod.recalled = recalled;
  pod.overdue = false;
  account(id, Sign::Add);
  ++generation_;
}

}  // namespace tidegate
