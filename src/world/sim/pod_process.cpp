#include "world/sim/pod_process.hpp"

#include <algorithm>
#include <utility>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

constexpr Duration kMinimumGrace = seconds(2);
constexpr int kKilled = 137;

api::Condition readyCondition(const char* status) {
  return {.type = "Ready", .status = status, .reason = {}, .message = {}, .lastTransitionTime = {}};
}

}  // namespace

PodProcess::PodProcess(const PodServices& services, const api::Pod& pod, std::function<void()> released)
    : services_(services),
      pod_(pod),
      timing_(timingOf(pod, services.options, services.faults, services.slow)),
      released_(std::move(released)) {}

// Steps hold no life: a process that is dropped meanwhile is not woken.
void PodProcess::later(Timer& timer, Duration delay, void (PodProcess::*step)()) {
  const std::uint64_t mine = ++timer.newest;
  services_.clock.after(delay, [self = weak_from_this(), &timer, mine, step] {
    const auto process = self.lock();
    if (process && timer.newest == mine) ((*process).*step)();
  });
}

// Status travels on its own: it arrives even if the process ends meanwhile, unless the pod was replaced.
void PodProcess::writeStatus(std::function<void(api::Pod&)> change) {
  const auto delay = fromSeconds(toSeconds(services_.options.statusDelay) * services_.slow);
  services_.clock.after(delay, [api = &services_.api, key = keyOf(pod_.metadata), uid = uid(),
                                change = std::move(change)] { api->modify<api::Pod>(key, uid, change); });
}

void PodProcess::note(TraceKind kind, std::string detail) {
  services_.trace.add(podEntry(services_.clock.now(), kind, pod_, std::move(detail)));
}

void PodProcess::start() {
  const Time seen = services_.clock.now();
  writeStatus([seen](api::Pod& pod) {
    if (!pod.status.startTime) pod.status.startTime = seen;
    if (isReady(pod)) setCondition(pod.status.conditions, readyCondition("False"), seen);
  });
  later(next_, timing_.start, &PodProcess::running);
}

void PodProcess::running() {
  stage_ = Stage::Running;
  writeStatus([](api::Pod& pod) {
    if (!isTerminal(pod)) pod.status.phase = "Running";
  });
  later(next_, timing_.ready, &PodProcess::ready);
}

void PodProcess::ready() {
  const Time now = services_.clock.now();
  writeStatus([now](api::Pod& pod) {
    if (!isTerminal(pod)) setCondition(pod.status.conditions, readyCondition("True"), now);
  });
  if (timing_.failAfter) later(next_, *timing_.failAfter, &PodProcess::fail);
  services_.work.join(pod_, timing_);
}

void PodProcess::terminate(std::int64_t graceSeconds) {
  if (graceSeconds_ >= 0 && graceSeconds >= graceSeconds_) return;
  const bool first = graceSeconds_ < 0;
  graceSeconds_ = graceSeconds;
  const Time now = services_.clock.now();
  if (stage_ == Stage::Starting) return exit(kKilled);
  if (stage_ == Stage::TearingDown) return;
  killAt_ = std::min(killAt_, now + seconds(graceSeconds));
  if (first) {
    stage_ = Stage::PreStop;
    later(next_, std::min(timing_.preStop, killAt_ - now), &PodProcess::sigterm);
  } else if (stage_ == Stage::PreStop) {
    later(kill_, killAt_ - now, &PodProcess::sigterm);
  } else {
    killAt_ = std::max(killAt_, sigtermAt_ + kMinimumGrace);
    later(kill_, killAt_ - now, &PodProcess::sigkill);
  }
}

void PodProcess::sigterm() {
  if (stage_ != Stage::PreStop) return;
  stage_ = Stage::Stopping;
  sigtermAt_ = services_.clock.now();
  killAt_ = std::max(killAt_, sigtermAt_ + kMinimumGrace);
  note(TraceKind::PodSigterm);
  later(kill_, killAt_ - sigtermAt_, &PodProcess::sigkill);
  if (timing_.ignoreSigterm) return;
  services_.work.leave(uid());
  if (!timing_.saveOnSigterm || !savedFor_.empty() || !services_.work.unsaved(uid())) {
    later(next_, timing_.stop, &PodProcess::stopNow);
  } else if (savingFor_.empty()) {
    services_.work.beginSave(uid());
    later(next_, *timing_.checkpoint, &PodProcess::savedAtSigterm);
  }  // else it exits when the save under way is done
}

void PodProcess::savedAtSigterm() {
  services_.work.endSave(uid());
  note(TraceKind::CheckpointSaved, "at SIGTERM");
  later(next_, timing_.stop, &PodProcess::stopNow);
}

void PodProcess::sigkill() {
  note(TraceKind::PodKilled, "grace used up");
  exit(kKilled);
}

void PodProcess::abandon() {
  abandoned_ = true;
  if (stage_ == Stage::TearingDown) return;
  note(TraceKind::PodKilled, "deleted by force");
  exit(kKilled);
}

void PodProcess::crash() {
  note(TraceKind::PodKilled, "node lost");
  dropSave();
  services_.work.die(uid());
}

void PodProcess::exit(int code) {
  if (stage_ == Stage::TearingDown) return;
  const bool started = stage_ != Stage::Starting;
  stage_ = Stage::TearingDown;
  exitCode_ = code;
  ++kill_.newest;
  dropSave();
  services_.work.die(uid());
  later(next_, started ? timing_.teardown : Duration{}, &PodProcess::release);
}

// The devices are free: the pod's end is told, and its deletion, if one is under way, is confirmed.
void PodProcess::release() {
  if (!abandoned_) {
    const auto delay = fromSeconds(toSeconds(services_.options.statusDelay) * services_.slow);
    services_.clock.after(delay, [api = &services_.api, key = keyOf(pod_.metadata),
                                  pod = refTo<api::Pod>(pod_.metadata.namespace_, pod_.metadata.name),
                                  uid = uid(), code = exitCode_] {
      api->modify<api::Pod>(key, uid, [&](api::Pod& it) {
        if (isTerminal(it)) return;
        it.status.phase = code == 0 ? "Succeeded" : "Failed";
        setCondition(it.status.conditions, readyCondition("False"), api->now());
      });
      const auto stored = api->store().find<api::Pod>(key);
      if (stored && isTerminating(*stored)) api->remove(pod, {.uid = uid, .graceSeconds = 0});
    });
  }
  released_();
}

}  // namespace tidegate::sim
