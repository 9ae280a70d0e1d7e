// Deployment with its ReplicaSet folded in: keeps `replicas` living pods, and replaces at once what is
// deleted. A changed number takes one turn longer than a lost pod to have an effect, as it goes from the
// Deployment to its ReplicaSet first. Rolling updates are not simulated: a changed template holds for pods
// created later.
#pragma once

#include <map>
#include <string>

#include "world/sim/controller.hpp"

namespace tidegate::sim {

class DeploymentController : public OwnerController<api::Deployment> {
 public:
  using OwnerController::OwnerController;

 private:
  void reconcile(const api::Deployment& deployment) override;
  void forget(const std::string& uid) override { replicaSets_.erase(uid); }
  std::size_t replicasOf(const api::Deployment& deployment);

  std::map<std::string, std::int32_t> replicaSets_;  // replicas of the ReplicaSet, by uid of the Deployment
};

}  // namespace tidegate::sim
