#include "brain/brain.hpp"

#include <algorithm>
#include <utility>

#include "brain/bind_book.hpp"
#include "brain/demand_gate.hpp"
#include "brain/pending_news.hpp"
#include "brain/pod_news.hpp"
#include "brain/recall_book.hpp"
#include "brain/record_shelf.hpp"
#include "lifecycle/gang_watch.hpp"
#include "lifecycle/recall_record.hpp"
#include "lifecycle/resumer.hpp"
#include "lifecycle/suspended_pods.hpp"
#include "protocol/outbox.hpp"

namespace tidegate {

namespace {

// Some rules turn with time alone (a borrower's minimum run time): while pods wait they are judged again so
// often.
constexpr Duration kPendingRetry = seconds(5);
// How long a plain preemption's victim may take to show that it was deleted.
constexpr Duration kPlainDeleteSeen = seconds(10);

lifecycle::RecallOptions recallOptions(const BrainOptions& options) {
  return {.gracePeriod = options.gracePeriod,
          .holdTime = options.holdTime,
          .stuckMargin = options.stuckMargin,
          .overrideBudgets = options.policy.overrideBudgets,
          .vcjobCommands = options.vcjobCommands,
          .remakePods = options.remakePods};
}

// Volcano's own controller knows no limit of replicas.
void settle(BrainOptions& options) {
  if (options.vcjobCommands) options.policy.shrinksVcJobs = false;
}

lifecycle::ResumeOptions resumeOptions(const BrainOptions& options) {
  return {.cooldown = options.resumeCooldown,
          .spacing = options.resumeSpacing,
          .shortRun = options.policy.minRuntime};
}

}  // namespace

class Brain::Impl {
 public:
  explicit Impl(BrainOptions options)
      : options_(std::move(options)),
        state_(options_.schedulerNames),
        recalls_(recallOptions(options_)),
        resumer_(resumeOptions(options_)),
        gangs_(options_.gangGrace),
        gate_(options_.demand) {
    settle(options_);
  }

  std::vector<Command> handle(const Event& event, Time now) {
    const std::uint64_t before = state_.generation();
    std::visit([&](const auto& typed) { take(typed, now); }, event);
    if (state_.generation() != before) cycleBy(now + options_.coalesce);
    listed_ = listed_ || std::holds_alternative<Tick>(event);
    if (listed_) advance(now);
    if (auto retry = outbox_.takeRetry()) wakeBy(*retry);
    askToWake(now);
    return outbox_.take();
  }

  void use(const scheduler::Policy& policy, Time now) {
    options_.policy = policy;
    options_.recallDeadline = policy.recallDeadline;
    settle(options_);
    recalls_.use(recallOptions(options_));
    resumer_.use(resumeOptions(options_));
    cycleBy(now);
  }

  void rest(Time until) {
    restsUntil_ = std::max(restsUntil_, until);
    if (cycleAt_) cycleAt_ = std::max(*cycleAt_, restsUntil_);
  }

  const ClusterState& state() const { return state_; }
  const scheduler::Decisions& lastDecisions() const { return last_; }

 private:
  void take(const ObjectSeen& event, Time) {
    state_.apply(event.object);
    if (const auto* recall = std::get_if<api::Recall>(&event.object)) recalls_.seen(*recall, outbox_);
  }
  void take(const ObjectGone& event, Time) {
    state_.remove(event.ref, event.uid);
    if (event.ref.kind == api::Recall::kKind) recalls_.gone(event.ref.name);
  }
  void take(const CommandDone& event, Time now) {
    const auto sent = outbox_.finished(event, now);
    if (!sent) return;
    // What cycles have asked for is asked for again by a cycle.
    if (sent->retryAt) cycleBy(*sent->retryAt);
    if (const auto* bind = std::get_if<Bind>(&sent->action)) {
      binds_.finished(*sent, event.outcome, state_, outbox_, now);
      if (event.outcome == Outcome::Succeeded) podNews_.bound(*bind, outbox_);
    }
    if (std::holds_alternative<Signal>(sent->action) || std::holds_alternative<WriteRecall>(sent->action)) {
      recalls_.finished(*sent, event.outcome, state_, now);
    }
    if (std::holds_alternative<RemakePod>(sent->action)) lifecycle::remade(*sent, event, outbox_, now);
  }
  void take(const Tick&, Time) {}

  void advance(Time now) {
    std::optional<Time> wake = recalls_.step(state_, outbox_, now);
    if (cycleAt_ && now >= *cycleAt_) {
      cycle(now);
      wake = recalls_.step(state_, outbox_, now);
    }
    if (wake) wakeBy(*wake);
  }

  void cycleBy(Time at) {
    at = std::max(at, restsUntil_);
    cycleAt_ = cycleAt_ ? std::min(*cycleAt_, at) : at;
  }
  void wakeBy(Time at) { wakeAt_ = wakeAt_ ? std::min(*wakeAt_, at) : at; }

  // One timer is enough: when it fires, everything is looked at again.
  void askToWake(Time now) {
    if (cycleAt_) wakeBy(*cycleAt_);
    const auto at = std::exchange(wakeAt_, std::nullopt);
    if (!at) return;
    const bool covered = askedFor_ && *askedFor_ > now && *askedFor_ <= *at;
    if (covered) return;
    askedFor_ = std::max(*at, now + milliseconds(1));
    outbox_.tell(WakeAt{*askedFor_});
  }

