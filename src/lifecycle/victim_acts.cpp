#include "lifecycle/victim_acts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "scheduler/victims.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

Owner ownerOf(const api::RecallVictim& victim) {
  return {.kind = ownerKind(victim.ownerKind), .key = victim.owner};
}

const GangInfo* gangOf(const api::RecallVictim& victim, const ClusterState& state) {
  const GangId id = state.findGang(victim.gang);
  return id == kNone ? nullptr : &state.gang(id);
}

bool markedAtGroup(const api::RecallVictim& victim, const GangInfo* gang) {
  return victim.whole && gang != nullptr && gang->exists;
}

bool carries(const PodInfo& pod, const char* name, std::string_view value) {
  const std::string* found = annotation(pod.object->metadata, name);
  return found != nullptr && *found == value;
}

bool isMember(const api::RecallVictim& victim, const PodInfo& pod) {
  return std::ranges::any_of(victim.pods, [&](const auto& member) { return member.uid == pod.uid; });
}

// Pods of a shrunk job that are not asked to go: they keep running.
std::int32_t keptPods(const api::RecallVictim& victim, const ClusterState& state) {
  const GangInfo* gang = gangOf(victim, state);
  if (gang == nullptr) return 0;
  return static_cast<std::int32_t>(std::ranges::count_if(gang->pods, [&](PodId id) {
    const PodInfo& pod = state.pod(id);
    return !pod.terminal() && !pod.terminating && !isMember(victim, pod);
  }));
}

// What the job can resume from: the save it has just confirmed, else the oldest of what its pods have
// reported (a collective resumes from a step that every rank has).
std::optional<Time> resumePoint(const api::RecallVictim& victim, const ClusterState& state) {
  if (victim.checkpointedAt) return victim.checkpointedAt;
  std::optional<Time> common;
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(state, member);
    if (pod == nullptr) continue;
    if (pod->lastCheckpoint) common = common ? std::min(*common, *pod->lastCheckpoint) : pod->lastCheckpoint;
  }
  const GangInfo* gang = gangOf(victim, state);
  return !common && gang != nullptr ? gang->lastCheckpoint : common;
}

StopOrder stopOrder(const api::RecallVictim& victim, const VictimContext& context) {
  return {.recall = context.id(),
          .whole = victim.whole,
          .keep = victim.whole ? 0 : keptPods(victim, context.state),
          .now = context.now,
          .checkpoint = resumePoint(victim, context.state)};
}

std::int64_t graceSeconds(const PodInfo& pod, const VictimContext& context) {
  const Duration untilDeadline = context.deadline() - scheduler::kTeardownAllowance - context.now;
  const Duration left = std::min({pod.grace, context.options.gracePeriod, untilDeadline});
  return std::max<std::int64_t>(1, std::chrono::floor<seconds>(left).count());
}

std::string keyFor(const VictimContext& context, const char* what, std::string_view whom) {
  return fmt::format("{}/{}/{}", context.id(), what, whom);
}

void tellGroup(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const GangInfo* gang = gangOf(victim, context.state);
  const api::ObjectMeta* owner = ownerMetadata(context.state, ownerOf(victim));
  if (gang == nullptr || !gang->exists || owner == nullptr || !ownerStopped(victim, context)) return;
  const std::int32_t evictions = intAnnotation(*owner, names::kEvictions).value_or(0);
  if (gang->evictions >= evictions) return;
  Patch patch = patchOf(groupRef(*gang), gang->uid);
  patch.annotations[names::kEvictions] = std::to_string(evictions);
  const std::string* from = annotation(*owner, names::kLastCheckpoint);
  patch.condition =
      api::Condition{.type = "Recalled",
                     .status = "True",
                     .reason = victim.whole ? "Suspended" : "Shrunk",
                     .message = fmt::format(
                         "by queue {} ({}); {}", context.recall.spec.queue, context.id(),
                         from == nullptr ? "no checkpoint known" : "resumes from the checkpoint of " + *from),
                     .lastTransitionTime = victim.stoppingAt};
  acts.add(keyFor(context, "tell", gang->key), std::move(patch));
}

}  // namespace

Time VictimContext::stopBy(const api::RecallVictim& victim) const {
  const GangInfo* gang = gangOf(victim, state);
  const Duration allowance =
      gang == nullptr ? options.stopAllowance : gang->stopDuration.value_or(options.stopAllowance);
  return deadline() - allowance - scheduler::kTeardownAllowance;
}

Time VictimContext::goneBy(const api::RecallVictim& victim) const {
  Time by{};
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(state, member);
    if (pod != nullptr) by = std::max(by, pod->stopsBy.value_or(deadline()));
  }
  return by;
}

bool declaresCheckpoint(const PodInfo& pod) {
  const api::StringMap& annotations = pod.object->metadata.annotations;
  return annotations.contains(names::kCheckpointPort) || annotations.contains(names::kCheckpointDuration) ||
         annotations.contains(names::kCheckpointMode);
}

bool hasSaved(const PodInfo& pod, const std::string& recall) {
  return carries(pod, names::kCheckpointDone, recall);
}

