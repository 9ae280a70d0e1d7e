#include "brain/demand_gate.hpp"

#include <algorithm>
#include <utility>

namespace tidegate {

std::string DemandGate::keyOf(const scheduler::RecallDecision& recall) {
  return (recall.preempt ? "preempt/" : "reclaim/") + recall.queue;
}

void DemandGate::bound(const std::string& queue, Time now) {
  Binds& binds = binds_.try_emplace(queue, Binds{.first = now, .last = now}).first->second;
  if (now > binds.last + options_.quiet) binds.first = now;
  binds.last = now;
}

void DemandGate::look(const scheduler::Decisions& decisions, Time now) {
  std::erase_if(binds_, [&](const auto& binds) { return now > binds.second.last + options_.quiet; });
  std::map<std::string, Demand> asking;
  for (const auto& recall : decisions.recalls) {
    const auto binds = binds_.find(recall.queue);
    Demand& demand = asking[keyOf(recall)];
    demand.pods += recall.placements.size();
    // A queue whose pods come and are bound all the time has no burst before it asks.
    const bool burst = binds != binds_.end() && now <= binds->second.first + options_.atMost;
    demand.first = burst ? binds->second.first : now;
    demand.grew = now;
  }
  for (auto& [key, demand] : asking) {
    const auto before = demands_.find(key);
    if (before == demands_.end()) continue;
    demand.first = before->second.first;
    if (demand.pods <= before->second.pods) demand.grew = before->second.grew;
  }
  demands_ = std::move(asking);
}

std::optional<Time> DemandGate::closedUntil(const scheduler::RecallDecision& recall, Time now) const {
  const auto found = demands_.find(keyOf(recall));
  if (found == demands_.end()) return std::nullopt;
  const Time opens = std::min(found->second.grew + options_.quiet, found->second.first + options_.atMost);
  return now < opens ? std::optional(opens) : std::nullopt;
}

}  // namespace tidegate
