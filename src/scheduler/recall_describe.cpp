#include "scheduler/recall_describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "scheduler/devices.hpp"

namespace tidegate::scheduler {
using placement::Session;

namespace {

// A victim of several gangs, gang by gang.
std::vector<VictimDecision> partsOf(const ClusterState& state, const VictimDecision& whole) {
  std::map<std::string, VictimDecision> byGang;
  std::int64_t gpus = 0;
  for (const PodId id : whole.pods) {
    const GangId gang = state.pod(id).gang;
    VictimDecision& part = byGang[state.gang(gang).key];
    part.gang = gang;
    part.pods.push_back(id);
    gpus += gpusOf(state, id);
  }
  if (byGang.size() < 2) return {whole};
  std::vector<VictimDecision> parts;
  for (auto& [key, part] : byGang) {
    std::int64_t own = 0;
    for (const PodId id : part.pods) own += gpusOf(state, id);
    part.whole = whole.whole;
    part.priority = whole.priority;
    part.lostGpuSeconds = gpus == 0 ? 0 : whole.lostGpuSeconds * own / gpus;
    part.leader = parts.empty() ? part.gang : parts.front().gang;
    parts.push_back(std::move(part));
  }
  return parts;
}

// Victims job by job, by gang name, with the work each loses.
std::vector<VictimDecision> victimsOf(PlanContext context, VictimJudge& judge, const Solved& solved) {
  const ClusterState& state = context.session.state();
  std::map<std::string, VictimDecision> byGang;
  for (const auto unit : solved.plan->units) {
    const auto& source = solved.built.sources[unit];
    if (source.gang == kNone) continue;  // idle room
    const GangInfo& gang = state.gang(source.gang);
    VictimDecision& victim = byGang[gang.key];
    victim.gang = source.gang;
    victim.priority = gang.priority;
    victim.pods.insert(victim.pods.end(), source.pods.begin(), source.pods.end());
  }
  std::vector<VictimDecision> victims;
  for (auto& [key, victim] : byGang) {
    // Whole if nothing of the gang keeps running, however its units were cut.
    std::size_t units = judge.judge(victim.gang)->core.size() + judge.judge(victim.gang)->surplus.size();
    victim.whole = victim.pods.size() == units && !judge.judge(victim.gang)->core.empty();
    std::ranges::sort(victim.pods, {}, [&](PodId id) -> const std::string& { return state.pod(id).key; });
    std::int64_t gpus = 0;
    for (const PodId pod : victim.pods) gpus += gpusOf(state, pod);
    const std::int64_t restart = std::chrono::floor<seconds>(context.policy.restartCost).count();
    const std::int64_t lost = judge.judge(victim.gang)->lostSeconds;
    const std::int64_t restarted = judge.judge(victim.gang)->restartedGpus;
    victim.lostGpuSeconds = victim.whole    ? gpus * lost
                            : restarted > 0 ? restarted * lost
                                            : gpus * std::min(lost, restart);
    for (VictimDecision& part : partsOf(state, victim)) victims.push_back(std::move(part));
  }
  return victims;
}

RecallCost costOf(const ClusterState& state, const std::vector<VictimDecision>& victims) {
  RecallCost cost;
  for (const VictimDecision& victim : victims) {
    std::int64_t gpus = 0;
    for (const PodId pod : victim.pods) gpus += gpusOf(state, pod);
    cost.gpusByPriority[victim.priority] += gpus;
    cost.lostGpuSeconds += victim.lostGpuSeconds;
    cost.gpusStopped += gpus;
    cost.jobs += victim.leader == kNone || victim.leader == victim.gang ? 1 : 0;
    cost.evictedBefore += state.gang(victim.gang).evictions;
  }
  return cost;
}

// The largest core among the candidates: the likely straddler.
std::string largestGang(const Session& session, const Solved& solved) {
  const BuiltProblem::UnitSource* largest = nullptr;
  for (const auto& source : solved.built.sources) {
    if (source.core && (largest == nullptr || source.pods.size() > largest->pods.size())) largest = &source;
  }
  return largest == nullptr ? "" : session.state().gang(largest->gang).key;
}

// The PodDisruptionBudgets among what binds.
std::string disruptionText(const Solved& solved) {
  std::vector<std::string> names;
  for (const auto budget : solved.noPlan.budgets) {
    const std::string& name = solved.built.disruptions[budget];
    if (!name.empty())
      names.push_back(fmt::format("{} ({} allowed now)", name, solved.built.problem.budgets[budget].slack));
  }
  if (names.empty()) return "";
  return fmt::format("it would take more disruptions than PodDisruptionBudget {} allows",
                     fmt::join(names, ", "));
}

}  // namespace

RecallDecision describeRecall(PlanContext context, VictimJudge& judge, const Solved& solved,
                              const std::vector<placement::Slot>& nodes,
                              const std::vector<placement::Placement>& placed, Amount smallestNode) {
  const Session& session = context.session;
  const ClusterState& state = session.state();
  RecallDecision decision;
  decision.queue = state.queues().config(placed.front().task.queue).name;
  decision.preempt = judge.rules().preempt;
  for (const auto slot : nodes) decision.nodes.push_back(session.nodeAt(slot));
  Amount demand = 0;
  for (const auto& p : placed) {
    decision.placements.push_back({.pod = p.task.pod, .node = session.nodeAt(p.slot)});
    demand += acceleratorsOf(state.resources(), *p.task.request);
  }
  decision.victims = victimsOf(context, judge, solved);
  decision.cost = costOf(state, decision.victims);
  decision.cost.gpusBeyondDemand = std::max<std::int64_t>(0, decision.cost.gpusStopped - demand / 1000);
  decision.cost.scalar = static_cast<double>(solved.plan->cost);
  decision.lowerBound = static_cast<double>(solved.plan->lowerBound);
  decision.gap = solved.plan->gap();
  if (smallestNode != kUnlimited && decision.cost.gpusBeyondDemand > smallestNode / 1000) {
    auto largest =
        std::ranges::max_element(decision.victims, {}, [](const auto& v) { return v.pods.size(); });
    decision.forcedBy = state.gang(largest->gang).key;
  }
  return decision;
}

namespace {

std::string shortfall(const Session& session, const Attempt& attempt, const Solved& solved) {
  const auto wanted = solved.built.problem.podsWanted;
  const auto possible = solved.noPlan.podsPossible;
  const char* what = attempt.rules.preempt ? "lower-priority work" : "borrowed work";
  switch (solved.noPlan.why) {
    case recall::NoPlan::Why::Relief:
      return "a quota ceiling cannot be relieved by stopping what may be stopped";
    case recall::NoPlan::Why::Budget:
      if (auto text = disruptionText(solved); !text.empty()) return text;
      [[fallthrough]];
    case recall::NoPlan::Why::Stopped: {
      std::string text =
          fmt::format("{} can be stopped for {} of {} pods before its queues fall below their entitlement",
                      what, possible, wanted);
      const std::string gang = largestGang(session, solved);
      if (!gang.empty())
        text += fmt::format("; gang {} stands across the line and goes whole or stays", gang);
      if (attempt.maxStopped != kUnlimited) {
        text += fmt::format(" (at most {} GPUs may be stopped for this)", attempt.maxStopped / 1000);
      }
      return text;
    }
    case recall::NoPlan::Why::Nodes:
      break;
  }
  if (possible == 0) return fmt::format("no node can be emptied of {}", what);
  return fmt::format("stopping all {} would make room for {} of {} pods", what, possible, wanted);
}

}  // namespace

std::string whyNoRecall(const Session& session, const Attempt& attempt, const VictimJudge& judge,
                        const Solved& solved) {
  std::string text = shortfall(session, attempt, solved);
  if (judge.sparedUntil()) {
    text += fmt::format("; gang {} has its minimum run time until {}", judge.sparedUntil()->first,
                        formatTime(judge.sparedUntil()->second));
  }
  return text;
}

}  // namespace tidegate::scheduler
