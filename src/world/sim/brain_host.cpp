#include "world/sim/brain_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/names.hpp"
#include "api/pod_copy.hpp"
#include "api/write.hpp"

namespace tidegate::sim {

namespace {

std::string_view text(Outcome outcome) {
  static constexpr std::array<std::string_view, 5> kNames = {"ok", "conflict", "not found", "rejected",
                                                             "unknown"};
  return kNames[static_cast<std::size_t>(outcome)];
}

constexpr const char* kBrain = "brain";

Answer storePod(SimApiServer& api, const StorePod& store) {
  const auto pod = api.store().find<api::Pod>(keyOf(store.namespace_, store.name));
  if (!pod || pod->metadata.uid != store.uid) return {Outcome::NotFound, "no such pod"};
  const auto record = api::suspendedPodJson(api::toJson(*pod), store.facts);
  TIDEGATE_CHECK(record.has_value(), "a stored pod that cannot be copied");
  return api.createJson(refTo<api::SuspendedPod>(store.namespace_, store.name), *record);
}

Answer remakePod(SimApiServer& api, const RemakePod& remake) {
  const auto record = api.store().find<api::SuspendedPod>(keyOf(remake.namespace_, remake.name));
  if (!record || record->metadata.uid != remake.uid) return {Outcome::NotFound, "no such SuspendedPod"};
  const auto pod = api::remadePodJson(api::toJson(*record));
  if (!pod) return {Outcome::Rejected, pod.error().message};
  return api.createJson(refTo<api::Pod>(remake.namespace_, remake.name), *pod);
}

// Each process draws from streams of its own.
std::string streamName(const BrainHost::Services& services, std::string purpose) {
  return services.name == kBrain ? purpose : services.name + " " + purpose;
}

std::string_view annotation(const api::Pod& pod, const char* name) {
  const auto found = pod.metadata.annotations.find(name);
  return found == pod.metadata.annotations.end() ? std::string_view{} : found->second;
}

}  // namespace

RateLimit::RateLimit(double rate, double burst)
    : interval_(fromSeconds(1.0 / rate)), tolerance_(fromSeconds((burst - 1) / rate)) {}

Time RateLimit::admit(Time now) {
  next_ = std::max(next_, now);  // when the next request would go at the even rate
  const Time admitted = std::max(now, next_ - tolerance_);
  next_ += interval_;
  return admitted;
}

BrainHost::BrainHost(Services services, BrainPort& brain)
    : services_(services),
      brain_(brain),
      limit_(services.options.clientRate, services.options.clientBurst),
      draw_(services.faults.stream(Draw::Client, streamName(services_, ""))) {
  watches_.reserve(kKinds);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    watches_.emplace_back(
        services_.clock, services_.api.store(), kind, services_.options,
        WatchStream::Faults{services_.faults, streamName(services_, std::to_string(kind))},
        [this](const Event& event) { feed(event); },
        [this, kind](const std::string& what) {
          services_.trace.add({.at = services_.clock.now(),
                               .kind = TraceKind::Fault,
                               .object = kindRef(kind).kind,
                               .detail = what});
        });
  }
  services_.api.feed().subscribe(
      [this](const Change& change) { watches_[change.object().index()].changed(change); });
  if (services_.name != kBrain) return;
  for (const BrainRestart& restart : services_.faults.options().restarts) {
    if (restart.atCommand) restartsToCome_.push_back(restart);
    if (!restart.at) continue;
    services_.clock.after(*restart.at, [this, downFor = restart.downFor] { this->restart(downFor); });
  }
}

void BrainHost::start() {
  up_ = true;
  // Listed in the order in which kinds build on each other.
  for (WatchStream& watch : watches_) {
    if (up_) watch.start();
  }
}

void BrainHost::restart(Duration downFor) {
  if (!up_) return;
  up_ = false;
  ++life_;
  for (WatchStream& watch : watches_) watch.stop();
  services_.trace.add({.at = services_.clock.now(),
                       .kind = TraceKind::Fault,
                       .object = services_.name,
                       .detail = "restarts"});
  services_.clock.after(downFor, [this] {
    brain_.restart();
    start();
  });
}

void BrainHost::later(Duration delay, std::function<void()> action) {
  services_.clock.after(delay, [this, mine = life_, action = std::move(action)] {
    if (mine == life_) action();
  });
}

void BrainHost::feed(const Event& event) {
  if (!up_) return;
  for (const Command& command : brain_.handle(event, services_.clock.now())) {
    if (!send(command)) return;
  }
}

// False if the process died before it could send the command.
bool BrainHost::send(const Command& command) {
  ++sent_;
  const auto due = std::ranges::find(restartsToCome_, std::optional(sent_), &BrainRestart::atCommand);
  if (due != restartsToCome_.end()) {
    restart(due->downFor);
    return false;
  }
  if (const auto* wake = std::get_if<WakeAt>(&command.action)) {
    later(wake->at - services_.clock.now(), [this] { feed(Tick{}); });
  } else if (std::holds_alternative<Signal>(command.action)) {
    signal(command);
  } else if (std::holds_alternative<Emit>(command.action)) {
    // Events wait for everything else and hold nothing up; nobody waits for their answer.
    services_.trace.add({.at = services_.clock.now(),
                         .kind = TraceKind::Emitted,
                         .object = std::string(text(Outcome::Succeeded)),
                         .detail = describe(command.action)});
  } else {
    request(command);
  }
  return true;
}

