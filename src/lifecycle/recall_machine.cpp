#include "lifecycle/recall_machine.hpp"

#include <fmt/format.h>

#include "lifecycle/learned_times.hpp"
#include "lifecycle/phases.hpp"
#include "lifecycle/pod_deletes.hpp"
#include "lifecycle/victim_acts.hpp"

namespace tidegate::lifecycle {

namespace {

bool needsAnswer(const api::RecallPod& member, const RecallView& view, const std::string& recall) {
  const PodInfo* pod = livePod(view.state, member);
  return pod != nullptr && declaresCheckpoint(*pod) && !pod->terminating &&
         !view.answered.contains(pod->uid) && !hasSaved(*pod, recall);
}

bool anyPod(const api::RecallVictim& victim, auto predicate) {
  return std::ranges::any_of(victim.pods, predicate);
}

bool anyAlive(const api::RecallVictim& victim, const ClusterState& state) {
  return anyPod(victim, [&](const auto& member) { return livePod(state, member) != nullptr; });
}

// The demand needs no victim any more: all of it stands on a node, or is gone.
bool demandSettled(const api::Recall& record, const ClusterState& state) {
  return !record.spec.placements.empty() &&
         std::ranges::all_of(record.spec.placements, [&](const auto& placement) {
           const PodInfo* pod = demandPod(state, placement);
           return pod == nullptr || pod->terminating || pod->node != kNone;
         });
}

bool demandReady(const api::Recall& record, const ClusterState& state) {
  return std::ranges::all_of(record.spec.placements, [&](const auto& placement) {
    const PodInfo* pod = demandPod(state, placement);
    return pod == nullptr || pod->ready;
  });
}

// Walks one victim as far as the objects allow.
class VictimWalk {
 public:
  VictimWalk(api::RecallVictim& victim, const VictimContext& context, const RecallView& view, Acts& acts)
      : victim_(victim), context_(context), view_(view), acts_(acts), phase_(victimPhase(victim.phase)) {}

  void run(bool wanted) {
    if (!wanted && !stopBegun(phase_)) enter(VictimPhase::Cancelled);
    switch (phase_) {
      case VictimPhase::Planned:
        begin();
        break;
      case VictimPhase::Signalled:
        awaitAnswers();
        break;
      case VictimPhase::Checkpointed:
      case VictimPhase::GraceExpired:
        stop();
        break;
      case VictimPhase::Stopping:
      case VictimPhase::Stuck:
        awaitGone();
        break;
      case VictimPhase::Released:
        keepStopped(victim_, context_, acts_);
        learn(victim_, context_, acts_);
        break;
      case VictimPhase::Cancelled:
        unmark(victim_, context_, acts_);
        break;
    }
  }

 private:
  void enter(VictimPhase phase) {
    phase_ = phase;
    victim_.phase = text(phase);
  }

  void begin() {
    announce(victim_, context_, acts_);
    if (!isAwaited()) return stop();
    victim_.signalledAt = context_.now;
    enter(VictimPhase::Signalled);
    awaitAnswers();
  }

  // Gangs of one owner stop together: with it.
  bool isAwaited() const {
    const auto unanswered = [&](const auto& member) { return needsAnswer(member, view_, context_.id()); };
    if (anyPod(victim_, unanswered)) return true;
    if (!operatorOf(ownerKind(victim_.ownerKind))) return false;
    return std::ranges::any_of(context_.recall.spec.victims, [&](const api::RecallVictim& other) {
      return ownerOf(other) == ownerOf(victim_) && anyPod(other, unanswered);
    });
  }

  void awaitAnswers() {
    mark(victim_, context_, acts_);
    for (const auto& member : victim_.pods) {
      if (needsAnswer(member, view_, context_.id())) askForCheckpoint(member, context_, acts_);
    }
    const Time stopBy = context_.stopBy(victim_);
    if (!isAwaited()) {
      victim_.checkpointedAt = context_.now;
      enter(VictimPhase::Checkpointed);
      stop();
    } else if (context_.now >= stopBy) {
      enter(VictimPhase::GraceExpired);
      warnUnanswered(victim_, context_, acts_);
      stop();
    } else {
      acts_.wake(stopBy);
    }
  }

  void stop() {
    victim_.stoppingAt = context_.now;
    enter(VictimPhase::Stopping);
    awaitGone();
  }

