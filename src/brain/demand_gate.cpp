#include "brain/demand_gate.hpp"

#include <algorithm>
#include <utility>

namespace tidegate {

std::string DemandGate::keyOf(const scheduler::RecallDecision& recall) {
  return (recall.preempt ? "preempt/" : "reclaim/") + recall.queue;
}

void DemandGate::look(const scheduler::Decisions& decisions, Time now) {
  std::map<std::string, std::size_t> asking;
  for (const auto& recall : decisions.recalls) asking[keyOf(recall)] += recall.placements.size();
  std::erase_if(demands_, [&](const auto& demand) { return !asking.contains(demand.first); });
  for (const auto& [key, pods] : asking) {
    auto [entry, fresh] = demands_.try_emplace(key, Demand{.pods = 0, .first = now, .grew = now});
    if (pods > entry->second.pods) entry->second.grew = now;
    entry->second.pods = pods;
  }
}

std::optional<Time> DemandGate::closedUntil(const scheduler::RecallDecision& recall, Time now) const {
  const auto found = demands_.find(keyOf(recall));
  if (found == demands_.end()) return std::nullopt;
  const Time opens = std::min(found->second.grew + options_.quiet, found->second.first + options_.atMost);
  return now < opens ? std::optional(opens) : std::nullopt;
}

}  // namespace tidegate