Duration BrainHost::travel() {
  return services_.options.requestDelay + Duration{draw_.between(0, services_.options.requestJitter.count())};
}

// A request waits for the rate limit inside the process (and dies with it), then travels (and arrives in any
// case).
void BrainHost::request(const Command& command) {
  const Duration wait = limit_.admit(services_.clock.now()) - services_.clock.now();
  const auto go = [this, command, mine = life_] {
    services_.clock.after(travel(), [this, command, mine] { execute(command, mine); });
  };
  if (wait > Duration{}) {
    later(wait, go);
  } else {
    go();
  }
}

void BrainHost::execute(const Command& command, std::uint64_t life) {
  const FaultOptions& faults = services_.faults.options();
  const Answer result = draw_.chance(faults.conflict) ? Answer{Outcome::Conflict, "somebody else was first"}
                                                      : apply(command.action);
  services_.trace.add(
      {.at = services_.clock.now(),
       .kind = TraceKind::Command,
       .object = std::string(text(result.outcome)),
       .detail = describe(command.action) + (result.message.empty() ? "" : " (" + result.message + ")")});
  if (draw_.chance(faults.loseAnswer)) {
    answer(command, life, {Outcome::Unknown, "no answer"}, services_.options.answerTimeout);
  } else {
    answer(command, life, result, travel());
  }
}

void BrainHost::answer(const Command& command, std::uint64_t life, const Answer& answer, Duration delay) {
  if (life != life_) return;  // whoever asked is dead
  later(delay, [this, done = CommandDone{command.id, answer.outcome, answer.message}] { feed(done); });
}

Answer BrainHost::apply(const Action& action) {
  SimApiServer& api = services_.api;
  if (const auto* bind = std::get_if<Bind>(&action)) return api.bind(*bind);
  if (const auto* patch = std::get_if<Patch>(&action)) return api.patch(*patch);
  if (const auto* write = std::get_if<WriteRecall>(&action)) return api.writeRecall(*write);
  if (const auto* drop = std::get_if<DeleteRecall>(&action))
    return api.remove(refTo<api::Recall>("", drop->name));
  if (const auto* pod = std::get_if<DeletePod>(&action)) {
    if (pod->viaEviction) return api.evict(*pod);
    return api.remove(refTo<api::Pod>(pod->namespace_, pod->name),
                      {.uid = pod->uid, .graceSeconds = pod->graceSeconds});
  }
  if (const auto* create = std::get_if<Create>(&action)) return api.createJson(create->target, create->json);
  if (const auto* drop = std::get_if<Delete>(&action)) return api.remove(drop->target, {.uid = drop->uid});
  if (const auto* status = std::get_if<WriteStatus>(&action)) return api.writeStatus(*status);
  if (const auto* store = std::get_if<StorePod>(&action)) return storePod(api, *store);
  if (const auto* remake = std::get_if<RemakePod>(&action)) return remakePod(api, *remake);
  return {};
}

// An HTTP request to the pod itself; the answer comes when its checkpoint is saved.
void BrainHost::signal(const Command& command) {
  later(services_.options.requestDelay, [this, command, life = life_] {
    const Signal& signal = std::get<Signal>(command.action);
    const auto pod = services_.api.store().find<api::Pod>(keyOf(signal.namespace_, signal.pod));
    PodProcess* process = services_.kubelets.process(signal.uid);
    const Kubelet* kubelet = pod ? services_.kubelets.find(pod->spec.nodeName) : nullptr;
    const auto refuse = [&](Outcome outcome, const char* why, Duration delay) {
      services_.trace.add({.at = services_.clock.now(),
                           .kind = TraceKind::Command,
                           .object = std::string(text(outcome)),
                           .detail = describe(command.action)});
      answer(command, life, {outcome, why}, delay);
    };
    if (!pod || pod->metadata.uid != signal.uid) return refuse(Outcome::NotFound, "no such pod", travel());
    if (kubelet && !kubelet->alive()) {
      return refuse(Outcome::Unknown, "no answer", services_.options.answerTimeout);
    }
    if (!process || annotation(*pod, api::names::kCheckpointPort) != signal.port) {
      return refuse(Outcome::Rejected, "connection refused", travel());
    }
    process->save(signal.recall, [this, command, life](bool saved) {
      const Answer result = saved ? Answer{} : Answer{Outcome::Rejected, "connection closed"};
      services_.trace.add({.at = services_.clock.now(),
                           .kind = TraceKind::Command,
                           .object = std::string(text(result.outcome)),
                           .detail = describe(command.action)});
      answer(command, life, result, travel());
    });
  });
}

}  // namespace tidegate::sim
