#include "world/sim/node_lifecycle.hpp"

#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";

api::Condition ready(const char* status, const char* reason) {
  return {.type = "Ready", .status = status, .reason = reason, .message = {}, .lastTransitionTime = {}};
}

api::ObjectRef refOfPod(const api::Pod& pod) {
  return refTo<api::Pod>(pod.metadata.namespace_, pod.metadata.name);
}

}  // namespace

NodeLifecycle::NodeLifecycle(EventQueue& clock, SimApiServer& api, Kubelets& kubelets, NodeOptions options)
    : clock_(clock), api_(api), kubelets_(kubelets), options_(options) {
  api_.feed().subscribe([this](const Change& change) {
    if (change.after || !std::holds_alternative<api::Node>(*change.before)) return;
    clock_.after(options_.orphanAfter,
                 [this, node = api::metadataOf(*change.before).name] { collectOrphans(node); });
  });
}

bool NodeLifecycle::lost(const std::string& node) {
  const Kubelet* kubelet = kubelets_.find(node);
  return kubelet && !kubelet->alive();
}

void NodeLifecycle::crash(const std::string& node) {
  Kubelet* kubelet = kubelets_.find(node);
  if (!kubelet || !kubelet->alive()) return;
  kubelet->crash();
  clock_.after(options_.notReadyAfter, [this, node] { markNotReady(node); });
}

void NodeLifecycle::recover(const std::string& node) {
  if (!lost(node) || !api_.store().find<api::Node>(node)) return;
  kubelets_.find(node)->recover();
  markReady(node);
}

void NodeLifecycle::markNotReady(const std::string& node) {
  if (!lost(node)) return;
  api_.modify<api::Node>(node, "", [this](api::Node& it) {
    setCondition(it.status.conditions, ready("Unknown", "NodeStatusUnknown"), clock_.now());
    std::erase_if(it.spec.taints, [](const api::Taint& taint) { return taint.key == kUnreachable; });
    it.spec.taints.push_back({.key = kUnreachable, .value = "", .effect = "NoSchedule"});
    it.spec.taints.push_back({.key = kUnreachable, .value = "", .effect = "NoExecute"});
  });
  for (const auto& pod : api_.store().podsOn(node)) {
    if (!isReady(*pod)) continue;
    api_.modify<api::Pod>(keyOf(pod->metadata), pod->metadata.uid, [this](api::Pod& it) {
      setCondition(it.status.conditions, ready("False", "NodeLost"), clock_.now());
    });
  }
  clock_.after(options_.evictAfter, [this, node] { evictPods(node); });
}

void NodeLifecycle::markReady(const std::string& node) {
  api_.modify<api::Node>(node, "", [this](api::Node& it) {
    setCondition(it.status.conditions, ready("True", "KubeletReady"), clock_.now());
    std::erase_if(it.spec.taints, [](const api::Taint& taint) { return taint.key == kUnreachable; });
  });
}

void NodeLifecycle::evictPods(const std::string& node) {
  if (!lost(node)) return;
  for (const auto& pod : api_.store().podsOn(node)) {
    if (!isTerminating(*pod)) api_.remove(refOfPod(*pod), {.uid = pod->metadata.uid, .graceSeconds = {}});
  }
}

void NodeLifecycle::collectOrphans(const std::string& node) {
  if (api_.store().find<api::Node>(node)) return;
  for (const auto& pod : api_.store().podsOn(node)) {
    api_.remove(refOfPod(*pod), {.uid = pod->metadata.uid, .graceSeconds = 0});
  }
}

}  // namespace tidegate::sim
