// What a SimTransport knows of its requests, and what happens to them on their way (internal to it).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "world/rest/sim_transport.hpp"

namespace tidegate::rest {

enum class Fate : std::uint8_t {
  Fine,
  RequestLost,
  AnswerLost,
  NoAnswer,
  Conflict,
  TooMany,
  InternalError,
  Unavailable
};

inline kube::HttpResponse noAnswer(const char* why) {
  return {.status = 0, .body = {}, .headers = {}, .error = why};
}

struct SimTransport::State : std::enable_shared_from_this<SimTransport::State> {
  State(sim::EventQueue& queue, RestServer& target, Options chosen)
      : clock(queue), server(target), options(chosen), draw(chosen.seed) {}

  // A request whose caller has not been answered.
  struct Open {
    Done done;
    Chunk chunk;  // of streams
    WatchId watch = 0;
    bool started = false;  // the answer's first bytes have come: status 200
    bool closing = false;  // nothing of the server's is passed on any more
    Duration lag{};        // of a slow watch
    Time last{};           // of the latest delivery: order is kept
    Time heard{};          // of a stream: when bytes came last
    std::string carry;     // bytes that come together with the next ones
  };
  using OpenPtr = std::shared_ptr<Open>;

  kube::RequestId begin(kube::HttpRequest request, Done done, Chunk chunk);
  void arrive(kube::RequestId id, const kube::HttpRequest& request, Fate fate);
  void act(kube::RequestId id, const kube::HttpRequest& request, Fate fate);
  void openWatch(kube::RequestId id, const kube::HttpRequest& request);
  bool tooOld(kube::RequestId id, const kube::HttpRequest& request);
  void event(kube::RequestId id, std::string_view line);
  void deliver(kube::RequestId id, std::string bytes, Time when);
  void pass(kube::RequestId id, std::string bytes);
  void close(kube::RequestId id, std::string error);
  void finish(kube::RequestId id, kube::HttpResponse response);
  void finishAt(Time when, kube::RequestId id, kube::HttpResponse response);
  void watchSilence(kube::RequestId id, Duration timeout);
  void forget(kube::RequestId id);
  OpenPtr find(kube::RequestId id) const {
    const auto found = open.find(id);
    return found == open.end() ? nullptr : found->second;
  }
  Fate drawFate(const kube::HttpRequest& request, bool isStream);
  Duration jitter(Duration most) { return Duration{draw.between(0, most.count())}; }
  Duration travel() { return options.network.requestDelay + jitter(options.network.requestJitter); }
  // Runs an action on this state later.
  template <class Action>
  void at(Time when, Action action) {
    clock.at(when, [self = shared_from_this(), action = std::move(action)]() mutable { action(*self); });
  }

  sim::EventQueue& clock;
  RestServer& server;
  Options options;
  Rng draw;
  FaultCounts counts;
  bool alive = true;
  kube::RequestId last = 0;
  std::map<kube::RequestId, OpenPtr> open;
};

}  // namespace tidegate::rest
