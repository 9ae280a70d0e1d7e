#include "world/sim/deployment_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

// What the ReplicaSet is told, which a change of the Deployment reaches in the next turn.
std::size_t DeploymentController::replicasOf(const api::Deployment& deployment) {
  const std::int32_t asked = std::max(0, deployment.spec.replicas.value_or(1));
  const auto [known, isNew] = replicaSets_.try_emplace(deployment.metadata.uid, asked);
  const std::int32_t now = std::exchange(known->second, asked);
  if (now != asked) wake(keyOf(deployment.metadata), services_.delay);
  return static_cast<std::size_t>(now);
}

void DeploymentController::reconcile(const api::Deployment& deployment) {
  if (deployment.metadata.deletionTimestamp) return;
  std::vector<PodPtr> active;
  for (const PodPtr& pod : api().store().podsOwnedBy(deployment.metadata.uid)) {
    if (isActive(*pod)) active.push_back(pod);
  }
  const std::size_t wanted = replicasOf(deployment);
  const std::string replicaSet =
      fmt::format("{}-{}", deployment.metadata.name, deployment.metadata.uid.substr(0, 8));
  for (std::size_t i = active.size(); i < wanted; ++i) {
    createPod(services_, podFrom(deployment.spec.template_, deployment.metadata.namespace_,
                                 generateName(services_, replicaSet), controlledBy(deployment)));
  }
  if (active.size() > wanted) {
    for (const PodPtr& pod : firstToGo(active, active.size() - wanted)) deletePod(api(), *pod);
  }
  const auto ready = std::ranges::count_if(active, [](const PodPtr& pod) { return isReady(*pod); });
  api().modify<api::Deployment>(keyOf(deployment.metadata), deployment.metadata.uid,
                                [&](api::Deployment& it) {
                                  it.status.replicas = static_cast<std::int32_t>(wanted);
                                  it.status.readyReplicas = static_cast<std::int32_t>(ready);
                                });
}

}  // namespace tidegate::sim
