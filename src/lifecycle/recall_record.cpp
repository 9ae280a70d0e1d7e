#include "lifecycle/recall_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/fnv.hpp"
#include "core/text.hpp"
#include "lifecycle/owner.hpp"
#include "lifecycle/phases.hpp"

namespace tidegate::lifecycle {

namespace {

constexpr std::string_view kPrefix = "recall-";

api::RecallPod recallPod(const ClusterState& state, const PodInfo& pod) {
  return {.name = pod.object->metadata.name,
          .namespace_ = pod.object->metadata.namespace_,
          .uid = pod.uid,
          .node = pod.node == kNone ? "" : state.node(pod.node).name};
}

api::RecallVictim victimOf(const ClusterState& state, const GangInfo& gang, const std::vector<PodId>& pods) {
  const Owner owner = ownerOf(state, gang);
  api::RecallVictim victim;
  victim.gang = gang.key;
  victim.ownerKind = text(owner.kind);
  victim.owner = owner.key;
  victim.phase = text(VictimPhase::Planned);
  for (const PodId pod : pods) victim.pods.push_back(recallPod(state, state.pod(pod)));
  return victim;
}

api::Recall blank(const RecordFacts& facts) {
  api::Recall record;
  record.metadata.name = facts.name;
  record.spec.startedAt = facts.now;
  record.spec.deadline = facts.deadline;
  record.status.phase = recall_phase::kPlanned;
  return record;
}

std::uint64_t numberOf(const std::string& name) {
  std::uint64_t number = 0;
  if (name.starts_with(kPrefix))
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
  return number;
}

// A column of kubectl shows one value only, so the list is made here.
std::string shortList(const std::vector<api::RecallVictim>& victims) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> owners;
  for (const auto& victim : victims) {
    if (std::ranges::find(owners, victim.owner) == owners.end()) owners.push_back(victim.owner);
  }
  return listText(owners, kMostNamed);
}

// Of each pod that is to come or to go, what it is and how it stands.
void nameAfterPods(const ClusterState& state, api::Recall& record) {
  std::uint64_t hash = kFnvStart;
  const auto mix = [&](const std::string& text) {
    hash = fnv1a("\xff", fnv1a(text, hash));
  };  // no byte of UTF-8
  const auto add = [&](const std::string& key, const std::string& uid) {
    const PodId id = state.findPod(key);
    mix(uid);
    if (id != kNone) mix(state.pod(id).object->metadata.resourceVersion);
  };
  for (const auto& placement : record.spec.placements) add(placement.pod, placement.podUid);
  for (const auto& victim : record.spec.victims) {
    for (const auto& pod : victim.pods) add(pod.namespace_ + "/" + pod.name, pod.uid);
  }
  record.metadata.name += fmt::format("-{:05x}", hash >> 44);
}

}  // namespace

api::Recall makeRecord(const ClusterState& state, const scheduler::RecallDecision& decision,
                       const RecordFacts& facts) {
  api::Recall record = blank(facts);
  record.spec.queue = decision.queue;
  record.spec.reason = decision.preempt ? "preempt" : "reclaim";
  record.spec.guaranteeBacked = decision.guaranteeBacked;
  for (const NodeId node : decision.nodes) record.spec.nodes.push_back(state.node(node).name);
  for (const auto& chosen : decision.victims) {
    api::RecallVictim victim = victimOf(state, state.gang(chosen.gang), chosen.pods);
    victim.whole = chosen.whole;
    victim.lostGpuSeconds = chosen.lostGpuSeconds;
    record.spec.victims.push_back(std::move(victim));
  }
  record.spec.stops = shortList(record.spec.victims);
  for (const auto& placement : decision.placements) {
    const PodInfo& pod = state.pod(placement.pod);
    record.spec.placements.push_back(
        {.pod = pod.key, .podUid = pod.uid, .node = state.node(placement.node).name});
  }
  record.spec.cost = static_cast<double>(decision.cost.lostGpuSeconds);
  record.spec.lowerBound = record.spec.cost * (1 - std::clamp(decision.gap, 0.0, 1.0));
  nameAfterPods(state, record);
  return record;
}

api::Recall makeRepairRecord(const ClusterState& state, GangId gang, const RecordFacts& facts) {
  api::Recall record = blank(facts);
  record.spec.queue = state.gang(gang).queue;
  record.spec.reason = "repair";
  const Owner owner = ownerOf(state, state.gang(gang));
  for (const GangId id : operatorOf(owner.kind) ? gangsOf(state, owner) : std::vector{gang}) {
    const GangInfo& info = state.gang(id);
    std::vector<PodId> live;
    std::ranges::copy_if(info.pods, std::back_inserter(live),
                         [&](PodId pod) { return !state.pod(pod).terminal(); });
    if (id == gang || !live.empty()) record.spec.victims.push_back(victimOf(state, info, live));
  }
  record.spec.stops = shortList(record.spec.victims);
  nameAfterPods(state, record);
  return record;
}

std::string nextRecallName(const ClusterState& state) {
  std::uint64_t highest = 0;
  for (const auto& [name, recall] : state.recalls()) highest = std::max(highest, numberOf(name));
  return fmt::format("{}{}", kPrefix, highest + 1);
}

}  // namespace tidegate::lifecycle
