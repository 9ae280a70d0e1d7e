#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "api/names.hpp"
#include "plan/naming.hpp"
#include "plan/rehearsal.hpp"
#include "state/translate.hpp"

namespace tidegate::plan {
namespace {

// A plan settles within a handful of cycles; one that does not moves the same jobs to and fro.
constexpr int kMostCycles = 100;

// Cycles are a second apart, so that a pod that comes back is younger than the ones that waited.
constexpr Duration kCycleTime = seconds(1);

// The newest time in the metadata. A deletionTimestamp says when the grace ends: deletion was asked for
// before that.
Time newest(const api::ObjectMeta& metadata, Time sofar) {
  sofar = std::max(sofar, metadata.creationTimestamp.value_or(sofar));
  for (const char* name : {api::names::kSuspendedAt, api::names::kResumedAt})
    sofar = std::max(sofar, timeAnnotation(metadata, name).value_or(sofar));
  if (!metadata.deletionTimestamp || !metadata.deletionGracePeriodSeconds) return sofar;
  return std::max(sofar, *metadata.deletionTimestamp - seconds(*metadata.deletionGracePeriodSeconds));
}

std::string endlessWarning(const std::vector<Eviction>& evictions) {
  std::map<std::string, int> times;
  for (const Eviction& eviction : evictions) ++times[eviction.pod];
  std::set<std::string> jobs;
  for (const Eviction& eviction : evictions)
    if (times[eviction.pod] > 2) jobs.insert(eviction.job);
  return fmt::format("the plan does not settle within {} cycles; jobs stopped again and again: {}",
                     kMostCycles, jobs.empty() ? "none" : fmt::format("{}", fmt::join(jobs, ", ")));
}

// Pods that wait without a word of the last cycle: they came (back) after it.
void addUnseen(const ClusterState& state, int cycles, PlanResult& result) {
  std::set<std::string> known;
  for (const Pending& pending : result.pending) known.insert(pending.pod);
  for (const Bind& bind : result.pipelined) known.insert(bind.pod);
  for (const auto& [key, id] : state.podIndex())
    if (state.pod(id).pending() && !known.contains(key))
      result.pending.push_back(
          {.pod = key, .reason = fmt::format("not looked at yet after {} cycles", cycles)});
}

void addQueueProblems(const ClusterState& state, PlanResult& result) {
  for (const quota::Problem& problem : state.queues().problems(state.resources()))
    result.warnings.push_back(fmt::format("queue {}: {}: {}", problem.queue, problem.field, problem.message));
}

class Collector {
 public:
  void add(CycleOutcome outcome, int cycle, PlanResult& result) {
    for (const Eviction& eviction : outcome.evictions) binds_.erase(eviction.pod);
    for (const Bind& bind : outcome.binds) binds_[bind.pod] = bind.node;
    for (Recall& recall : outcome.recalls) {
      recall.cycle = cycle;
      result.recalls.push_back(std::move(recall));
    }
    std::ranges::move(outcome.evictions, std::back_inserter(result.evictions));
    result.pipelined = std::move(outcome.pipelined);
    result.pending = std::move(outcome.pending);
  }
  void finish(PlanResult& result) {
    for (const auto& [pod, node] : binds_) result.binds.push_back({.pod = pod, .node = node});
    std::erase_if(result.pending, [&](const Pending& p) { return binds_.contains(p.pod); });
    std::erase_if(result.pipelined, [&](const Bind& b) { return binds_.contains(b.pod); });
    std::ranges::sort(result.pipelined, {}, &Bind::pod);
    std::ranges::sort(result.pending, {}, &Pending::pod);
  }

 private:
  std::map<std::string, std::string> binds_;
};

}  // namespace

Time newestTime(const std::vector<api::Object>& objects) {
  Time now{};
  for (const api::Object& object : objects) {
    now = newest(api::metadataOf(object), now);
    if (const auto* pod = std::get_if<api::Pod>(&object))
      now = std::max(now, pod->status.startTime.value_or(now));
  }
  return now;
}

PlanResult runPlan(std::vector<api::Object> objects, const scheduler::Policy& policy,
                   const PlanOptions& options) {
  PlanResult result{.now = options.now.value_or(newestTime(objects))};
  Rehearsal rehearsal(objects, policy,
                      options.keepTerminating ? Victims::StayTerminating : Victims::LeaveAtOnce);
  addQueueProblems(rehearsal.state(), result);

  Collector collector;
  const int limit = options.cycles > 0 ? options.cycles : kMostCycles;
  bool changed = true;
  while (result.cycles < limit && (changed || options.cycles > 0)) {
    CycleOutcome outcome = rehearsal.cycle(result.now + result.cycles * kCycleTime);
    changed = outcome.changed;
    collector.add(std::move(outcome), ++result.cycles, result);
  }
  result.settled = !changed;
  if (changed && options.cycles == 0) result.warnings.push_back(endlessWarning(result.evictions));
  addUnseen(rehearsal.state(), result.cycles, result);
  collector.finish(result);
  result.suspended = rehearsal.suspended(result.now + result.cycles * kCycleTime);
  result.queues = queueFigures(rehearsal.state());
  return result;
}

}  // namespace tidegate::plan
