#include "plan/rehearsal.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "plan/naming.hpp"

namespace tidegate::plan {
namespace {

// A bare pod dies for good when it is deleted; anything with a controller or a PodGroup is made again.
bool comesBack(const ClusterState& state, const PodInfo& pod) {
  const GangInfo& gang = state.gang(pod.gang);
  return !gang.implicit || !gang.owner.kind.empty();
}

// The pod its owner makes in place of an evicted one.
api::Pod successor(const api::Pod& pod) {
  api::Pod next = pod;
  next.metadata.uid += '~';
  next.metadata.resourceVersion.clear();
  next.metadata.deletionTimestamp.reset();
  next.metadata.deletionGracePeriodSeconds.reset();
  next.spec.nodeName.clear();
  next.status = {};
  next.status.phase = "Pending";
  return next;
}

}  // namespace

Rehearsal::Rehearsal(const std::vector<api::Object>& objects, const scheduler::Policy& policy,
                     Victims victims)
    : policy_(policy), victims_(victims), resumer_({.shortRun = policy.minRuntime}) {
  Outbox unused;
  std::vector<const api::Object*> ordered;
  for (const api::Object& object : objects) ordered.push_back(&object);
  std::ranges::stable_sort(ordered, {}, [](const api::Object* object) { return object->index(); });
  for (const api::Object* object : ordered) {
    if (const auto* pod = std::get_if<api::Pod>(object)) {
      put(*pod);
    } else {
      state_.apply(*object);
    }
    if (const auto* recall = std::get_if<api::Recall>(object)) recalls_.seen(*recall, unused);
  }
}

void Rehearsal::put(const api::Pod& pod) {
  pods_.insert_or_assign(keyOf(pod.metadata), pod);
  state_.apply(api::Object{pod});
}

api::Pod& Rehearsal::podAt(const std::string& key) {
  const auto found = pods_.find(key);
  TIDEGATE_CHECK(found != pods_.end(), key);
  return found->second;
}

CycleOutcome Rehearsal::cycle(Time now) {
  for (api::Pod& pod : std::exchange(returning_, {})) {
    pod.metadata.creationTimestamp = now;
    put(pod);
  }
  recalls_.assume(state_);
  CycleOutcome outcome =
      nameDecisions(state_, scheduler::decide(state_, policy_, now, resumer_.returning(state_, now)));
  for (const Bind& b : outcome.binds) bind(b, now);
  for (const Eviction& e : outcome.evictions) evict(e.pod, now);
  if (victims_ == Victims::LeaveAtOnce) {
    for (const Recall& recall : outcome.recalls) {
      for (const Bind& b : recall.placements) {
        bind(b, now);
        outcome.binds.push_back(b);
      }
    }
  } else {
    for (const Recall& recall : outcome.recalls)
      outcome.pipelined.insert(outcome.pipelined.end(), recall.placements.begin(), recall.placements.end());
  }
  const bool sentOff = victims_ == Victims::LeaveAtOnce && sendOffLeaving();
  outcome.changed = !outcome.binds.empty() || !outcome.evictions.empty() || sentOff;
  return outcome;
}

std::vector<Suspended> Rehearsal::suspended(Time now) {
  const std::vector<scheduler::ReturningJob> jobs = resumer_.returning(state_, now);
  const std::vector<std::int32_t> fits = scheduler::fitsNow(state_, policy_, jobs, now);
  std::vector<Suspended> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    out.push_back({.job = jobs[i].key,
                   .queue = jobs[i].query.queue,
                   .priority = jobs[i].priority,
                   .whole = jobs[i].whole,
                   .pods = static_cast<std::int64_t>(jobs[i].query.pods.size()),
                   .fit = fits[i]});
  }
  return out;
}

void Rehearsal::bind(const Bind& bind, Time now) {
  api::Pod& pod = podAt(bind.pod);
  pod.metadata.resourceVersion.clear();
  pod.spec.nodeName = bind.node;
  pod.status = {};
  pod.status.phase = "Running";
  pod.status.startTime = now;
  api::Condition& ready = pod.status.conditions.emplace_back();
  ready.type = "Ready";
  ready.status = "True";
  state_.apply(api::Object{pod});
}

void Rehearsal::evict(const std::string& key, Time now) {
  const PodId id = state_.findPod(key);
  TIDEGATE_CHECK(id != kNone, key);
  api::Pod& pod = podAt(key);
  if (victims_ == Victims::StayTerminating) {
    pod.metadata.resourceVersion.clear();
    pod.metadata.deletionTimestamp = now + state_.pod(id).grace;
    state_.apply(api::Object{pod});
    return;
  }
  if (comesBack(state_, state_.pod(id))) returning_.push_back(successor(pod));
  state_.remove(refOf(state_.pod(id)));
}

// Pods that were on their way out before the plan began.
bool Rehearsal::sendOffLeaving() {
  std::vector<api::ObjectRef> gone;
  for (const auto& [key, id] : state_.podIndex())
    if (const PodInfo& pod = state_.pod(id); pod.leaving()) gone.push_back(refOf(pod));
  for (const api::ObjectRef& ref : gone) state_.remove(ref);
  return !gone.empty();
}

}  // namespace tidegate::plan
