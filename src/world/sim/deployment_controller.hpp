// Deployment with its ReplicaSet folded in: keeps `replicas` living pods, and replaces at once what is
// deleted. Rolling updates are not simulated: a changed template holds for pods created later.
#pragma once

#include "world/sim/controller.hpp"

namespace tidegate::sim {

class DeploymentController : public OwnerController<api::Deployment> {
 public:
  using OwnerController::OwnerController;

 private:
  void reconcile(const api::Deployment& deployment) override;
};

}  // namespace tidegate::sim
