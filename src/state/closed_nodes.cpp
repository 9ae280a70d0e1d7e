// Nodes that take nothing new of ours: cordoned, or with hard taints, unless some live pod of ours may stand
// on them still.
#include <algorithm>

#include "state/cluster_state.hpp"
#include "state/selectors.hpp"
#include "state/taints.hpp"

namespace tidegate {
namespace {

bool admits(const NodeInfo& node, const std::vector<api::Toleration>& tolerations) {
  return (!node.unschedulable || toleratesCordon(tolerations)) && toleratesHard(tolerations, node.taints);
}

bool barred(const NodeInfo& node) {
  return !admits(node, {});
}

}  // namespace

ResourceVec offeredBy(const NodeInfo& node) {
  if (!node.exists || !node.ready) return {};
  if (node.closed) return node.staying;
  ResourceVec offered = node.allocatable - node.foreign;
  // Others may hold more than there is: a device that was lost, a resource that no node names.
  for (ResourceId id = 0; id < offered.size(); ++id) offered.set(id, std::max<Amount>(0, offered[id]));
  return offered;
}

std::optional<ConstraintsId> ClusterState::placedClass(const PodInfo& pod) const {
  return pod.ours && !pod.terminal() ? std::optional(pod.constraints) : std::nullopt;
}

bool ClusterState::opens(ConstraintsId id, const NodeInfo& node) const {
  const PodConstraints& pod = constraints_[id];
  return admits(node, pod.tolerations) && selects(pod, node);
}

void ClusterState::countOpeners(NodeInfo& node) const {
  node.openTo = 0;
  if (!barred(node)) return;
  for (const auto& [id, pods] : placedClasses_) node.openTo += opens(id, node) ? 1 : 0;
}

void ClusterState::settleClosed(NodeInfo& node) {
  const bool closed = node.exists && node.ready && barred(node) && node.openTo == 0;
  if (closed == node.closed) return;
  node.closed = closed;
  for (const PodId id : node.pods) {
    const PodInfo& pod = pods_[id];
    if (!pod.ours || pod.leaving()) continue;
    const quota::QueueId queue = gangs_[pod.gang].queueId;
    closed ? queues_.addClosed(queue, pod.request) : queues_.subtractClosed(queue, pod.request);
  }
}

// Pods of a class come and go all the time; nodes are looked at when its first comes and its last is gone.
void ClusterState::classComes(ConstraintsId id) {
  if (++placedClasses_[id] == 1) changeOpeners(id, Sign::Add);
}

void ClusterState::classGoes(ConstraintsId id) {
  const auto entry = placedClasses_.find(id);
  if (--entry->second > 0) return;
  placedClasses_.erase(entry);
  changeOpeners(id, Sign::Subtract);
}

void ClusterState::changeOpeners(ConstraintsId id, Sign sign) {
  if (constraints_[id].tolerations.empty()) return;
  for (NodeInfo& node : nodes_) {
    if (!node.exists || !barred(node) || !opens(id, node)) continue;
    const ResourceVec before = offeredBy(node);
    sign == Sign::Add ? ++node.openTo : --node.openTo;
    settleClosed(node);
    refreshTotal(before, offeredBy(node));
  }
}

}  // namespace tidegate