  void awaitGone() {
    mark(victim_, context_, acts_);
    keepStopped(victim_, context_, acts_);
    if (!anyAlive(victim_, context_.state)) {
      victim_.releasedAt = context_.now;
      learn(victim_, context_, acts_);
      return enter(VictimPhase::Released);
    }
    deletePods(victim_, context_, acts_);
    if (phase_ == VictimPhase::Stuck) return;
    const Time stuckAt = context_.goneBy(victim_) + context_.options.stuckMargin;
    context_.now >= stuckAt ? enter(VictimPhase::Stuck) : acts_.wake(stuckAt);
  }

  api::RecallVictim& victim_;
  const VictimContext& context_;
  const RecallView& view_;
  Acts& acts_;
  VictimPhase phase_;
};

// The phase of the whole: that of the job which is least far; empty if every job was cancelled.
std::optional<VictimPhase> slowest(const api::Recall& record) {
  std::optional<VictimPhase> least;
  for (const auto& victim : record.spec.victims) {
    const VictimPhase phase = victimPhase(victim.phase);
    if (phase == VictimPhase::Cancelled) continue;
    least = least ? std::min(*least, phase) : phase;
  }
  return least;
}

bool loose(const api::Recall& record, const VictimContext& context) {  // something is still to be put right
  return std::ranges::any_of(record.spec.victims, [&](const api::RecallVictim& victim) {
    return victimPhase(victim.phase) == VictimPhase::Cancelled ? isMarked(victim, context)
                                                               : !ownerStopped(victim, context);
  });
}

Time heldSince(const api::Recall& record, const RecallOptions& options) {
  Time since = record.spec.startedAt.value_or(Time{});
  for (const auto& victim : record.spec.victims) {
    if (victim.releasedAt) since = std::max(since, *victim.releasedAt);
    if (victimPhase(victim.phase) == VictimPhase::Stuck && record.spec.deadline) {
      since = std::max(since, *record.spec.deadline + options.stuckMargin);
    }
  }
  return since;
}

std::string stuckMessage(const api::Recall& record, const ClusterState& state) {
  std::string message;
  for (const auto& victim : record.spec.victims) {
    if (victimPhase(victim.phase) != VictimPhase::Stuck) continue;
    for (const auto& member : victim.pods) {
      if (livePod(state, member) == nullptr) continue;
      message += fmt::format("{}{}/{} on {}", message.empty() ? "still there past its deadline: " : ", ",
                             member.namespace_, member.name, member.node);
    }
  }
  return message;
}

void finish(api::Recall& record, const char* phase, Time now) {
  record.status.phase = phase;
  record.status.handedOverAt = now;
}

void settle(api::Recall& record, const VictimContext& context, Acts& acts) {
  record.status.message = stuckMessage(record, context.state);
  const std::optional<VictimPhase> phase = slowest(record);
  if (!phase) {
    if (!loose(record, context)) finish(record, recall_phase::kAbandoned, context.now);
    return;
  }
  if (*phase < VictimPhase::Stuck) {
    record.status.phase = *phase == VictimPhase::Planned    ? recall_phase::kPlanned
                          : *phase == VictimPhase::Stopping ? recall_phase::kStopping
                                                            : recall_phase::kSignalled;
    return;
  }
  record.status.phase = recall_phase::kReleased;
  if (loose(record, context)) return;
  const Time holdEnds = heldSince(record, context.options) + context.options.holdTime;
  if (demandReady(record, context.state) || context.now >= holdEnds) {
    finish(record, recall_phase::kHandedOver, context.now);
  } else {
    acts.wake(holdEnds);
  }
}

}  // namespace

const PodInfo* livePod(const ClusterState& state, const api::RecallPod& pod) {
  const PodId id = state.findPod(keyOf(pod.namespace_, pod.name));
  if (id == kNone || state.pod(id).uid != pod.uid || state.pod(id).terminal()) return nullptr;
  return &state.pod(id);
}

RecallStep step(api::Recall record, const RecallView& view, const RecallOptions& options, Time now) {
  RecallStep result{.record = std::move(record), .acts = {}};
  if (!isActive(result.record)) return result;
  const bool wanted = !demandSettled(result.record, view.state);
  const api::Recall plan = result.record;
  const VictimContext context{.state = view.state, .recall = plan, .options = options, .now = now};
  for (auto& victim : result.record.spec.victims) {
    VictimWalk(victim, context, view, result.acts).run(wanted);
  }
  settle(result.record, context, result.acts);
  return result;
}

}  // namespace tidegate::lifecycle
