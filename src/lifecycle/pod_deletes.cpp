#include "lifecycle/pod_deletes.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "lifecycle/suspended_pods.hpp"
#include "scheduler/victims.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

std::int64_t graceSeconds(const PodInfo& pod, const VictimContext& context) {
  const Duration untilDeadline = context.deadline() - scheduler::kTeardownAllowance - context.now;
  const Duration left = std::min({pod.grace, context.options.gracePeriod, untilDeadline});
  return std::max<std::int64_t>(1, std::chrono::floor<seconds>(left).count());
}

enum class Turn : std::uint8_t { Controllers, Ours, PastController };

// Whose turn it is to delete pods that nobody has deleted yet.
Turn turnOf(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const Owner owner = ownerOf(victim);
  const api::ObjectMeta* metadata = ownerMetadata(context.state, owner);
  if (metadata == nullptr || isFinished(context.state, owner)) return Turn::Ours;
  if (!ownerStopped(victim, context)) return Turn::Controllers;
  const bool begun = std::ranges::any_of(victim.pods, [&](const auto& member) {
    const PodInfo* pod = livePod(context.state, member);
    return pod == nullptr || pod->terminating;
  });
  if (!controllerDeletes(owner, victim.whole) || controllerIsDone(context.state, owner, begun)) {
    return Turn::Ours;
  }
  // After a restart the order may be younger than the stop.
  Time until = context.patience(victim);
  const Duration patience = until - victim.stoppingAt.value_or(context.now);
  until = std::max(until, timeAnnotation(*metadata, names::kSuspendedAt).value_or(Time{}) + patience);
  if (context.now >= until) return Turn::PastController;
  acts.wake(until);
  return Turn::Controllers;
}

void tellPast(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  acts.add(
      keyFor(context, "past", victim.gang),
      Emit{.about = groupRef(victim.gang),
           .warning = true,
           .reason = "ControllerTooSlow",
           .message = "its controller has not begun to delete its pods in time: they are deleted past it, "
                      "which it may take for failures"});
}

}  // namespace

void deletePods(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const bool pastBudgets = context.recall.spec.guaranteeBacked && context.options.overrideBudgets;
  const Turn turn = turnOf(victim, context, acts);
  const bool stored = !awaitsRecords(victim, context, acts);
  bool past = false;
  for (const auto& member : victim.pods) {
    const PodInfo* pod = livePod(context.state, member);
    if (pod == nullptr || (!pod->terminating && (turn == Turn::Controllers || !stored))) continue;
    const std::int64_t grace = graceSeconds(*pod, context);
    // Its controller, or somebody, has deleted it with a grace that ends too late for us: cut it. A second of
    // slack, as deletionTimestamp is a whole second.
    const bool tooLate = pod->terminating && pod->stopsBy && *pod->stopsBy > context.now + seconds(grace + 1);
    if (pod->terminating && !tooLate) continue;
    past = past || (!pod->terminating && turn == Turn::PastController);
    acts.add(keyFor(context, tooLate ? "shorten" : "delete", member.uid),
             DeletePod{.namespace_ = member.namespace_,
                       .name = member.name,
                       .uid = member.uid,
                       .graceSeconds = grace,
                       .viaEviction = !pastBudgets && !tooLate});
  }
  if (past) tellPast(victim, context, acts);
}

}  // namespace tidegate::lifecycle
