// PodDisruptionBudgets, as the eviction subresource judges them ("Specifying a Disruption Budget for your
// Application" and "API-initiated Eviction" of the Kubernetes documentation).
#include <algorithm>
#include <cstdint>

#include "world/sim/api_server.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

std::int32_t resolve(const api::IntOrPercent& value, std::int32_t total) {
  return value.percent ? (total * value.value + 99) / 100 : value.value;  // percentages round up
}

// How many of the pods a budget covers must stay healthy, and how many are.
struct BudgetState {
  std::int32_t healthy = 0;
  std::int32_t desired = 0;
};

BudgetState judge(const ObjectStore& store, const api::PodDisruptionBudget& budget) {
  std::int32_t covered = 0;
  BudgetState state;
  for (const auto& pod : store.all<api::Pod>()) {
    if (pod->metadata.namespace_ != budget.metadata.namespace_ || isTerminal(*pod)) continue;
    if (!matches(budget.spec.selector, pod->metadata.labels)) continue;
    ++covered;
    if (isReady(*pod) && !isTerminating(*pod)) ++state.healthy;
  }
  if (budget.spec.maxUnavailable) {
    state.desired = std::max(0, covered - resolve(*budget.spec.maxUnavailable, covered));
  } else if (budget.spec.minAvailable) {
    state.desired = resolve(*budget.spec.minAvailable, covered);
  }
  return state;
}

}  // namespace

Answer checkBudgets(const ObjectStore& store, const api::Pod& pod) {
  if (pod.status.phase == "Pending" || !isActive(pod)) return {};  // it serves nobody: no budget is touched
  for (const auto& budget : store.all<api::PodDisruptionBudget>()) {
    if (budget->metadata.namespace_ != pod.metadata.namespace_) continue;
    if (!matches(budget->spec.selector, pod.metadata.labels)) continue;
    const BudgetState state = judge(store, *budget);
    // A pod that is not Ready may go as long as the healthy ones suffice.
    const std::int32_t after = state.healthy - (isReady(pod) ? 1 : 0);
    if (after < state.desired) {
      return {Outcome::Rejected, "429: would violate PodDisruptionBudget " + keyOf(budget->metadata)};
    }
  }
  return {};
}

}  // namespace tidegate::sim
