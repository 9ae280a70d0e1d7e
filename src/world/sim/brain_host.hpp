// The process a brain runs in: its watches, its API client with rate limit and latency, its timers, and its
// deaths.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "world/sim/brain_port.hpp"
#include "world/sim/kubelet.hpp"
#include "world/sim/trace.hpp"
#include "world/sim/watch_stream.hpp"

namespace tidegate::sim {

// Lets through `rate` requests per second after a burst, each at the earliest time that keeps to it.
class RateLimit {
 public:
  RateLimit(double rate, double burst);
  Time admit(Time now);

 private:
  Duration interval_;
  Duration tolerance_;
  Time next_{};
};

class BrainHost {
 public:
  struct Services {
    EventQueue& clock;
    SimApiServer& api;
    Kubelets& kubelets;
    Trace& trace;
    const FaultDraws& faults;
    ApiOptions options;
    std::string name = "brain";  // of the process; the faults restart "brain" only
  };

  BrainHost(Services services, BrainPort& brain);

  // Shows the brain every object, then goes on with the changes.
  void start();
  // The process dies now and comes up again after a while.
  void restart(Duration downFor);
  std::uint64_t commandsSent() const { return sent_; }

 private:
  void feed(const Event& event);
  bool send(const Command& command);
  void request(const Command& command);
  void execute(const Command& command, std::uint64_t life);
  Answer apply(const Action& action);
  void signal(const Command& command);
  void answer(const Command& command, std::uint64_t life, const Answer& answer, Duration delay);
  Duration travel();
  // Runs an action later unless the process has died meanwhile.
  void later(Duration delay, std::function<void()> action);

  Services services_;
  BrainPort& brain_;
  std::vector<WatchStream> watches_;
  RateLimit limit_;
  Rng draw_;
  std::uint64_t life_ = 0;  // rises with every death: what older lives have asked for is void
  bool up_ = false;
  std::uint64_t sent_ = 0;
  std::vector<BrainRestart> restartsToCome_;
};

// "Bind default/web-0 to n1": a command in words, for traces.
std::string describe(const Action& action);

}  // namespace tidegate::sim
