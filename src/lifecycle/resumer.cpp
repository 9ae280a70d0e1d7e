#include "lifecycle/resumer.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "lifecycle/suspended_pods.hpp"
#include "lifecycle/vcjob_commands.hpp"
#include "lifecycle/victim_acts.hpp"
#include "scheduler/devices.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

constexpr int kMostDoublings = 5;

// The demand that took this job's GPUs still waits for a place.
bool demandWaits(const ClusterState& state, const std::string& id) {
  auto found = state.recalls().find(id);
  if (found == state.recalls().end()) return false;
  return std::ranges::any_of(found->second.object->spec.placements, [&](const auto& placement) {
    const PodInfo* pod = demandPod(state, placement);
    return pod != nullptr && !pod->terminating && pod->node == kNone;
  });
}

using Gangs = std::vector<GangId>;

std::size_t countPods(const ClusterState& state, const Gangs& gangs, auto predicate) {
  std::size_t count = 0;
  for (const GangId gang : gangs) {
    const auto matching =
        std::ranges::count_if(state.gang(gang).pods, [&](PodId id) { return predicate(state.pod(id)); });
    count += static_cast<std::size_t>(matching);
  }
  return count;
}

std::size_t boundPods(const ClusterState& state, const Gangs& gangs) {
  return countPods(state, gangs, [](const PodInfo& pod) { return pod.bound(); });
}

bool anyLivePod(const ClusterState& state, const Gangs& gangs) {
  return countPods(state, gangs, [](const PodInfo& pod) { return !pod.terminal(); }) > 0;
}

// Pods that are there, bound or waiting.
std::size_t livePods(const ClusterState& state, const Gangs& gangs) {
  return countPods(state, gangs, [](const PodInfo& pod) { return !pod.terminal() && !pod.terminating; });
}

Gangs gangsOfOwner(const ClusterState& state, const Owner& wanted) {
  if (wanted.kind != OwnerKind::Pod) return gangsOf(state, wanted);
  const PodId pod = state.findPod(wanted.key);
  return pod == kNone ? Gangs{} : Gangs{state.pod(pod).gang};
}

Gangs gangsIn(const SuspendedJob& job) {
  return job.gangs.empty() && job.gang != kNone ? Gangs{job.gang} : job.gangs;
}

scheduler::ReturningJob returningJob(const ClusterState& state, const SuspendedJob& job) {
  const bool group = job.gang != kNone && state.gang(job.gang).exists;
  return {.query = job.query,
          .gang = group ? job.gang : kNone,
          .whole = job.whole,
          .priority = job.priority,
          .created = job.metadata->creationTimestamp,
          .uid = group ? state.gang(job.gang).uid : job.metadata->uid,
          .key = job.owner.key};
}

}  // namespace

Duration cooldownOf(const SuspendedJob& job, const ResumeOptions& options) {
  if (!job.resumedAt || !job.suspendedAt || *job.suspendedAt - *job.resumedAt > options.shortRun) {
    return options.cooldown;
  }
  return options.cooldown * (1 << std::clamp(job.evictions - 1, 0, kMostDoublings));
}

bool Resumer::mayReturn(const ClusterState& state, const SuspendedJob& job) const {
  if (recallActive(state, job.recall) || demandWaits(state, job.recall)) return false;
  return !job.whole || !anyLivePod(state, gangsIn(job));
}

bool Resumer::claimed(const SuspendedJob& job) const {
  return std::ranges::any_of(claims_, [&](const Claim& claim) {
    return claim.owner.kind == job.owner.kind && claim.owner.key == job.owner.key;
  });
}

std::vector<Resumer::Waiter> Resumer::waiters(const ClusterState& state, Time now, Acts& acts) const {
  std::vector<Waiter> out;
  for (SuspendedJob& job : suspendedJobs(state)) {
    // Of a job that is claimed the resume is under way: the owner does not show it yet.
    if (claimed(job)) continue;
    if (!mayReturn(state, job)) {
      out.push_back({.job = std::move(job)});
      continue;
    }
    // Without pods to place only its marks are to go.
    const Time from =
        job.query.pods.empty() ? now : job.suspendedAt.value_or(now) + cooldownOf(job, options_);
    if (from > now) acts.wake(from);
    // A cool-down grows with each recall: for a long one no room is kept idle.
    const bool soon = from <= now + options_.cooldown;
    out.push_back({.job = std::move(job), .ready = from <= now, .soon = soon});
  }
  return out;
}

