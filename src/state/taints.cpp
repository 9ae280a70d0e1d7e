#include "state/taints.hpp"

#include <algorithm>

namespace tidegate {
namespace {

bool covers(const api::Toleration& toleration, const api::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  const bool exists = toleration.operator_ == "Exists";
  if (toleration.key.empty()) return exists;
  if (toleration.key != taint.key) return false;
  return exists || toleration.value == taint.value;
}

bool isHard(const api::Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

}  // namespace

bool tolerates(const std::vector<api::Toleration>& tolerations, const api::Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const auto& each) { return covers(each, taint); });
}

bool toleratesCordon(const std::vector<api::Toleration>& tolerations) {
  return tolerates(tolerations,
                   {.key = "node.kubernetes.io/unschedulable", .value = "", .effect = "NoSchedule"});
}

bool toleratesHard(const std::vector<api::Toleration>& tolerations, const std::vector<api::Taint>& taints) {
  return std::ranges::all_of(
      taints, [&](const auto& taint) { return !isHard(taint) || tolerates(tolerations, taint); });
}

}  // namespace tidegate
