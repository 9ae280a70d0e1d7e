// The connection of one simulated process to the simulated API server: kube::Transport in virtual time, with
// latency and faults drawn from a seed. The same seed and the same calls give the same bytes at the same
// times.
//
// A stream that breaks after its answer has begun ends with status 200 and an error, as over libcurl; one
// that the server ends, with 200 and none. Timeouts count true time, whatever the process's clock says. The
// queue and the server must outlive whatever is on its way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/rng.hpp"
#include "world/kube/transport.hpp"
#include "world/rest/network.hpp"
#include "world/rest/rest_server.hpp"
#include "world/sim/event_queue.hpp"

namespace tidegate::rest {

class SimTransport : public kube::Transport {
 public:
  struct Options {
    std::uint64_t seed = 1;
    NetworkOptions network = {};
    FaultRates faults = {};
  };

  SimTransport(sim::EventQueue& clock, RestServer& server, Options options);
  ~SimTransport() override;
  SimTransport(const SimTransport&) = delete;
  SimTransport& operator=(const SimTransport&) = delete;

  kube::RequestId send(kube::HttpRequest request, Done done) override;
  kube::RequestId stream(kube::HttpRequest request, Chunk chunk, Done done) override;
  void cancel(kube::RequestId request) override;

  // The process dies: requests on their way still arrive, nothing is called any more, new ones are void.
  void kill();
  // From now on; what is on its way keeps what was drawn for it.
  void setFaults(const FaultRates& faults);
  const FaultCounts& counts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with what stands in the queue, which may outlive the process
};

}  // namespace tidegate::rest
