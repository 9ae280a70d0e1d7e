#include <algorithm>

#include "scheduler/actions.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/reasons.hpp"
#include "scheduler/returning.hpp"

namespace tidegate::scheduler {
using placement::Session;

namespace {

placement::Scoring scoringOf(const Policy& policy) {
  return {.nodeOrder = policy.nodeOrder,
          .leastRequested = policy.nodeOrderWeights.leastRequested,
          .mostRequested = policy.nodeOrderWeights.mostRequested,
          .balancedResource = policy.nodeOrderWeights.balancedResource};
}

void runAction(ActionKind kind, PlanContext context, CycleResult& result) {
  switch (kind) {
    case ActionKind::Enqueue:
      return;  // admission never blocks a recall: there is nothing to decide
    case ActionKind::Allocate:
      return allocate(context, result);
    case ActionKind::Backfill:
      return backfill(context, result);
    case ActionKind::Preempt:
      return preempt(context, result);
    case ActionKind::Reclaim:
      return reclaim(context, result);
  }
}

std::vector<BindDecision> decisionsOf(const Session& session,
                                      const std::vector<placement::Placement>& placements) {
  std::vector<BindDecision> decisions;
  for (const auto& p : placements) decisions.push_back({.pod = p.task.pod, .node = session.nodeAt(p.slot)});
  std::ranges::sort(decisions, {}, [&](const BindDecision& d) -> const std::string& {
    return session.state().pod(d.pod).key;
  });
  return decisions;
}

}  // namespace

Decisions decide(const ClusterState& state, const Policy& policy, Time now,
                 const std::vector<ReturningJob>& returning) {
  Session session(state, now);
  ReturningWork kept(session, policy, scoringOf(policy), returning);
  const PlanContext context{
      .session = session, .policy = policy, .scoring = scoringOf(policy), .returning = kept};
  CycleResult result;
  for (const ActionKind action : policy.actions) runAction(action, context, result);
  return {.binds = decisionsOf(session, result.bound),
          .pipelined = decisionsOf(session, result.pipelined),
          .recalls = std::move(result.recalls),
          .pending = explainPending(context, result)};
}

std::vector<std::int32_t> fitsNow(const ClusterState& state, const Policy& policy,
                                  const std::vector<ReturningJob>& returning, Time now) {
  Session session(state, now);
  ReturningWork kept(session, policy, scoringOf(policy), returning);
  const PlanContext context{
      .session = session, .policy = policy, .scoring = scoringOf(policy), .returning = kept};
  CycleResult waiting;
  allocate(context, waiting);
  return kept.placedNow();
}

}  // namespace tidegate::scheduler
