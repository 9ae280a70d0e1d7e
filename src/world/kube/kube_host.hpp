// Hosts controllers on a Kubernetes cluster: shows them the objects of the kinds they watch, carries their
// commands out, wakes them.
//
// Until every kind of a controller is synced, time stands still for it and it gets no Tick: it sees the
// cluster as of one moment. Then one Tick, and from there on time as it is. All calls are made on the loop's
// thread, never from inside another call of the same controller.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/controller.hpp"
#include "world/kube/commands.hpp"
#include "world/kube/reflector.hpp"

namespace tidegate::kube {

struct HostOptions {
  ReflectorOptions reflector = {};
  std::map<std::string, ReflectorOptions> reflectorOf = {};  // by Resource::title(), where one differs
  CommandOptions commands = {};
  ReconnectOptions reconnect = {};
  std::uint64_t seed = 1;  // of jitter
};

struct HostServices {
  Loop& loop;
  Transport& transport;
  SignalSender* signals = nullptr;
  std::function<bool()> mayWrite = {};                           // asked before each write; unset: true
  std::function<void(const std::string& message)> warning = {};  // for the log; may be unset
  std::function<void(const std::string& message)> notice = {};   // good news; unset: as a warning
  std::function<void(const Resource&)> absent = {};  // a kind is not installed; unset: as a warning
};

struct ControllerMetrics {
  std::uint64_t events = 0;    // handled, ticks and answers included
  std::uint64_t commands = 0;  // asked for
};

class KubeHost {
 public:
  KubeHost(HostServices services, HostOptions options);
  ~KubeHost();
  KubeHost(const KubeHost&) = delete;
  KubeHost& operator=(const KubeHost&) = delete;

  // Before start(). The controller must outlive the host. `kinds` are places in api::Object.
  void add(std::string name, Controller& controller, const std::vector<std::size_t>& kinds);
  void start();
  // No controller is called any more, nothing new is sent.
  void stop();

  // Every kind some controller watches is synced (or absent).
  bool synced() const;
  // Nothing waits to be sent or answered.
  bool idle() const;
  const CommandMetrics& commandMetrics() const;
  const std::map<std::string, ControllerMetrics>& controllerMetrics() const;
  // In the order of api::Object.
  std::vector<const Reflector*> reflectors() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The places in api::Object of kinds, for KubeHost::add: kindsOf<api::Pod, api::Node>().
template <class... T>
std::vector<std::size_t> kindsOf() {
  return {kObjectIndex<T>...};
}
// Those of all jobs of other projects' operators.
std::vector<std::size_t> operatorKinds();

}  // namespace tidegate::kube
