#include "world/kube/kube_host.hpp"

#include <algorithm>
#include <deque>
#include <set>

namespace tidegate::kube {

class KubeHost::Impl {
 public:
  Impl(HostServices services, HostOptions options)
      : services_(std::move(services)),
        options_(std::move(options)),
        rng_(options_.seed),
        runner_(runnerServices(), options_.commands, rng_.split(1)),
        trouble_(services_.loop, "API server", {services_.warning, services_.notice}),
        reconnect_(services_.loop, services_.transport, options_.reconnect, rng_.split(2)) {}
  ~Impl() { stop(); }

  void add(std::string name, Controller& controller, const std::vector<std::size_t>& kinds) {
    TIDEGATE_CHECK(!running_, "controllers are added before the start");
    seats_.push_back(Seat{.name = std::move(name),
                          .controller = controller,
                          .kinds = {kinds.begin(), kinds.end()},
                          .frozenAt = {}});
    for (const std::size_t kind : kinds) {
      TIDEGATE_CHECK(kind < kObjectKinds, "no such kind");
      if (!reflectors_.contains(kind)) reflectors_.emplace(kind, makeReflector(kind));
    }
  }

  void start() {
    TIDEGATE_CHECK(!running_, "started twice");
    running_ = true;
    life_ = std::make_shared<bool>(true);
    for (Seat& seat : seats_) {
      seat.synced = false;
      seat.frozenAt = services_.loop.now();
    }
    for (auto& [kind, reflector] : reflectors_) reflector->start();
    // Those that watch nothing have seen all there is.
    services_.loop.after({}, [this, life = std::weak_ptr(life_)] {
      if (life.lock()) releaseSynced();
    });
  }

  void stop() {
    if (!running_) return;
    running_ = false;
    life_.reset();
    for (auto& [kind, reflector] : reflectors_) reflector->stop();
    runner_.stop();
  }

  bool synced() const {
    return std::ranges::all_of(reflectors_, [](const auto& each) { return each.second->synced(); });
  }
  bool idle() const { return runner_.idle(); }
  const CommandMetrics& commandMetrics() const { return runner_.metrics(); }
  const std::map<std::string, ControllerMetrics>& controllerMetrics() const { return metrics_; }
  std::vector<const Reflector*> reflectors() const {
    std::vector<const Reflector*> all;
    for (const auto& [kind, reflector] : reflectors_) all.push_back(reflector.get());
    return all;
  }

 private:
  // A controller and what it is shown.
  struct Seat {
    std::string name;
    Controller& controller;
    std::set<std::size_t> kinds;
    bool synced = false;  // has had its first Tick
    Time frozenAt;        // its time until then
  };

  CommandRunner::Services runnerServices() {
    return {.loop = services_.loop,
            .transport = services_.transport,
            .signals = services_.signals,
            .mayWrite = services_.mayWrite,
            .uidOf = [this](const api::ObjectRef& ref) { return uidOf(ref); },
            .warning = services_.warning};
  }

  std::string uidOf(const api::ObjectRef& ref) const {
    for (const auto& [kind, reflector] : reflectors_) {
      const Resource& resource = reflector->resource();
      if (resource.kind != ref.kind || resource.apiVersion != ref.apiVersion) continue;
      return std::string(reflector->uidOf(ref.namespace_, ref.name));
    }
    return {};
  }

  std::unique_ptr<Reflector> makeReflector(std::size_t kind) {
    const Resource& resource = objectResources()[kind];
    const auto special = options_.reflectorOf.find(resource.title());
    const ReflectorOptions& options =
        special == options_.reflectorOf.end() ? options_.reflector : special->second;
    ReflectorSink sink{.event = [this, kind](const Event& event) { show(kind, event); },
                       .state = [this, &resource](ReflectorState state) { stateChanged(resource, state); },
                       .warning = services_.warning};
    return std::make_unique<Reflector>(
        Reflector::Services{services_.loop, services_.transport, &trouble_, &reconnect_}, resource, options,
        std::move(sink), rng_.split(100 + kind));
  }