Time Resumer::patientUntil(const SuspendedJob& job, Time now) const {
  return job.suspendedAt.value_or(now) + cooldownOf(job, options_) + options_.patience;
}

void Resumer::dropSettled(const ClusterState& state, Time now) {
  std::erase_if(claims_, [&](const Claim& claim) {
    return now >= claim.until || boundPods(state, gangsOfOwner(state, claim.owner)) >= claim.boundWhenDone;
  });
}

void Resumer::claim(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now) {
  scheduler::ReturningJob back = returningJob(state, job);
  back.query.pods.resize(static_cast<std::size_t>(count));
  back.query.minMember = std::min(back.query.minMember, count);
  back.underWay = true;
  const std::size_t needed = static_cast<std::size_t>(job.whole ? back.query.minMember : count);
  claims_.push_back({.owner = job.owner,
                     .boundWhenDone = boundPods(state, gangsIn(job)) + needed,
                     .until = now + options_.settling,
                     .job = std::move(back)});
}

// First those under way, with the pods that are still to be made; then the others.
std::vector<scheduler::ReturningJob> Resumer::inOrder(const ClusterState& state,
                                                      const std::vector<Waiter>& waiters, Time now) const {
  std::vector<scheduler::ReturningJob> out;
  for (const Claim& claim : claims_) {
    out.push_back(claim.job);
    scheduler::ReturningJob& job = out.back();
    const Gangs gangs = gangsOfOwner(state, claim.owner);
    job.gang = mainGang(state, gangs);
    const std::size_t there = livePods(state, gangs);
    const std::size_t missing = claim.boundWhenDone - std::min(there, claim.boundWhenDone);
    if (missing == 0) job.query.pods.clear();
    if (!job.whole) job.query.pods.resize(std::min(missing, job.query.pods.size()));
  }
  for (const Waiter& waiter : waiters) {
    out.push_back(returningJob(state, waiter.job));
    out.back().insists = now >= patientUntil(waiter.job, now);
    out.back().notYet = !waiter.soon;
  }
  return out;
}

std::vector<scheduler::ReturningJob> Resumer::returning(const ClusterState& state, Time now) {
  Acts unused;  // plan() asks to be woken
  dropSettled(state, now);
  return inOrder(state, waiters(state, now, unused), now);
}

bool Resumer::choose(const ClusterState& state, const scheduler::Policy& policy,
                     const std::vector<Waiter>& waiters, Time now, Acts& acts) {
  const auto fits = scheduler::fitsNow(state, policy, inOrder(state, waiters, now), now);
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    const auto& [job, ready, soon] = waiters[i];
    const std::int32_t count = fits[claims_.size() + i];
    if (!ready || (count == 0 && !job.query.pods.empty())) continue;
    resume(state, job, count, now, acts);
    claim(state, job, count, now);
    return true;
  }
  return false;
}

Acts Resumer::plan(const ClusterState& state, const scheduler::Policy& policy, Time now) {
  Acts acts;
  sweepMarks(state, acts);
  resumeAborted(state, acts);
  keepSuspended(state, acts);
  remakePods(state, acts);
  dropSettled(state, now);
  for (const auto& claim : claims_) acts.wake(claim.until);
  freeing_.note(scheduler::acceleratorsOf(state.resources(), state.queues().used(quota::kRoot)), now);
  const std::vector<Waiter> waiting = waiters(state, now, acts);
  if (std::ranges::none_of(waiting, &Waiter::ready)) return acts;
  for (const Waiter& waiter : waiting) {
    if (!waiter.soon) continue;
    if (const Time until = patientUntil(waiter.job, now); until > now) acts.wake(until);
  }
  const Time next = std::max(freeing_.settledAt(), last_ ? *last_ + options_.spacing : now);
  if (now < next) {
    acts.wake(next);
    return acts;
  }
  if (choose(state, policy, waiting, now, acts)) {
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
  for (const PodInfo& pod : state.pods()) {
    if (!pod.recalled || pod.terminating || pod.terminal()) continue;
    const std::string* by = annotation(pod.object->metadata, names::kRecalledBy);
    if (by == nullptr || recallActive(state, *by)) continue;
    acts.add("sweep/" + *by + "/" + pod.uid, unmarkPod(pod));
  }
}

}  // namespace tidegate::lifecycle
