#include "lifecycle/suspended_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/names.hpp"
#include "api/owners.hpp"
#include "lifecycle/objects.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

using Records = std::vector<const api::SuspendedPod*>;

// Of one gang and recall, in the order of their names; single pods, and those of a shrunk gang, one by one.
using Sets = std::map<std::string, Records>;

bool asksForIt(const PodInfo& pod) {
  const api::ObjectMeta& metadata = pod.object->metadata;
  const std::string* wish = annotation(metadata, names::kRecreate);
  return wish != nullptr && *wish == "true" && api::controllerOf(metadata) == nullptr;
}

bool isStored(const ClusterState& state, const api::RecallPod& pod) {
  const auto found = state.suspendedPods().find(keyOf(pod.namespace_, pod.name));
  return found != state.suspendedPods().end() && found->second.spec.podUid == pod.uid;
}

// The PodGroup that is more than the shadow of one pod; nullptr if there is none.
const GangInfo* sharedGroup(const PodInfo& pod, const ClusterState& state) {
  const GangInfo& gang = state.gang(pod.gang);
  const bool own = gang.key == keyOf(pod.object->metadata.namespace_, "podgroup-" + pod.uid);
  return gang.exists && !own ? &gang : nullptr;
}

StorePod storeOrder(const api::RecallVictim& victim, const PodInfo& pod, const VictimContext& context) {
  const api::ObjectMeta& metadata = pod.object->metadata;
  StorePod order{.namespace_ = metadata.namespace_, .name = metadata.name, .uid = pod.uid, .facts = {}};
  order.facts.recall = context.id();
  order.facts.queue = context.state.gang(pod.gang).queue;
  order.facts.whole = victim.whole;
  if (const GangInfo* group = sharedGroup(pod, context.state)) {
    order.facts.podGroup = groupRef(*group).name;
    order.facts.podGroupUid = group->uid;
  }
  api::StringMap& annotations = order.facts.annotations;
  annotations[names::kSuspend] = context.id();
  annotations[names::kSuspendedAt] = formatTime(context.now);
  annotations[names::kEvictions] = std::to_string(intAnnotation(metadata, names::kEvictions).value_or(0) + 1);
  if (const auto point = resumePoint(victim, context.state)) {
    annotations[names::kLastCheckpoint] = formatTime(*point);
  }
  if (const std::string* before = annotation(metadata, names::kResumedAt)) {
    annotations[names::kResumedAt] = *before;
  }
  return order;
}

bool waits(const api::SuspendedPod& record) {
  return record.metadata.annotations.contains(names::kSuspend);
}

Sets setsOf(const ClusterState& state) {
  Sets sets;
  for (const auto& [key, record] : state.suspendedPods()) {
    const bool gang = record.spec.whole && !record.spec.podGroup.empty();
    const std::string set =
        gang ? fmt::format("{}/{}/{}", record.metadata.namespace_, record.spec.podGroup, record.spec.recall)
             : key + "/";
    sets[set].push_back(&record);
  }
  return sets;
}

const PodInfo* podNamed(const ClusterState& state, const api::SuspendedPod& record) {
  const PodId id = state.findPod(keyOf(record.metadata));
  return id == kNone ? nullptr : &state.pod(id);
}

// Its pod is there: another already, or the one it was made for, that was not stopped after all.
bool isVoid(const ClusterState& state, const api::SuspendedPod& record) {
  const PodInfo* pod = podNamed(state, record);
  if (pod == nullptr) return false;
  if (pod->uid != record.spec.podUid) return true;
  if (pod->terminating) return false;
  return pod->terminal() || !recallActive(state, record.spec.recall);
}

GangId groupOf(const ClusterState& state, const api::SuspendedPod& record) {
  if (record.spec.podGroup.empty()) return kNone;
  const GangId id = state.findGang(keyOf(record.metadata.namespace_, record.spec.podGroup));
  return id != kNone && state.gang(id).exists ? id : kNone;
}

std::string queueOf(const ClusterState& state, const api::SuspendedPod& record) {
  const GangId group = groupOf(state, record);
  return group == kNone ? record.spec.queue : state.gang(group).queue;
}

// What it would come back to is there still.
bool hasHome(const ClusterState& state, const api::SuspendedPod& record) {
  if (!record.spec.podGroup.empty() && groupOf(state, record) == kNone) return false;
  const quota::QueueId queue = state.queues().find(queueOf(state, record));
  return queue != quota::kNoQueue && state.queues().exists(queue);
}

bool mayWait(const ClusterState& state, const api::SuspendedPod& record) {
  return waits(record) && podNamed(state, record) == nullptr && hasHome(state, record);
}

