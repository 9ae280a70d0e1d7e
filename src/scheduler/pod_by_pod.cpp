#include "scheduler/pod_by_pod.hpp"

#include <algorithm>
#include <tuple>

#include "quota/legality.hpp"
#include "scheduler/devices.hpp"

namespace tidegate::scheduler {
using placement::Session;
using placement::Slot;
using placement::Task;

namespace {

struct NodeChoice {
  Slot slot = 0;
  std::int32_t highest = 0;  // priority of the most important victim
  std::vector<PodId> pods;
  bool better(const NodeChoice& other) const {
    return std::tuple(highest, pods.size(), slot) < std::tuple(other.highest, other.pods.size(), other.slot);
  }
};

std::vector<PodId> candidatesOn(const Session& session, const Task& task, Slot slot,
                                const std::vector<ResourceId>& judged) {
  const ClusterState& state = session.state();
  std::vector<PodId> candidates;
  for (const PodId id : session.node(slot).pods) {
    const PodInfo& pod = state.pod(id);
    const auto lender = state.gang(pod.gang).queueId;
    if (session.isLeaving(id) || !pod.ours || !pod.preemptable || lender == task.queue) continue;
    if (quota::exposed(session.quotaFuture(), lender, task.queue, pod.request, judged))
      candidates.push_back(id);
  }
  std::ranges::stable_sort(candidates, {}, [&](PodId id) { return state.pod(id).priority; });
  return candidates;
}

// The fewest candidates, in order, that make room for the task on the slot.
std::optional<NodeChoice> tryNode(Session& session, const Task& task, Slot slot,
                                  const std::vector<ResourceId>& judged) {
  if (session.judge(slot, task.constraints) != placement::Verdict::Fits) return std::nullopt;
  NodeChoice choice{.slot = slot, .highest = 0, .pods = {}};
  const Session::Mark mark = session.mark();
  bool fits = session.fitsFuture(slot, *task.request);
  for (const PodId id : candidatesOn(session, task, slot, judged)) {
    if (fits) break;
    session.evict(id);
    choice.pods.push_back(id);
    choice.highest = std::max(choice.highest, session.state().pod(id).priority);
    fits = session.fitsFuture(slot, *task.request);
  }
  session.rollback(mark);
  return fits ? std::optional(choice) : std::nullopt;
}

RecallDecision decisionFor(const Session& session, const Task& task, const NodeChoice& choice) {
  const ClusterState& state = session.state();
  RecallDecision decision;
  decision.queue = state.queues().config(task.queue).name;
  decision.nodes = {session.nodeAt(choice.slot)};
  decision.placements = {{.pod = task.pod, .node = session.nodeAt(choice.slot)}};
  for (const PodId id : choice.pods) {
    const PodInfo& pod = state.pod(id);
    decision.victims.push_back(
        {.gang = pod.gang, .whole = false, .pods = {id}, .lostGpuSeconds = 0, .priority = pod.priority});
    decision.cost.gpusByPriority[pod.priority] += gpusOf(state, id);
    decision.cost.gpusStopped += gpusOf(state, id);
    ++decision.cost.jobs;
  }
  return decision;
}

}  // namespace

BatchOutcome reclaimPodByPod(PlanContext context, const std::vector<WorkItem>& batch) {
  Session& session = context.session;
  BatchOutcome outcome;
  for (const WorkItem& item : batch) {
    for (const Task& task : item.tasks) {
      const auto judged = acceleratorsIn(session.state().resources(), *task.request);
      std::optional<NodeChoice> best;
      const bool entitled =
          quota::backing(session.quotaFuture(),
                         {.queue = task.queue, .amount = *task.request, .judged = judged}) !=
          quota::Backing::None;
      for (Slot slot = 0; entitled && slot < session.slots(); ++slot) {
        auto choice = tryNode(session, task, slot, judged);
        if (choice && (!best || choice->better(*best))) best = std::move(choice);
      }
      if (!best || session.refusedFuture(task.queue, *task.request)) {
        outcome.reason = "no node has enough pods that may be stopped";
        continue;
      }
      for (const PodId id : best->pods) session.evict(id);
      session.pipeline(task, best->slot);
      outcome.pipelined.push_back({.task = task, .slot = best->slot});
      if (!best->pods.empty()) outcome.recalls.push_back(decisionFor(session, task, *best));
    }
  }
  return outcome;
}

}  // namespace tidegate::scheduler
