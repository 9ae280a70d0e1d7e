#include "plan/naming.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/devices.hpp"
#include "scheduler/victims.hpp"

namespace tidegate::plan {
namespace {

Bind named(const ClusterState& state, const scheduler::BindDecision& bind) {
  return {.pod = state.pod(bind.pod).key, .node = state.node(bind.node).name};
}

std::vector<Bind> named(const ClusterState& state, const std::vector<scheduler::BindDecision>& binds) {
  std::vector<Bind> result;
  for (const scheduler::BindDecision& bind : binds) result.push_back(named(state, bind));
  return result;
}

// The resource a victim is stopped for: its first accelerator by name, else CPU.
ResourceId mainResource(const ClusterState& state, const PodInfo& pod) {
  ResourceId best = ResourceTable::kCpu;
  for (ResourceId r = 0; r < pod.request.size(); ++r) {
    if (pod.request[r] == 0 || !state.resources().isAccelerator(r)) continue;
    if (best == ResourceTable::kCpu || state.resources().name(r) < state.resources().name(best)) best = r;
  }
  return best;
}

std::string whatStops(const GangInfo& gang, const scheduler::VictimDecision& victim) {
  if (victim.whole)
    return gang.minMember > 1 ? fmt::format("the gang stops whole ({} pods)", victim.pods.size()) : "";
  return fmt::format("{} of {} pods go, {} are its minimum", victim.pods.size(), gang.pods.size(),
                     gang.minMember);
}

std::string reasonOf(const ClusterState& state, const scheduler::RecallDecision& recall,
                     const scheduler::VictimDecision& victim) {
  const GangInfo& gang = state.gang(victim.gang);
  std::string reason;
  if (recall.preempt) {
    reason =
        fmt::format("preempted in queue {} by higher priority, its own is {}", recall.queue, victim.priority);
  } else {
    reason = fmt::format("recalled by queue {}, which its {} backs", recall.queue,
                         recall.guaranteeBacked ? "guarantee" : "share");
    const quota::QueueId queue = state.queues().find(gang.queue);
    if (queue != quota::kNoQueue && !victim.pods.empty()) {
      const ResourceId r = mainResource(state, state.pod(victim.pods.front()));
      const auto text = [&](Amount amount) { return state.resources().format(r, amount); };
      reason += fmt::format("; queue {} uses {} {} and is entitled to {}", gang.queue,
                            text(state.queues().used(queue)[r]), state.resources().name(r),
                            text(state.queues().entitlement(queue)[r]));
    }
  }
  if (const std::string stops = whatStops(gang, victim); !stops.empty()) reason += "; " + stops;
  return reason;
}

RecalledJob named(const ClusterState& state, const scheduler::RecallDecision& recall,
                  const scheduler::VictimDecision& victim) {
  const GangInfo& gang = state.gang(victim.gang);
  RecalledJob job{.job = jobName(state, gang),
                  .queue = gang.queue,
                  .priority = victim.priority,
                  .whole = victim.whole,
                  .pods = static_cast<std::int64_t>(victim.pods.size()),
                  .lostGpuSeconds = victim.lostGpuSeconds,
                  .reason = reasonOf(state, recall, victim)};
  for (const PodId pod : victim.pods) job.gpus += scheduler::gpusOf(state, pod);
  return job;
}

Recall named(const ClusterState& state, const scheduler::RecallDecision& decision) {
  Recall recall{.queue = decision.queue,
                .kind = decision.preempt ? "preempt" : "reclaim",
                .guaranteeBacked = decision.guaranteeBacked,
                .placements = named(state, decision.placements),
                .cost = decision.cost,
                .lowerBound = decision.lowerBound,
                .gap = decision.gap,
                .forcedBy = decision.forcedBy};
  for (const NodeId node : decision.nodes) recall.nodes.push_back(state.node(node).name);
  std::ranges::sort(recall.nodes);
  for (const scheduler::VictimDecision& victim : decision.victims)
    recall.jobs.push_back(named(state, decision, victim));
  return recall;
}

}  // namespace

std::string jobName(const ClusterState& state, const GangInfo& gang) {
  if (gang.owner.kind.empty())
    return gang.implicit && !gang.pods.empty() ? state.pod(gang.pods.front()).key : gang.key;
  return gang.key.substr(0, gang.key.find('/') + 1) + gang.owner.name;
}

CycleOutcome nameDecisions(const ClusterState& state, const scheduler::Decisions& decisions) {
  CycleOutcome outcome{.binds = named(state, decisions.binds),
                       .pipelined = named(state, decisions.pipelined)};
  for (const scheduler::PendingDecision& pending : decisions.pending)
    outcome.pending.push_back({.pod = state.pod(pending.pod).key, .reason = pending.reason});
  for (const scheduler::RecallDecision& decision : decisions.recalls) {
    outcome.recalls.push_back(named(state, decision));
    const Recall& recall = outcome.recalls.back();
    for (std::size_t i = 0; i < decision.victims.size(); ++i)
      for (const PodId pod : decision.victims[i].pods)
        outcome.evictions.push_back(
            {.pod = state.pod(pod).key, .job = recall.jobs[i].job, .reason = recall.jobs[i].reason});
  }
  return outcome;
}

}  // namespace tidegate::plan
