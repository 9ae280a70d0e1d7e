#include <algorithm>

#include "scheduler/actions.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/reasons.hpp"
#include "state/translate.hpp"

namespace tidegate::scheduler {
using placement::Session;
using placement::Task;

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

Decisions decide(const ClusterState& state, const Policy& policy, Time now) {
  Session session(state, now);
  const PlanContext context{.session = session, .policy = policy, .scoring = scoringOf(policy)};
  CycleResult result;
  for (const ActionKind action : policy.actions) runAction(action, context, result);
  return {.binds = decisionsOf(session, result.bound),
          .pipelined = decisionsOf(session, result.pipelined),
          .recalls = std::move(result.recalls),
          .pending = explainPending(context, result)};
}

std::vector<bool> fitsNow(const ClusterState& state, const Policy& policy,
                          const std::vector<ResumeQuery>& queries, Time now) {
  Session session(state, now);
  const PlanContext context{.session = session, .policy = policy, .scoring = scoringOf(policy)};
  CycleResult waitingFirst;
  allocate(context, waitingFirst);
  ResourceTable table = state.resources();
  std::vector<bool> answers;
  std::vector<std::vector<ResourceVec>> requests;  // tasks point into it
  requests.reserve(queries.size());
  for (const ResumeQuery& query : queries) {
    const auto queue = state.queues().find(query.queue);
    auto& own = requests.emplace_back();
    own.reserve(query.pods.size());
    std::vector<Task> tasks;
    for (const api::Pod& pod : query.pods) {
      own.push_back(podRequest(pod.spec, table));
      tasks.push_back({.pod = kNone,
                       .gang = kNone,
                       .queue = queue,
                       .constraints = session.classOf(pod.spec),
                       .request = &own.back(),
                       .wholeNode = false});
    }
    if (query.minMember > 0 && static_cast<std::size_t>(query.minMember) < tasks.size()) {
      tasks.resize(static_cast<std::size_t>(query.minMember));
    }
    answers.push_back(queue != quota::kNoQueue &&
                      !placement::placeTasks(session, tasks, placement::Target::Now,
                                             placement::HowMany::AllOrNothing, context.scoring)
                           .empty());
  }
  return answers;
}

}  // namespace tidegate::scheduler