  void stateChanged(const Resource& resource, ReflectorState state) {
    if (state == ReflectorState::Absent) tellAbsent(resource);
    if (state == ReflectorState::Synced && absent_.erase(resource.title()) > 0) {
      const auto& tell = services_.notice ? services_.notice : services_.warning;
      if (tell) tell(resource.title() + ": installed now");
    }
    releaseSynced();
  }
  void tellAbsent(const Resource& resource) {
    absent_.insert(resource.title());
    if (resource.ofOthers) return;  // nobody has asked for it
    if (services_.absent) return services_.absent(resource);
    if (services_.warning) services_.warning(resource.title() + ": the server has no such kind");
  }

  bool hasSynced(const Seat& seat) const {
    return std::ranges::all_of(seat.kinds, [&](std::size_t kind) {
      const Reflector& reflector = *reflectors_.at(kind);
      // Without a right to others' kinds their jobs are as unknown as those of kinds without a row.
      const bool refused = reflector.resource().ofOthers && reflector.state() == ReflectorState::Refused;
      return reflector.synced() || refused;
    });
  }
  // Those that have now seen everything get their first Tick.
  void releaseSynced() {
    for (std::size_t i = 0; i < seats_.size() && running_; ++i) {
      if (seats_[i].synced || !hasSynced(seats_[i])) continue;
      seats_[i].synced = true;
      feed(i, Tick{});
    }
  }

  void show(std::size_t kind, const Event& event) {
    for (std::size_t i = 0; i < seats_.size() && running_; ++i) {
      if (seats_[i].kinds.contains(kind)) feed(i, event);
    }
  }

  void feed(std::size_t index, const Event& event) {
    Seat& seat = seats_[index];
    ControllerMetrics& metrics = metrics_[seat.name];
    ++metrics.events;
    const Time now = seat.synced ? services_.loop.now() : seat.frozenAt;
    for (Command& command : seat.controller.handle(event, now)) {
      ++metrics.commands;
      carryOut(index, std::move(command));
    }
  }

  void carryOut(std::size_t index, Command command) {
    if (const auto* wake = std::get_if<WakeAt>(&command.action)) {
      services_.loop.at(wake->at, [this, index, life = std::weak_ptr(life_)] {
        // Before the first Tick there is nothing to wake up for: that comes by itself.
        if (life.lock() && seats_[index].synced) feed(index, Tick{});
      });
      return;
    }
    runner_.run(std::move(command), [this, index](const CommandDone& done) {
      if (running_) feed(index, done);
    });
  }

  const HostServices services_;
  const HostOptions options_;
  Rng rng_;
  CommandRunner runner_;
  TroubleLog trouble_;
  Reconnect reconnect_;
  std::deque<Seat> seats_;
  std::map<std::size_t, std::unique_ptr<Reflector>> reflectors_;
  std::map<std::string, ControllerMetrics> metrics_;
  std::set<std::string> absent_;  // titles of kinds that are not installed
  bool running_ = false;
  std::shared_ptr<bool> life_;
};

std::vector<std::size_t> operatorKinds() {
  std::vector<std::size_t> kinds;
  for (const Resource& resource : objectResources()) {
    if (resource.ofOthers) kinds.push_back(resource.object.value());
  }
  return kinds;
}

KubeHost::KubeHost(HostServices services, HostOptions options)
    : impl_(std::make_unique<Impl>(std::move(services), std::move(options))) {}
KubeHost::~KubeHost() = default;

void KubeHost::add(std::string name, Controller& controller, const std::vector<std::size_t>& kinds) {
  impl_->add(std::move(name), controller, kinds);
}
void KubeHost::start() {
  impl_->start();
}
void KubeHost::stop() {
  impl_->stop();
}
bool KubeHost::synced() const {
  return impl_->synced();
}
bool KubeHost::idle() const {
  return impl_->idle();
}
const CommandMetrics& KubeHost::commandMetrics() const {
  return impl_->commandMetrics();
}
const std::map<std::string, ControllerMetrics>& KubeHost::controllerMetrics() const {
  return impl_->controllerMetrics();
}
std::vector<const Reflector*> KubeHost::reflectors() const {
  return impl_->reflectors();
}

}  // namespace tidegate::kube