  void cycle(Time now) {
    cycleAt_.reset();
    if (auto wake = binds_.step(state_, outbox_, now)) cycleBy(*wake);
    assume(now);
    last_ = scheduler::decide(state_, options_.policy, now, resumer_.returning(state_, now));
    for (const auto& bind : last_.binds) {
      binds_.bind(state_, bind.pod, bind.node, outbox_, now);
      gate_.bound(state_.gang(state_.pod(bind.pod).gang).queue, now);
    }
    gate_.look(last_, now);
    for (const auto& recall : last_.recalls) consider(recall, now);
    news_.tell(state_, last_, outbox_, now);
    podNews_.tell(state_, last_, outbox_, now);
    repairGangs(now);
    resumeJobs(now);
    pruneRecalls(state_, {}, outbox_, now);
    if (!last_.pending.empty()) cycleBy(now + kPendingRetry);
    if (auto retry = outbox_.takeRetry()) cycleBy(*retry);
  }

  // What is known and not to be seen on the objects.
  void assume(Time now) {
    recalls_.assume(state_);
    std::erase_if(plainVictims_, [&](const auto& victim) { return now >= victim.second; });
    for (PodId id = 0; id < state_.pods().size(); ++id) {
      const PodInfo& pod = state_.pod(id);
      if (pod.key.empty()) continue;
      if (plainVictims_.contains(pod.uid)) state_.assumeRecalled(id);
      if (!pod.terminating || !pod.stopsBy || !pod.bound() || pod.overdue) continue;
      const Time overdueAt = *pod.stopsBy + options_.stuckMargin;
      now >= overdueAt ? state_.markOverdue(id) : cycleBy(overdueAt);
    }
  }

  void consider(const scheduler::RecallDecision& decision, Time now) {
    if (options_.policy.victims == scheduler::VictimPolicy::PodByPod) return deletePlainly(decision, now);
    if (const auto opens = gate_.closedUntil(decision, now)) return cycleBy(*opens);
    gate_.begun(decision);
    start(decision, now);
  }

  void start(const scheduler::RecallDecision& decision, Time now) {
    const Duration deadline = deadlineOf(decision.queue);
    recalls_.propose(lifecycle::makeRecord(state_, decision, facts(now, deadline)), state_, now);
  }

  Duration deadlineOf(const std::string& queue) const {
    const quota::QueueId id = state_.queues().find(queue);
    if (id == quota::kNoQueue) return options_.recallDeadline;
    return state_.queues().config(id).recallDeadline.value_or(options_.recallDeadline);
  }

  lifecycle::RecordFacts facts(Time now, Duration deadline) const {
    return {.name = lifecycle::nextRecallName(state_), .now = now, .deadline = now + deadline};
  }

  // As plain preemption does it: no signal, no suspended owner, no held node; each pod goes with its own
  // grace.
  void deletePlainly(const scheduler::RecallDecision& decision, Time now) {
    for (const auto& victim : decision.victims) {
      for (const PodId id : victim.pods) {
        const PodInfo& pod = state_.pod(id);
        const auto& metadata = pod.object->metadata;
        outbox_.send("plain/" + pod.uid,
                     DeletePod{.namespace_ = metadata.namespace_,
                               .name = metadata.name,
                               .uid = pod.uid,
                               .graceSeconds = std::chrono::floor<seconds>(pod.grace).count(),
                               .viaEviction = false},
                     now);
        plainVictims_[pod.uid] = now + kPlainDeleteSeen;
        state_.assumeRecalled(id);
      }
    }
  }

  void repairGangs(Time now) {
    if (options_.policy.victims == scheduler::VictimPolicy::PodByPod) return;
    Acts acts;
    for (const GangId gang : gangs_.beyondRepair(state_, now, acts)) {
      const auto repair = facts(now, options_.recallDeadline);
      recalls_.propose(lifecycle::makeRepairRecord(state_, gang, repair), state_, now);
    }
    if (acts.wakeAt) cycleBy(*acts.wakeAt);
  }

  void resumeJobs(Time now) {
    const Acts acts = resumer_.plan(state_, options_.policy, now);
    outbox_.send(acts, now);
    if (acts.wakeAt) cycleBy(*acts.wakeAt);
  }

  BrainOptions options_;
  ClusterState state_;
  Outbox outbox_;
  BindBook binds_;
  RecallBook recalls_;
  lifecycle::Resumer resumer_;
  lifecycle::GangWatch gangs_;
  PendingNews news_;
  PodNews podNews_;
  DemandGate gate_;
  scheduler::Decisions last_;
  bool listed_ =
      false;  // all objects were shown: before, a pod that is not there may only not have been shown yet
  std::map<std::string, Time> plainVictims_;  // uids, and how long their deletion is taken as done
  std::optional<Time> cycleAt_;               // the next scheduling cycle
  Time restsUntil_{};                         // and none before
  std::optional<Time> wakeAt_;                // what this event's handling needs
  std::optional<Time> askedFor_;              // the timer that is set
};

Brain::Brain(BrainOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Brain::~Brain() = default;
Brain::Brain(Brain&&) noexcept = default;
Brain& Brain::operator=(Brain&&) noexcept = default;

std::vector<Command> Brain::handle(const Event& event, Time now) {
  return impl_->handle(event, now);
}
void Brain::use(const scheduler::Policy& policy, Time now) {
  impl_->use(policy, now);
}
void Brain::rest(Time until) {
  impl_->rest(until);
}
const ClusterState& Brain::state() const {
  return impl_->state();
}
const scheduler::Decisions& Brain::lastDecisions() const {
  return impl_->lastDecisions();
}

}  // namespace tidegate
