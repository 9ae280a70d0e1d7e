#include "state/cluster_state.hpp"

#include "api/kinds.hpp"

namespace tidegate {

std::string keyOf(std::string_view namespace_, std::string_view name) {
  std::string key;
  key.reserve(namespace_.size() + name.size() + 1);
  key.append(namespace_.empty() ? std::string_view("default") : namespace_).append("/").append(name);
  return key;
}

std::string keyOf(const api::ObjectMeta& metadata) {
  return keyOf(metadata.namespace_, metadata.name);
}

namespace {

// Objects that are gone are remembered so that a late event about them does not bring them back.
constexpr std::size_t kRememberedGone = 20000;

bool notNewer(const std::string& candidate, const std::string& held) {
  const auto a = api::versionNumber(candidate);
  const auto b = api::versionNumber(held);
  return a && b && *a <= *b;
}

template <class Index>
std::uint32_t findIn(const Index& index, std::string_view key) {
  auto found = index.find(key);
  return found == index.end() ? kNone : found->second;
}

}  // namespace

api::ObjectRef refOf(const PodInfo& pod) {
  return {.kind = api::Pod::kKind,
          .apiVersion = api::Pod::kApiVersion,
          .namespace_ = pod.object->metadata.namespace_,
          .name = pod.object->metadata.name};
}

ClusterState::ClusterState(std::set<std::string> schedulerNames)
    : schedulerNames_(std::move(schedulerNames)) {
  constraints_.emplace_back();
  constraintIndex_.emplace("", 0);
}

bool ClusterState::isNews(const api::ObjectRef& ref, const api::ObjectMeta& metadata) {
  Version& held = versions_[ref];
  if (held.gone && !metadata.uid.empty() && held.uid == metadata.uid) return false;
  if (notNewer(metadata.resourceVersion, held.resourceVersion)) return false;
  held = Version{.uid = metadata.uid, .resourceVersion = metadata.resourceVersion, .gone = false};
  return true;
}

void ClusterState::apply(const api::Object& object) {
  if (!isNews(api::refOf(object), api::metadataOf(object))) return;
  const bool matters = std::visit(
      [this](const auto& typed) {
        if constexpr (std::is_void_v<decltype(applyObject(typed))>) {
          applyObject(typed);
          return true;
        } else {
          return applyObject(typed);
        }
      },
      object);
  if (matters) ++generation_;
}

void ClusterState::remove(const api::ObjectRef& ref, const std::string& uid) {
  auto held = versions_.find(ref);
  if (held == versions_.end() || held->second.gone) return;
  if (!uid.empty() && !held->second.uid.empty() && held->second.uid != uid) return;
  held->second.gone = true;
  goneOrder_.push_back(ref);
  if (goneOrder_.size() > 2 * kRememberedGone) {
    for (std::size_t i = 0; i < kRememberedGone; ++i) {
      auto old = versions_.find(goneOrder_[i]);
      if (old != versions_.end() && old->second.gone) versions_.erase(old);
    }
    goneOrder_.erase(goneOrder_.begin(), goneOrder_.begin() + kRememberedGone);
  }

  const std::string key = keyOf(ref.namespace_, ref.name);
  if (ref.kind == api::Pod::kKind)
    removePod(key);
  else if (ref.kind == api::Node::kKind)
    removeNode(ref.name);
  else if (ref.kind == api::PodGroup::kKind)
    removePodGroup(key);
  else if (ref.kind == api::Queue::kKind)
    queues_.remove(ref.name);
  else if (ref.kind == api::Recall::kKind)
    recalls_.erase(ref.name);
  else if (ref.kind == api::Namespace::kKind)
    namespaceQueues_.gone(ref.name);
  else if (ref.kind == api::SuspendedPod::kKind)
    suspendedPods_.erase(key);
  else if (ref.kind == api::Deployment::kKind)
    deployments_.erase(key);
  else if (ref.kind == api::StatefulSet::kKind)
    statefulSets_.erase(key);
  else if (ref.kind == api::ReplicaSet::kKind)
    replicaSets_.erase(key);
  else if (ref.kind == api::PodDisruptionBudget::kKind)
    budgets_.erase(key);
  else if (ref.kind == api::PriorityClass::kKind)
    priorityClasses_.erase(ref.name);
  else if (ref.kind == api::HyperNode::kKind)
    hyperNodes_.erase(ref.name), domains_.reset();
  else if (ref.kind == api::VcJob::kKind && ref.apiVersion == api::VcJob::kApiVersion)
    vcJobs_.erase(key);
  else if (ref.kind == api::BatchJob::kKind)
    batchJobs_.erase(key);
  else if (const auto kind = api::operatorKindOf(ref.kind, ref.apiVersion))
    operatorJobs_.at(*kind).erase(key);
  ++generation_;
}

NodeId ClusterState::findNode(std::string_view name) const {
  return findIn(nodeIndex_, name);
}
PodId ClusterState::findPod(std::string_view key) const {
  return findIn(podIndex_, key);
}
GangId ClusterState::findGang(std::string_view key) const {
  return findIn(gangIndex_, key);
}

}  // namespace tidegate
