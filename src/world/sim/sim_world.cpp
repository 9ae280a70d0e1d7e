#include "world/sim/sim_world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

SimWorld::SimWorld(SimOptions options, BrainPort* brain)
    : options_(std::move(options)),
      clock_(options_.start),
      faults_(options_.seed, options_.faults),
      api_(clock_, faults_.stream(Draw::Uid).next()),
      work_(clock_, api_.store(), workHooks()),
      kubelets_({clock_, api_, work_, trace_, faults_, options_.kubelet}),
      nodes_(clock_, api_, kubelets_, options_.nodes),
      deployments_(controllerServices()),
      batchJobs_(controllerServices()),
      operators_(controllerServices()),
      vcJobs_(options_.vcJobController ? std::make_unique<VcJobController>(controllerServices()) : nullptr),
      garbage_(controllerServices()) {
  subscribe([this](const Change& change) { recordChange(trace_, now(), change); });
  subscribe([this](const Change& change) { releaseFinalizer(change); });
  injectFaults();
  if (brain) startBrain(*brain);
}

void SimWorld::startBrain(BrainPort& brain) {
  host_ = std::make_unique<BrainHost>(
      BrainHost::Services{clock_, api_, kubelets_, trace_, faults_, options_.api, "brain"}, brain);
  clock_.after({}, [this] { host_->start(); });
}

void SimWorld::restartBrain(Duration downFor) {
  if (host_) host_->restart(downFor);
}

void SimWorld::host(const std::string& name, MakeController make) {
  TIDEGATE_CHECK(name != "brain" && !hosted_.contains(name), "a process named " + name + " runs already");
  HostedController& process = hosted_[name];
  process.port = std::make_unique<ControllerPort>(std::move(make));
  process.host = std::make_unique<BrainHost>(
      BrainHost::Services{clock_, api_, kubelets_, trace_, faults_, options_.api, name}, *process.port);
  clock_.after({}, [host = process.host.get()] { host->start(); });
}

void SimWorld::restartHosted(const std::string& name, Duration downFor) {
  const auto found = hosted_.find(name);
  TIDEGATE_CHECK(found != hosted_.end(), "no process named " + name);
  found->second.host->restart(downFor);
}

Controller* SimWorld::hosted(const std::string& name) {
  const auto found = hosted_.find(name);
  return found == hosted_.end() ? nullptr : &found->second.port->controller();
}

void SimWorld::injectFaults() {
  for (std::size_t i = 0; i < options_.faults.crashes.size(); ++i) {
    const NodeCrash crash = options_.faults.crashes[i];
    at(crash.at, [crash, i](SimWorld& world) {
      std::string node = crash.node;
      const auto nodes = world.store().all<api::Node>();
      if (node.empty() && !nodes.empty()) {
        Rng draw = world.faults_.stream(Draw::Crash, std::to_string(i));
        node = nodes[draw.below(nodes.size())]->metadata.name;
      }
      world.trace_.add({.at = world.now(), .kind = TraceKind::Fault, .object = node, .detail = "crashes"});
      world.crashNode(node);
      if (crash.recoverAfter) {
        world.clock_.after(*crash.recoverAfter, [&world, node] { world.recoverNode(node); });
      }
    });
  }
}

// Whoever holds the pods that the faults chose lets go of them a while after their deletion began.
void SimWorld::releaseFinalizer(const Change& change) {
  if (!change.before || !change.after) return;
  const api::ObjectMeta& before = api::metadataOf(*change.before);
  const api::ObjectMeta& after = api::metadataOf(*change.after);
  if (before.deletionTimestamp || !after.deletionTimestamp) return;
  if (std::ranges::find(after.finalizers, kHoldFinalizer) == after.finalizers.end()) return;
  clock_.after(options_.faults.finalizerHold, [this, key = keyOf(after), uid = after.uid] {
    api_.modify<api::Pod>(key, uid,
                          [](api::Pod& pod) { std::erase(pod.metadata.finalizers, kHoldFinalizer); });
  });
}

