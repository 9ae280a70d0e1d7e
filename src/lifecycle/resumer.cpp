#include "lifecycle/resumer.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "lifecycle/victim_acts.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

constexpr int kMostDoublings = 5;

bool recallActive(const ClusterState& state, const std::string& id) {
  auto found = state.recalls().find(id);
  return found != state.recalls().end() && found->second.active;
}

// The demand that took this job's GPUs still waits for a place.
bool demandWaits(const ClusterState& state, const std::string& id) {
  auto found = state.recalls().find(id);
  if (found == state.recalls().end()) return false;
  return std::ranges::any_of(found->second.object->spec.placements, [&](const auto& placement) {
    const PodInfo* pod = demandPod(state, placement);
    return pod != nullptr && !pod->terminating && pod->node == kNone;
  });
}

std::size_t boundPods(const ClusterState& state, GangId gang) {
  if (gang == kNone) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(state.gang(gang).pods, [&](PodId id) { return state.pod(id).bound(); }));
}

bool anyLivePod(const ClusterState& state, GangId gang) {
  return gang != kNone &&
         std::ranges::any_of(state.gang(gang).pods, [&](PodId id) { return !state.pod(id).terminal(); });
}

GangId gangOfOwner(const ClusterState& state, const Owner& wanted) {
  for (const auto& [key, id] : state.gangIndex()) {
    const Owner owner = ownerOf(state, state.gang(id));
    if (owner.kind == wanted.kind && owner.key == wanted.key) return id;
  }
  return kNone;
}

scheduler::ResumeQuery onePod(const scheduler::ResumeQuery& query) {
  return {.queue = query.queue, .minMember = 1, .pods = {query.pods.front()}};
}

}  // namespace

Duration cooldownOf(const SuspendedJob& job, const ResumeOptions& options) {
  if (!job.resumedAt || !job.suspendedAt || *job.suspendedAt - *job.resumedAt > options.shortRun) {
    return options.cooldown;
  }
  return options.cooldown * (1 << std::clamp(job.evictions - 1, 0, kMostDoublings));
}

bool Resumer::ready(const ClusterState& state, const SuspendedJob& job, Time now, Acts& acts) const {
  if (recallActive(state, job.recall) || demandWaits(state, job.recall)) return false;
  if (job.whole && anyLivePod(state, job.gang)) return false;
  if (job.query.pods.empty()) return true;  // nothing to place: only its marks are to go
  const Time from = job.suspendedAt.value_or(now) + cooldownOf(job, options_);
  if (now < from) acts.wake(from);
  return now >= from;
}

void Resumer::dropSettled(const ClusterState& state, Time now) {
  std::erase_if(claims_, [&](const Claim& claim) {
    return now >= claim.until || boundPods(state, gangOfOwner(state, claim.owner)) >= claim.boundWhenDone;
  });
}

void Resumer::claim(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now) {
  scheduler::ResumeQuery query = job.query;
  query.pods.resize(static_cast<std::size_t>(count));
  query.minMember = std::min(query.minMember, count);
  claims_.push_back({.owner = job.owner,
                     .boundWhenDone = boundPods(state, job.gang) + static_cast<std::size_t>(query.minMember),
                     .until = now + options_.settling,
                     .query = std::move(query)});
}

bool Resumer::choose(const ClusterState& state, const scheduler::Policy& policy,
                     std::vector<SuspendedJob>& jobs, Time now, Acts& acts) {
  std::vector<scheduler::ResumeQuery> queries;
  for (const auto& claim : claims_) queries.push_back(claim.query);
  const std::size_t first = queries.size();
  for (const auto& job : jobs) {
    queries.push_back(job.query);
    queries.push_back(job.whole || job.query.pods.empty() ? scheduler::ResumeQuery{} : onePod(job.query));
  }
  const std::vector<bool> fits = scheduler::fitsNow(state, policy, queries, now);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool all = jobs[i].query.pods.empty() || fits[first + 2 * i];
    const bool one = !jobs[i].whole && fits[first + 2 * i + 1];
    if (!all && !one) continue;
    const std::int32_t count = all ? static_cast<std::int32_t>(jobs[i].query.pods.size()) : 1;
    resume(state, jobs[i], count, now, acts);
    claim(state, jobs[i], count, now);
    return true;
  }
  return false;
}

Acts Resumer::plan(const ClusterState& state, const scheduler::Policy& policy, Time now) {
  Acts acts;
  sweepMarks(state, acts);
  dropSettled(state, now);
  for (const auto& claim : claims_) acts.wake(claim.until);
  std::vector<SuspendedJob> jobs = suspendedJobs(state);
  std::erase_if(jobs, [&](const SuspendedJob& job) {
    // Its resume is under way: the owner does not show it yet.
    const bool claimed = std::ranges::any_of(claims_, [&](const Claim& claim) {
      return claim.owner.kind == job.owner.kind && claim.owner.key == job.owner.key;
    });
    return claimed || !ready(state, job, now, acts);
  });
  if (jobs.empty()) return acts;
  if (last_ && now < *last_ + options_.spacing) {
    acts.wake(*last_ + options_.spacing);
    return acts;
  }
  if (choose(state, policy, jobs, now, acts)) {
    last_ = now;
    acts.wake(now + options_.spacing);
  }
  return acts;
}

void sweepMarks(const ClusterState& state, Acts& acts) {
  for (const auto& [key, id] : state.gangIndex()) {
    const GangInfo& gang = state.gang(id);
    if (gang.recalledBy.empty() || !gang.exists || recallActive(state, gang.recalledBy)) continue;
    const api::ObjectMeta* owner = ownerMetadata(state, ownerOf(state, gang));
    if (owner != nullptr && annotation(*owner, names::kSuspend) != nullptr) continue;
    Patch patch = patchOf(groupRef(gang), gang.uid);
    patch.annotations[names::kRecalledBy] = std::nullopt;
    acts.add("sweep/" + gang.recalledBy + "/" + key, std::move(patch));
  }
  for (const auto& [key, id] : state.podIndex()) {
    const PodInfo& pod = state.pod(id);
    if (!pod.recalled || pod.terminating || pod.terminal()) continue;
    const std::string* by = annotation(pod.object->metadata, names::kRecalledBy);
    if (by == nullptr || recallActive(state, *by)) continue;
    acts.add("sweep/" + *by + "/" + pod.uid, unmarkPod(pod));
  }
}

}  // namespace tidegate::lifecycle
