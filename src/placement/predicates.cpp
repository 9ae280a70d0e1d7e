#include "placement/predicates.hpp"

#include "state/selectors.hpp"
#include "state/taints.hpp"

namespace tidegate::placement {
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
  if (!selects(constraints, node)) return Verdict::Selector;
  if (!toleratesHard(constraints.tolerations, node.taints)) return Verdict::Taint;
  return Verdict::Fits;
}

int preference(const NodeInfo& node, const PodConstraints& constraints) {
  int score = 0;
  if (constraints.nodeAffinity) {
    for (const auto& term : constraints.nodeAffinity->preferredDuringSchedulingIgnoredDuringExecution) {
      if (matches(term.preference, node)) score += term.weight;
    }
  }
  for (const auto& taint : node.taints) {
    if (taint.effect == "PreferNoSchedule" && !tolerates(constraints.tolerations, taint)) --score;
  }
  return score;
}

}  // namespace tidegate::placement
