#include "lifecycle/victim_acts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "lifecycle/phases.hpp"
#include "lifecycle/suspended_pods.hpp"
#include "lifecycle/vcjob_commands.hpp"
#include "scheduler/victims.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

// So long a controller may take to act on an order, within a third of what the deadline leaves.
constexpr Duration kLeastPatience = seconds(1);
constexpr Duration kMostPatience = seconds(3);
constexpr const char* kCheap = "-1000";  // as pod-deletion-cost

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

// Chosen to go now: of a Deployment that is scaled down, the ReplicaSet takes the cheapest pods first.
bool isCheap(const PodInfo& pod) {
  return carries(pod, names::kPodDeletionCost, kCheap);
}

// Which pods a ReplicaSet that is scaled down takes first, before it looks at their cost: unbound, then not
// running, then not ready ones (Kubernetes: pkg/controller, ActivePodsWithRanks).
std::tuple<bool, bool, bool> standing(const PodInfo& pod) {
  return {pod.node != kNone, pod.phase == PodPhase::Running, pod.ready};
}

// Pods of a shrunk job that are not asked to go, by this recall or another: they keep running. Of a
// Deployment not those that its controller takes before one of ours.
std::int32_t keptPods(const api::RecallVictim& victim, const ClusterState& state) {
  std::vector<const PodInfo*> kept;
  std::tuple<bool, bool, bool> highest{};
  const Owner owner = ownerOf(victim);
  const GangId own = state.findGang(victim.gang);
  for (const auto& [key, id] : state.gangIndex()) {
    if (id != own && (owner.kind != OwnerKind::Deployment || ownerOf(state, state.gang(id)) != owner))
      continue;
    for (const PodId member : state.gang(id).pods) {
      const PodInfo& pod = state.pod(member);
      if (pod.terminal() || pod.terminating) continue;
      if (isMember(victim, pod) || (owner.kind == OwnerKind::Deployment && isCheap(pod)))
        highest = std::max(highest, standing(pod));
      else
        kept.push_back(&pod);
    }
  }
  if (owner.kind != OwnerKind::Deployment) return static_cast<std::int32_t>(kept.size());
  return static_cast<std::int32_t>(
      std::ranges::count_if(kept, [&](const PodInfo* pod) { return standing(*pod) >= highest; }));
}

StopOrder stopOrder(const api::RecallVictim& victim, const VictimContext& context) {
  return {.recall = context.id(),
          .whole = victim.whole,
          .keep = 0,
          .now = context.now,
          .checkpoint = resumePoint(victim, context.state),
          .byCommand = context.options.vcjobCommands};
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

// A Deployment must not be scaled down before its chosen pods are known to be the cheapest.
bool awaitsMarks(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  if (victim.whole || ownerKind(victim.ownerKind) != OwnerKind::Deployment) return false;
  const Time until = context.patience(victim);
  const bool unmarked = std::ranges::any_of(victim.pods, [&](const auto& member) {
    const PodInfo* pod = livePod(context.state, member);
    return pod != nullptr && !pod->terminating && !isCheap(*pod);
  });
  if (!unmarked || context.now >= until) return false;
  acts.wake(until);
  return true;
}

// Another recall stops all of the owner: to shrink it now could bring back what that one takes away.
bool isStoppedWhole(const api::RecallVictim& victim, const VictimContext& context) {
  return std::ranges::any_of(context.state.recalls(), [&](const auto& item) {
    if (item.first == context.id() || !item.second.active) return false;
    return std::ranges::any_of(item.second.object->spec.victims, [&](const api::RecallVictim& other) {
      return other.whole && other.ownerKind == victim.ownerKind && other.owner == victim.owner &&
             victimPhase(other.phase) != VictimPhase::Cancelled;
    });
  });
}

}  // namespace

std::string keyFor(const VictimContext& context, const char* what, std::string_view whom) {
  return fmt::format("{}/{}/{}", context.id(), what, whom);
}

Owner ownerOf(const api::RecallVictim& victim) {
  return {.kind = ownerKind(victim.ownerKind), .key = victim.owner};
}

Time VictimContext::stopBy(const api::RecallVictim& victim) const {
  const GangInfo* gang = gangOf(victim, state);
  const Duration allowance =
      gang == nullptr ? options.stopAllowance : gang->stopDuration.value_or(options.stopAllowance);
  return deadline() - allowance - scheduler::kTeardownAllowance;
}

Time VictimContext::patience(const api::RecallVictim& victim) const {
  const Time since = victim.stoppingAt.value_or(now);
  return since + std::clamp<Duration>((deadline() - since) / 3, kLeastPatience, kMostPatience);
}

Time VictimContext::goneBy(const api::RecallVictim& victim) const {
  Time by{};
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(state, member);
    if (pod != nullptr) by = std::max(by, pod->stopsBy.value_or(deadline()));
  }
  return by;
}

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

bool declaresCheckpoint(const PodInfo& pod) {
  const api::StringMap& annotations = pod.object->metadata.annotations;
  const auto mode = annotations.find(names::kCheckpointMode);
  return annotations.contains(names::kCheckpointPort) || annotations.contains(names::kCheckpointDuration) ||
         (mode != annotations.end() && mode->second == "host");
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
    if (pod == nullptr || pod->terminating) continue;
    Patch patch = patchOf(podRef(member), member.uid);
    if (!carries(*pod, names::kRecalledBy, context.id()))
      patch.annotations[names::kRecalledBy] = context.id();
    if (!victim.whole && victim.stoppingAt && !isCheap(*pod)) {
      patch.annotations[names::kPodDeletionCost] = kCheap;
    }
    if (!patch.annotations.empty()) acts.add(keyFor(context, "mark", member.uid), std::move(patch));
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
  StopOrder order = stopOrder(victim, context);
  if (!isStopped(context.state, owner, order)) {
    if (awaitsMarks(victim, context, acts)) return;
    if (!victim.whole && isStoppedWhole(victim, context)) return;
    if (!victim.whole) order.keep = keptPods(victim, context.state);
    if (auto patch = stopPatch(context.state, owner, order)) {
      acts.add(keyFor(context, "stop", owner.key), std::move(*patch));
    }
  }
  abortJob(context.state, owner, context.id(), acts);
  tellGroup(victim, context, acts);
}

bool ownerStopped(const api::RecallVictim& victim, const VictimContext& context) {
  return isStopped(context.state, ownerOf(victim), stopOrder(victim, context));
}

void announce(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const Owner owner = ownerOf(victim);
  const bool returns = ownerMetadata(context.state, owner) != nullptr || comesBack(victim, context);
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
