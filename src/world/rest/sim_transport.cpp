#include "world/rest/sim_transport.hpp"

#include <array>
#include <utility>

#include "world/rest/resources.hpp"
#include "world/rest/sim_connection.hpp"
#include "world/rest/statuses.hpp"

namespace tidegate::rest {

namespace {

Failure tooMany(const FaultRates& rates) {
  const auto wait = std::chrono::duration_cast<seconds>(rates.retryAfter);
  return {.code = 429,
          .reason = "TooManyRequests",
          .message = "too many requests, please try again later",
          .retryAfterSeconds = static_cast<int>(wait.count())};
}

Failure internalError() {
  return {.code = 500, .reason = "InternalError", .message = "Internal error occurred: injected"};
}

Failure unavailable() {
  return {.code = 503,
          .reason = "ServiceUnavailable",
          .message = "the server is currently unable to handle the request"};
}

// Writes that an optimistic lock guards.
bool mayConflict(const kube::HttpRequest& request) {
  return request.method == "PUT" || request.method == "PATCH" || request.method == "DELETE";
}

}  // namespace

// Draws as often whatever the rates are, so that one fault does not move another.
Fate SimTransport::State::drawFate(const kube::HttpRequest& request, bool isStream) {
  const FaultRates& rates = options.faults;
  struct Risk {
    Fate fate;
    double rate;
    std::uint64_t& count;
  };
  const std::array<Risk, 7> risks = {{
      {Fate::RequestLost, rates.requestLost, counts.requestsLost},
      {Fate::AnswerLost, isStream ? 0 : rates.answerLost, counts.answersLost},
      {Fate::NoAnswer, isStream ? 0 : rates.noAnswer, counts.unanswered},
      {Fate::Conflict, mayConflict(request) ? rates.conflict : 0, counts.conflicts},
      {Fate::TooMany, rates.tooMany, counts.tooMany},
      {Fate::InternalError, rates.internalError, counts.internalErrors},
      {Fate::Unavailable, rates.unavailable, counts.unavailable},
  }};
  Fate fate = Fate::Fine;
  for (const Risk& risk : risks) {
    const bool hit = draw.chance(risk.rate);
    if (!hit || fate != Fate::Fine) continue;
    fate = risk.fate;
    ++risk.count;
  }
  return fate;
}

kube::RequestId SimTransport::State::begin(kube::HttpRequest request, Done done, Chunk chunk) {
  const kube::RequestId id = ++last;
  if (!alive) return id;
  const bool isStream = chunk != nullptr;
  ++counts.requests;
  const Fate fate = drawFate(request, isStream);
  const bool slow = draw.chance(options.faults.slowRequest);
  if (slow) ++counts.slowRequests;
  const Time arrival = clock.now() + travel() + (slow ? options.faults.slowness : Duration{});
  auto opened = std::make_shared<Open>();
  opened->done = std::move(done);
  opened->chunk = std::move(chunk);
  opened->heard = clock.now();
  open[id] = std::move(opened);
  if (isStream) {
    watchSilence(id, request.timeout);
  } else {
    finishAt(clock.now() + request.timeout, id, noAnswer("timed out"));
  }
  at(arrival, [id, request = std::move(request), fate](State& self) { self.arrive(id, request, fate); });
  return id;
}

void SimTransport::State::arrive(kube::RequestId id, const kube::HttpRequest& request, Fate fate) {
  const Time back = clock.now() + travel();
  if (!server.up()) {
    ++counts.refused;
    return finishAt(clock.now() + options.network.refusedAfter, id, noAnswer("connection refused"));
  }
  switch (fate) {
    case Fate::RequestLost:
      return finishAt(back, id, noAnswer("connection reset before the request was read"));
    case Fate::Conflict: {
      Target target = parseTarget(request.path, {});
      if (!target.resource) break;
      return finishAt(back, id, failed(conflict(target, "the object has been modified (injected)")));
    }
    case Fate::TooMany:
      return finishAt(back, id, failed(tooMany(options.faults)));
    case Fate::InternalError:
      return finishAt(back, id, failed(internalError()));
    case Fate::Unavailable:
      return finishAt(back, id, failed(unavailable()));
    default:
      break;
  }
  if (RestServer::isWatch(request)) {
    const OpenPtr stream = find(id);
    if (!stream) return;
    if (stream->chunk) return openWatch(id, request);
  }
  act(id, request, fate);
}

// The server carries the request out, whoever still waits for the answer.
void SimTransport::State::act(kube::RequestId id, const kube::HttpRequest& request, Fate fate) {
  const std::uint64_t life = server.life();
  kube::HttpResponse response = server.answer(request);
  const Time back = clock.now() + travel();
  if (fate == Fate::NoAnswer) return;
  if (fate == Fate::AnswerLost) return finishAt(back, id, noAnswer("connection reset before the answer"));
  at(back, [id, life, response = std::move(response)](State& self) mutable {
    const OpenPtr waiting = self.find(id);
    if (!waiting) return;
    if (self.server.life() != life) return self.finish(id, noAnswer("connection reset before the answer"));
    if (waiting->chunk && response.ok()) {  // a stream of what is no watch
      waiting->started = true;
      self.pass(id, std::exchange(response.body, {}));
    }
    self.finish(id, response);
  });
}

void SimTransport::State::finishAt(Time when, kube::RequestId id, kube::HttpResponse response) {
  at(when, [id, response = std::move(response)](State& self) { self.finish(id, response); });
}

void SimTransport::State::finish(kube::RequestId id, kube::HttpResponse response) {
  const OpenPtr ended = find(id);
  if (!ended) return;
  forget(id);
  ended->done(std::move(response));
}

void SimTransport::State::forget(kube::RequestId id) {
  const OpenPtr gone = find(id);
  if (!gone) return;
  gone->closing = true;
  open.erase(id);
  if (gone->watch != 0) server.unwatch(gone->watch);
}

SimTransport::SimTransport(sim::EventQueue& clock, RestServer& server, Options options)
    : state_(std::make_shared<State>(clock, server, options)) {}

SimTransport::~SimTransport() {
  kill();
}

kube::RequestId SimTransport::send(kube::HttpRequest request, Done done) {
  return state_->begin(std::move(request), std::move(done), nullptr);
}

kube::RequestId SimTransport::stream(kube::HttpRequest request, Chunk chunk, Done done) {
  return state_->begin(std::move(request), std::move(done), std::move(chunk));
}

void SimTransport::cancel(kube::RequestId request) {
  state_->forget(request);
}

void SimTransport::kill() {
  state_->alive = false;
  while (!state_->open.empty()) state_->forget(state_->open.begin()->first);
}

void SimTransport::setFaults(const FaultRates& faults) {
  state_->options.faults = faults;
}

const FaultCounts& SimTransport::counts() const {
  return state_->counts;
}

}  // namespace tidegate::rest
