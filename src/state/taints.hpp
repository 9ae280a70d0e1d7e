// What bars pods from a node: taints and a cordon, as the Kubernetes scheduler's TaintToleration and
// NodeUnschedulable filters judge them.
#pragma once

#include <vector>

#include "api/objects.hpp"

namespace tidegate {

bool tolerates(const std::vector<api::Toleration>& tolerations, const api::Taint& taint);
// A cordon counts as the taint node.kubernetes.io/unschedulable.
bool toleratesCordon(const std::vector<api::Toleration>& tolerations);
// All of these that keep pods away: NoSchedule, NoExecute.
bool toleratesHard(const std::vector<api::Toleration>& tolerations, const std::vector<api::Taint>& taints);

}  // namespace tidegate