SuspendedJob jobOf(const ClusterState& state, const Records& records) {
  const api::SuspendedPod& first = *records.front();
  const api::ObjectMeta& marks = first.metadata;
  SuspendedJob job;
  job.owner = {.kind = OwnerKind::Pod, .key = keyOf(first.metadata)};
  job.metadata = &first.spec.pod.metadata;
  job.gang = groupOf(state, first);
  job.recall = first.spec.recall;
  job.whole = first.spec.whole;
  job.evictions = intAnnotation(marks, names::kEvictions).value_or(0);
  job.suspendedAt = timeAnnotation(marks, names::kSuspendedAt);
  job.resumedAt = timeAnnotation(marks, names::kResumedAt);
  job.query.queue = queueOf(state, first);
  for (const auto* record : records) {
    job.query.pods.push_back(
        {.metadata = record->spec.pod.metadata, .spec = record->spec.pod.spec, .status = {}});
  }
  job.query.minMember = static_cast<std::int32_t>(records.size());
  if (job.whole && job.gang != kNone) {
    job.query.minMember = std::min(job.query.minMember, state.gang(job.gang).minMember);
  }
  job.priority = state.priorityOf(job.query.pods.front());
  return job;
}

void drop(const api::SuspendedPod& record, Acts& acts) {
  acts.add("unstore/" + record.metadata.uid,
           Delete{.target = api::refOf(record), .uid = record.metadata.uid});
}

void letResume(const api::SuspendedPod& record, const std::string& at, Acts& acts) {
  if (!waits(record)) return;
  Patch patch = patchOf(api::refOf(record), record.metadata.uid);
  patch.annotations[names::kSuspend] = std::nullopt;
  patch.annotations[names::kResumedAt] = at;
  acts.add("resume/pod/" + record.metadata.uid, std::move(patch));
}

// Of a set that a crash has left half resumed, the rest follows before any pod is made.
void remakeSet(const ClusterState& state, const Records& records, Acts& acts) {
  const auto resumed = std::ranges::find_if(records, [](const auto* record) { return !waits(*record); });
  if (resumed == records.end()) return;
  if (std::ranges::any_of(records, [](const auto* record) { return waits(*record); })) {
    const std::string* at = annotation((*resumed)->metadata, names::kResumedAt);
    for (const auto* record : records) letResume(*record, at == nullptr ? "" : *at, acts);
    return;
  }
  for (const auto* record : records) {
    if (isVoid(state, *record)) {
      drop(*record, acts);
    } else if (podNamed(state, *record) == nullptr && hasHome(state, *record)) {
      acts.add("remake/" + record->metadata.uid, RemakePod{.namespace_ = record->metadata.namespace_,
                                                           .name = record->metadata.name,
                                                           .uid = record->metadata.uid});
    }
  }
}

}  // namespace

bool comesBack(const api::RecallVictim& victim, const VictimContext& context) {
  if (!context.options.remakePods) return false;
  const ClusterState& state = context.state;
  const auto asks = [&](const api::RecallPod& member) {
    const PodInfo* pod = livePod(state, member);
    return pod != nullptr && asksForIt(*pod);
  };
  // One that is gone has asked if it is stored; one that has ended by itself is not missed.
  const auto agrees = [&](const api::RecallPod& member) {
    const PodId id = state.findPod(keyOf(member.namespace_, member.name));
    const bool there = id != kNone && state.pod(id).uid == member.uid;
    return there ? state.pod(id).terminal() || asks(member) : isStored(state, member);
  };
  return std::ranges::any_of(victim.pods, asks) &&
         (!victim.whole || std::ranges::all_of(victim.pods, agrees));
}

bool awaitsRecords(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  if (!comesBack(victim, context)) return false;
  bool missing = false;
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(context.state, member);
    if (pod == nullptr || pod->terminating || !asksForIt(*pod) || isStored(context.state, member)) continue;
    acts.add(keyFor(context, "store", member.uid), storeOrder(victim, *pod, context));
    missing = true;
  }
  return missing;
}

void collectSuspendedPods(const ClusterState& state, std::vector<SuspendedJob>& jobs) {
  for (const auto& [set, records] : setsOf(state)) {
    if (std::ranges::all_of(records, [&](const auto* record) { return mayWait(state, *record); })) {
      jobs.push_back(jobOf(state, records));
    }
  }
}

void resumePods(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now,
                Acts& acts) {
  for (const api::Pod& pod : job.query.pods) {
    if (!job.whole && count-- <= 0) break;
    const auto record = state.suspendedPods().find(keyOf(pod.metadata));
    if (record != state.suspendedPods().end()) letResume(record->second, formatTime(now), acts);
  }
}

void remakePods(const ClusterState& state, Acts& acts) {
  for (const auto& [set, records] : setsOf(state)) {
    remakeSet(state, records, acts);
    for (const auto* record : records) {
      if (waits(*record) && isVoid(state, *record)) drop(*record, acts);
    }
  }
}

void remade(const Outbox::Sent& sent, const CommandDone& answer, Outbox& outbox, Time now) {
  const RemakePod& order = std::get<RemakePod>(sent.action);
  const api::ObjectRef record{.kind = api::SuspendedPod::kKind,
                              .apiVersion = api::SuspendedPod::kApiVersion,
                              .namespace_ = order.namespace_,
                              .name = order.name};
  if (answer.outcome == Outcome::Succeeded) {
    outbox.send("unstore/" + order.uid, Delete{.target = record, .uid = order.uid}, now);
  } else if (answer.outcome == Outcome::Rejected) {
    outbox.tell(Emit{.about = record,
                     .warning = true,
                     .reason = "PodRefused",
                     .message = "its pod cannot be made again yet: " + answer.message});
  }
}

}  // namespace tidegate::lifecycle
