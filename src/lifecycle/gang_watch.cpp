#include "lifecycle/gang_watch.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "lifecycle/owner.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {

namespace {

bool isBroken(const ClusterState& state, const GangInfo& gang) {
  if (!gang.exists || !gang.preemptable || !gang.recalledBy.empty()) return false;
  std::int32_t members = 0;
  bool holds = false;
  bool hasRun = false;
  for (const PodId id : gang.pods) {
    const PodInfo& pod = state.pod(id);
    if (pod.recalled) return false;
    const bool stays =
        pod.bound() && !pod.terminating && (state.node(pod.node).ready || !state.node(pod.node).exists);
    if (stays || pod.phase == PodPhase::Succeeded) ++members;
    holds = holds || stays;
    hasRun = hasRun || pod.phase == PodPhase::Running;
  }
  return holds && hasRun && members < gang.minMember;
}

bool canBeSuspended(const ClusterState& state, const GangInfo& gang) {
  const Owner owner = ownerOf(state, gang);
  const api::ObjectMeta* metadata = ownerMetadata(state, owner);
  return metadata != nullptr && !isFinished(state, owner) &&
         annotation(*metadata, api::names::kSuspend) == nullptr;
}

}  // namespace

std::vector<GangId> GangWatch::beyondRepair(const ClusterState& state, Time now, Acts& acts) {
  std::map<std::string, Time> still;
  std::vector<GangId> hopeless;
  for (const auto& [key, id] : state.gangIndex()) {
    const GangInfo& gang = state.gang(id);
    if (!isBroken(state, gang) || !canBeSuspended(state, gang)) continue;
    auto before = brokenSince_.find(key);
    const Time since = before == brokenSince_.end() ? now : before->second;
    still.emplace(key, since);
    if (now >= since + grace_) {
      hopeless.push_back(id);
    } else {
      acts.wake(since + grace_);
    }
  }
  brokenSince_ = std::move(still);
  return hopeless;
}

}  // namespace tidegate::lifecycle