WorkLedger::Hooks SimWorld::workHooks() {
  const auto note = [this](TraceKind kind, const JobWork& work, std::string detail) {
    trace_.add({.at = now(), .kind = kind, .object = work.name, .detail = std::move(detail)});
  };
  return {
      .saved =
          [this, note](const JobWork& work, const std::vector<std::string>& uids) {
            note(TraceKind::WorkSaved, work, fmt::format("step={}", work.stepOf(work.saved)));
            publishCheckpoint(work, uids);
          },
      .finished =
          [this, note](const JobWork& work, const std::vector<std::string>& uids) {
            note(TraceKind::WorkDone, work, fmt::format("step={}", work.stepOf(work.done)));
            for (const std::string& uid : uids) {
              if (PodProcess* process = kubelets_.process(uid)) process->exit(0);
            }
          },
      .stopped =
          [note](const JobWork& work, const WorkStop& stop) {
            note(TraceKind::WorkLost, work,
                 fmt::format("step={} saved={} lostGpuSeconds={}", stop.step, stop.savedStep,
                             stop.lostGpuSeconds));
          },
      .resumed =
          [note](const JobWork& work, const WorkResume& resume) {
            note(TraceKind::WorkResumed, work, fmt::format("step={}", resume.fromStep));
          },
  };
}

// A job tells on its pods and its PodGroup when its last whole checkpoint was made.
void SimWorld::publishCheckpoint(const JobWork& work, const std::vector<std::string>& uids) {
  clock_.after(options_.kubelet.statusDelay, [this, group = work.group, uids, saved = formatTime(now())] {
    const auto annotate = [&](auto& object) {
      object.metadata.annotations[api::names::kLastCheckpoint] = saved;
    };
    if (!group.empty()) api_.modify<api::PodGroup>(group, "", annotate);
    for (const std::string& uid : uids) {
      if (const PodProcess* process = kubelets_.process(uid))
        api_.modify<api::Pod>(process->key(), uid, annotate);
    }
  });
}

void SimWorld::at(Duration sinceStart, std::function<void(SimWorld&)> action) {
  clock_.at(start() + sinceStart, [this, action = std::move(action)] { action(*this); });
}

void SimWorld::createAt(Duration sinceStart, api::Object object) {
  at(sinceStart, [object = std::move(object)](SimWorld& world) {
    const Answer answer = world.api().create(object);
    TIDEGATE_CHECK(answer.ok(),
                   "the script cannot create " + api::refOf(object).name + ": " + answer.message);
  });
}

void SimWorld::deleteAt(Duration sinceStart, const api::ObjectRef& ref) {
  at(sinceStart, [ref](SimWorld& world) { world.api().remove(ref); });
}

void SimWorld::step() {
  clock_.step();
  for (const auto& observer : observers_) observer(*this);
}

void SimWorld::runUntil(Duration sinceStart) {
  const Time end = start() + sinceStart;
  while (!clock_.empty() && clock_.nextTime() <= end) step();
  clock_.advanceTo(end);
}

bool SimWorld::runUntil(const std::function<bool(const SimWorld&)>& predicate, Duration limit) {
  const Time end = start() + limit;
  while (!predicate(*this)) {
    if (clock_.empty() || clock_.nextTime() > end) {
      clock_.advanceTo(end);
      return false;
    }
    step();
  }
  return true;
}

bool SimWorld::runUntilQuiet(Duration quiet, Duration limit) {
  std::uint64_t version = store().version();
  Time since = now();
  const Time end = start() + limit;
  while (!clock_.empty() && clock_.nextTime() <= std::min(end, since + quiet)) {
    step();
    if (store().version() == version) continue;
    version = store().version();
    since = now();
  }
  const bool isQuiet = since + quiet <= end;
  clock_.advanceTo(isQuiet ? since + quiet : end);
  return isQuiet;
}

}  // namespace tidegate::sim
