// Actions preempt and reclaim: waiting work is planned in batches, a queue's alike work at once.
#include <algorithm>

#include "scheduler/actions.hpp"
#include "scheduler/pod_by_pod.hpp"
#include "scheduler/returning.hpp"

namespace tidegate::scheduler {
using placement::Session;
using placement::Task;

namespace {

// Pods with preemptionPolicy: Never take nothing from anybody.
bool mayTake(const Session& session, const WorkItem& item) {
  return std::ranges::none_of(item.tasks,
                              [&](const Task& t) { return session.state().pod(t.pod).neverPreempts; });
}

bool isUniform(const WorkItem& item) {
  return std::ranges::all_of(item.tasks,
                             [&](const Task& task) { return task.sameClass(item.tasks.front()); });
}

// Work that can be planned as one: one class of tasks, one priority, not bound to a HyperNode, and, inside a
// queue, what gangs need apart from what they would only like. Other items stand alone.
bool joins(const Session& session, ActionKind action, const std::vector<WorkItem>& batch,
           const WorkItem& item) {
  const WorkItem& first = batch.front();
  if (action == ActionKind::Preempt && isLuxury(session, first) != isLuxury(session, item)) return false;
  const ClusterState& state = session.state();
  const GangInfo& left = state.gang(first.gang);
  const GangInfo& right = state.gang(item.gang);
  return isUniform(first) && isUniform(item) && first.tasks.front().sameClass(item.tasks.front()) &&
         left.priority == right.priority && !left.hardTier && !right.hardTier;
}

// Waiting work that has no place yet, queue by queue in the order of service, batch by batch in the order of
// the first item of each.
std::vector<std::vector<WorkItem>> collectBatches(PlanContext context, ActionKind action) {
  const Session& session = context.session;
  std::vector<std::vector<WorkItem>> batches;
  WorkOrder order(session, collectWork(session, context.policy, WorkKind::Requesting));
  while (auto item = order.next(session)) {
    if (!mayTake(session, *item)) continue;
    if (!item->required && !context.returning.delayedBy(*item).empty()) continue;
    auto batch =
        std::ranges::find_if(batches, [&](const auto& b) { return joins(session, action, b, *item); });
    if (batch == batches.end())
      batches.push_back({std::move(*item)});
    else
      batch->push_back(std::move(*item));
  }
  return batches;
}

// Pods beyond minMember follow those that are needed: nothing is stopped for them before these have a place,
// or ask in the same batch.
std::vector<WorkItem> withoutStrays(const Session& session, const std::vector<WorkItem>& batch) {
  std::vector<WorkItem> out;
  for (const WorkItem& item : batch) {
    const bool together = std::ranges::any_of(
        out, [&](const WorkItem& other) { return other.required && other.gang == item.gang; });
    const std::int32_t needed = session.state().gang(item.gang).minMember;
    if (item.required || together || activeMembers(session, item.gang) >= needed) out.push_back(item);
  }
  return out;
}

using PlanFunction = BatchOutcome (*)(PlanContext, const std::vector<WorkItem>&);

void runBatches(PlanContext context, CycleResult& result, ActionKind action, PlanFunction plan) {
  for (const auto& collected : collectBatches(context, action)) {
    const std::vector<WorkItem> batch = withoutStrays(context.session, collected);
    if (batch.empty()) continue;
    // What is kept for a returning job is idle: nobody is stopped for work that has a better right to it.
    const std::vector<std::size_t> yielded = context.returning.yieldTo(batch.front());
    BatchOutcome outcome = plan(context, batch);
    for (const std::size_t job : yielded) context.returning.reserve(job);
    result.pipelined.insert(result.pipelined.end(), outcome.pipelined.begin(), outcome.pipelined.end());
    std::ranges::move(outcome.recalls, std::back_inserter(result.recalls));
    if (outcome.reason.empty()) continue;
    for (const WorkItem& item : batch) {
      const bool waits = std::ranges::any_of(
          item.tasks, [&](const Task& task) { return !context.session.isPlaced(task.pod); });
      if (waits) result.refusals[item.gang] = outcome.reason;
    }
  }
}

}  // namespace

void preempt(PlanContext context, CycleResult& result) {
  runBatches(context, result, ActionKind::Preempt, planPreempt);
}

void reclaim(PlanContext context, CycleResult& result) {
  const bool plain = context.policy.victims == VictimPolicy::PodByPod;
  runBatches(context, result, ActionKind::Reclaim, plain ? reclaimPodByPod : planReclaim);
}

}  // namespace tidegate::scheduler
