#include "placement/predicates.hpp"

#include <algorithm>

#include "state/selectors.hpp"
#include "state/taints.hpp"

namespace tidegate::placement {
namespace {

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
  if (node.unschedulable && !toleratesCordon(constraints.tolerations)) return Verdict::Unschedulable;
  if (!selected(node, constraints)) return Verdict::Selector;
  if (!toleratesHard(constraints.tolerations, node.taints)) return Verdict::Taint;
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
    if (taint.effect == "PreferNoSchedule" && !tolerates(constraints.tolerations, taint)) --score;
  }
  return score;
}

}  // namespace tidegate::placement