const PodInfo* demandPod(const ClusterState& state, const api::RecallPlacement& placement) {
  const PodId id = state.findPod(placement.pod);
  if (id == kNone || state.pod(id).uid != placement.podUid || state.pod(id).terminal()) return nullptr;
  return &state.pod(id);
}

void mark(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const GangInfo* gang = gangOf(victim, context.state);
  if (markedAtGroup(victim, gang)) {
    if (gang->recalledBy == context.id()) return;
    Patch patch = patchOf(groupRef(*gang), gang->uid);
    patch.annotations[names::kRecalledBy] = context.id();
    return acts.add(keyFor(context, "mark", gang->key), std::move(patch));
  }
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(context.state, member);
    if (pod == nullptr || pod->terminating || carries(*pod, names::kRecalledBy, context.id())) continue;
    Patch patch = patchOf(podRef(member), member.uid);
    patch.annotations[names::kRecalledBy] = context.id();
    // Of a Deployment that is scaled down, the ReplicaSet takes the cheapest pods first.
    if (!victim.whole) patch.annotations[names::kPodDeletionCost] = "-1000";
    acts.add(keyFor(context, "mark", member.uid), std::move(patch));
  }
}

void unmark(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const GangInfo* gang = gangOf(victim, context.state);
  if (markedAtGroup(victim, gang) && gang->recalledBy == context.id()) {
    Patch patch = patchOf(groupRef(*gang), gang->uid);
    patch.annotations[names::kRecalledBy] = std::nullopt;
    acts.add(keyFor(context, "unmark", gang->key), std::move(patch));
  }
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(context.state, member);
    if (pod == nullptr || pod->terminating || !carries(*pod, names::kRecalledBy, context.id())) continue;
    acts.add(keyFor(context, "unmark", member.uid), unmarkPod(*pod));
  }
}

bool isMarked(const api::RecallVictim& victim, const VictimContext& context) {
  Acts acts;
  unmark(victim, context, acts);
  return !acts.list.empty();
}

void askForCheckpoint(const api::RecallPod& member, const VictimContext& context, Acts& acts) {
  const PodInfo& pod = *livePod(context.state, member);
  const api::StringMap& annotations = pod.object->metadata.annotations;
  const std::string request = fmt::format("{} {}", context.id(), formatTime(context.deadline()));
  if (!carries(pod, names::kCheckpointRequested, request)) {
    Patch patch = patchOf(podRef(member), member.uid);
    patch.annotations[names::kCheckpointRequested] = request;
    acts.add(keyFor(context, "ask", member.uid), std::move(patch));
  }
  auto port = annotations.find(names::kCheckpointPort);
  if (port == annotations.end()) return;
  auto path = annotations.find(names::kCheckpointPath);
  acts.add(keyFor(context, "signal", member.uid),
           Signal{.namespace_ = member.namespace_,
                  .pod = member.name,
                  .uid = member.uid,
                  .port = port->second,
                  .path = path == annotations.end() ? "/" : path->second,
                  .recall = context.id(),
                  .deadline = context.deadline()});
}

void keepStopped(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const Owner owner = ownerOf(victim);
  if (auto patch = stopPatch(context.state, owner, stopOrder(victim, context))) {
    acts.add(keyFor(context, "stop", owner.key), std::move(*patch));
  }
  tellGroup(victim, context, acts);
}

bool ownerStopped(const api::RecallVictim& victim, const VictimContext& context) {
  return isStopped(context.state, ownerOf(victim), stopOrder(victim, context));
}

void deletePods(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const bool pastBudgets = context.recall.spec.guaranteeBacked && context.options.overrideBudgets;
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(context.state, member);
    if (pod == nullptr) continue;
    const std::int64_t grace = graceSeconds(*pod, context);
    // Its controller, or somebody, has deleted it with a grace that ends too late for us: cut it. A second of
    // slack, as deletionTimestamp is a whole second.
    const bool tooLate = pod->terminating && pod->stopsBy && *pod->stopsBy > context.now + seconds(grace + 1);
    if (pod->terminating && !tooLate) continue;
    acts.add(keyFor(context, tooLate ? "shorten" : "delete", member.uid),
             DeletePod{.namespace_ = member.namespace_,
                       .name = member.name,
                       .uid = member.uid,
                       .graceSeconds = grace,
                       .viaEviction = !pastBudgets && !tooLate});
  }
}

void announce(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const Owner owner = ownerOf(victim);
  const bool returns = ownerMetadata(context.state, owner) != nullptr;
  acts.add(keyFor(context, "announce", victim.gang),
           Emit{.about = groupRef(victim.gang),
                .warning = !returns,
                .reason = "Recalled",
                .message = fmt::format(
                    "{} GPUs go back to queue {} by {} ({}); {}", victim.whole ? "all of its" : "the surplus",
                    context.recall.spec.queue, formatTime(context.deadline()), context.id(),
                    returns ? "it resumes by itself" : "nothing owns it that could resume it")});
}

void warnUnanswered(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  acts.add(keyFor(context, "unanswered", victim.gang),
           Emit{.about = groupRef(victim.gang),
                .warning = true,
                .reason = "CheckpointMissed",
                .message = "no checkpoint in time: stopped, to resume from an older one"});
}

}  // namespace tidegate::lifecycle
