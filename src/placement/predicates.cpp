#include "placement/predicates.hpp"

#include <algorithm>

#include "state/selectors.hpp"

namespace tidegate::placement {
namespace {

bool tolerates(const api::Toleration& toleration, const api::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  const bool exists = toleration.operator_ == "Exists";
  if (toleration.key.empty()) return exists;
  if (toleration.key != taint.key) return false;
  return exists || toleration.value == taint.value;
}

bool toleratesAny(const std::vector<api::Toleration>& tolerations, const api::Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const auto& t) { return tolerates(t, taint); });
}

bool termMatches(const api::NodeSelectorTerm& term, const NodeInfo& node) {
  if (term.matchExpressions.empty() && term.matchFields.empty()) return false;
  const api::StringMap fields = {{"metadata.name", node.name}};
  return std::ranges::all_of(term.matchExpressions,
                             [&](const auto& need) { return matches(need, node.labels); }) &&
         std::ranges::all_of(term.matchFields, [&](const auto& need) { return matches(need, fields); });
}

bool selected(const NodeInfo& node, const PodConstraints& constraints) {
  for (const auto& [key, value] : constraints.nodeSelector) {
    auto found = node.labels.find(key);
    if (found == node.labels.end() || found->second != value) return false;
  }
  if (!constraints.nodeAffinity) return true;
  const auto& required = constraints.nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution;
  return !required || std::ranges::any_of(required->nodeSelectorTerms,
                                          [&](const auto& term) { return termMatches(term, node); });
}

}  // namespace

const char* describe(Verdict verdict) {
  switch (verdict) {
    case Verdict::Fits:
      return "fits";
    case Verdict::Gone:
      return "gone";
    case Verdict::NotReady:
      return "not ready";
    case Verdict::Unschedulable:
      return "unschedulable";
    case Verdict::Selector:
      return "node selector or affinity";
    case Verdict::Taint:
      return "taint not tolerated";
  }
  return "unknown";
}

Verdict judge(const NodeInfo& node, const PodConstraints& constraints) {
  if (!node.exists) return Verdict::Gone;
  if (!node.ready) return Verdict::NotReady;
  if (node.unschedulable) {
    const api::Taint cordon{.key = "node.kubernetes.io/unschedulable", .value = "", .effect = "NoSchedule"};
    if (!toleratesAny(constraints.tolerations, cordon)) return Verdict::Unschedulable;
  }
  if (!selected(node, constraints)) return Verdict::Selector;
  for (const auto& taint : node.taints) {
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (hard && !toleratesAny(constraints.tolerations, taint)) return Verdict::Taint;
  }
  return Verdict::Fits;
}

int preference(const NodeInfo& node, const PodConstraints& constraints) {
  int score = 0;
  if (constraints.nodeAffinity) {
    for (const auto& term : constraints.nodeAffinity->preferredDuringSchedulingIgnoredDuringExecution) {
      if (termMatches(term.preference, node)) score += term.weight;
    }
  }
  for (const auto& taint : node.taints) {
    if (taint.effect == "PreferNoSchedule" && !toleratesAny(constraints.tolerations, taint)) --score;
  }
  return score;
}

}  // namespace tidegate::placement
