// The streams of a SimTransport: events on their way, and what goes wrong with them.
#include <algorithm>

#include "world/rest/sim_connection.hpp"
#include "world/rest/statuses.hpp"
#include "world/rest/watches.hpp"

namespace tidegate::rest {

namespace {

// A watch that goes on from a version, which may be too old.
bool goesOn(const kube::HttpRequest& request) {
  const Target target = parseTarget(request.path, {});
  const std::string_view from = target.param("resourceVersion");
  return !from.empty() && from != "0" && !target.isTrue("sendInitialEvents");
}

}  // namespace

bool SimTransport::State::tooOld(kube::RequestId id, const kube::HttpRequest& request) {
  const bool gone = draw.chance(options.faults.watchGone);
  const bool asEvent = draw.chance(0.5);
  if (!gone || !goesOn(request)) return false;
  ++counts.watchesGone;
  const Failure failure = expired("too old resource version (injected)");
  const Time back = clock.now() + travel();
  if (asEvent) {
    deliver(id, errorEvent(failure), back);
    find(id)->closing = true;
    finishAt(back, id, succeeded(200, ""));
  } else {
    finishAt(back, id, failed(failure));
  }
  return true;
}

void SimTransport::State::openWatch(kube::RequestId id, const kube::HttpRequest& request) {
  const OpenPtr stream = find(id);
  ++counts.watches;
  const bool slow = draw.chance(options.faults.slowWatch);
  const Duration lag = jitter(options.faults.watchLag);
  if (tooOld(id, request)) return;
  if (slow) {
    ++counts.slowWatches;
    stream->lag = lag;
  }
  stream->last = clock.now() + travel();
  const std::weak_ptr<State> weak = weak_from_this();
  const auto opened = server.watch(request, {.event =
                                                 [weak, id](std::string_view line) {
                                                   if (const auto self = weak.lock()) self->event(id, line);
                                                 },
                                             .end =
                                                 [weak, id] {
                                                   if (const auto self = weak.lock()) self->close(id, "");
                                                 }});
  if (!opened.response.ok()) return finishAt(stream->last, id, opened.response);
  stream->watch = opened.id;
  at(stream->last, [id, tell = request.begun](State& self) {  // the answer's headers
    const OpenPtr begun = self.find(id);
    if (!begun) return;
    begun->started = true;
    begun->heard = self.clock.now();
    if (tell) tell();
  });
}

// The server has sent one event: it travels, with what goes wrong on its way.
void SimTransport::State::event(kube::RequestId id, std::string_view line) {
  const OpenPtr stream = find(id);
  if (!stream || stream->closing) return;
  const FaultRates& rates = options.faults;
  const bool drop = draw.chance(rates.dropWatch);
  const bool cut = draw.chance(rates.cutWatch);
  const bool end = draw.chance(rates.endWatch);
  const bool twice = draw.chance(rates.duplicateEvent);
  const bool split = draw.chance(rates.splitChunk);
  const std::size_t place = draw.below(line.size() - 1) + 1;  // never at an end
  const bool carried = draw.chance(0.5);
  const Time due = clock.now() + options.network.watchDelay + jitter(options.network.watchJitter);
  stream->last = std::max(stream->last, due + stream->lag);
  if (drop) {
    ++counts.dropped;
    return close(id, "connection reset");
  }
  if (end) {
    ++counts.ended;
    return close(id, "");
  }
  if (cut) {
    ++counts.cut;
    deliver(id, std::string(line.substr(0, place)), stream->last);
    return close(id, "connection reset within an event");
  }
  ++counts.events;
  if (twice) {
    ++counts.duplicated;
    deliver(id, std::string(line), stream->last);
  }
  if (!split) return deliver(id, std::string(line), stream->last);
  ++counts.split;
  deliver(id, std::string(line.substr(0, place)), stream->last);
  stream->last += milliseconds(carried ? 5 : 1);
  if (carried) {
    // The rest comes with the next bytes, or by itself after a while.
    at(stream->last - milliseconds(4), [id, rest = std::string(line.substr(place))](State& self) {
      if (const OpenPtr waiting = self.find(id)) waiting->carry += rest;
    });
    stream->last -= milliseconds(4);
    return deliver(id, "", stream->last + milliseconds(4));
  }
  deliver(id, std::string(line.substr(place)), stream->last);
}

void SimTransport::State::deliver(kube::RequestId id, std::string bytes, Time when) {
  at(when, [id, bytes = std::move(bytes)](State& self) mutable {
    const OpenPtr stream = self.find(id);
    if (!stream) return;
    stream->started = true;
    self.pass(id, std::exchange(stream->carry, {}) + bytes);
  });
}

void SimTransport::State::pass(kube::RequestId id, std::string bytes) {
  const OpenPtr stream = find(id);
  if (!stream || bytes.empty()) return;
  stream->heard = clock.now();
  if (stream->chunk(bytes) || !find(id)) return;
  stream->closing = true;
  finishAt(clock.now(), id, succeeded(200, ""));
}

// The stream ends after what has been sent.
void SimTransport::State::close(kube::RequestId id, std::string error) {
  const OpenPtr stream = find(id);
  if (!stream || stream->closing) return;
  stream->closing = true;
  if (stream->watch != 0) server.unwatch(stream->watch);
  stream->last = std::max(stream->last, clock.now() + options.network.watchDelay);
  kube::HttpResponse response = succeeded(200, "");
  response.error = std::move(error);
  // Behind what is carried.
  finishAt(stream->last + milliseconds(5), id, std::move(response));
}

// Ends a stream that has been silent for the timeout.
void SimTransport::State::watchSilence(kube::RequestId id, Duration timeout) {
  const OpenPtr stream = find(id);
  if (!stream) return;
  const Time due = stream->heard + timeout;
  at(due, [id, due, timeout](State& self) {
    const OpenPtr silent = self.find(id);
    if (!silent) return;
    if (silent->heard + timeout > due) return self.watchSilence(id, timeout);
    kube::HttpResponse response = noAnswer("timed out");
    if (silent->started) response.status = 200;
    self.finish(id, std::move(response));
  });
}

}  // namespace tidegate::rest
