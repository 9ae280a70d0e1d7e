#include "world/rest/rest_server.hpp"

#include <utility>

#include "api/kinds.hpp"
#include "world/rest/archive.hpp"
#include "world/rest/lists.hpp"
#include "world/rest/statuses.hpp"
#include "world/rest/watches.hpp"
#include "world/rest/writes.hpp"

namespace tidegate::rest {

struct RestServer::State {
  State(sim::EventQueue& queue, sim::SimApiServer& world, RestOptions chosen)
      : clock(queue),
        options(std::move(chosen)),
        archive(world, options.history),
        watches(queue, archive, options),
        lists(queue, archive, options),
        writes(world, archive) {}

  void changed(std::optional<std::size_t> resource) {
    if (resource) watches.changed(*resource);
  }

  sim::EventQueue& clock;
  RestOptions options;
  Archive archive;
  Watches watches;
  Lists lists;
  Writes writes;
  bool up = true;
  std::uint64_t life = 0;
};

namespace {

kube::HttpResponse down() {
  return {.status = 0, .body = {}, .headers = {}, .error = "connection refused"};
}

bool asksToWatch(const Target& target) {
  return target.name.empty() && target.isTrue("watch");
}

}  // namespace

RestServer::RestServer(sim::EventQueue& clock, sim::SimApiServer& api, RestOptions options)
    : state_(std::make_shared<State>(clock, api, std::move(options))) {
  const std::weak_ptr<State> weak = state_;
  api.feed().subscribe([weak](const sim::Change& change) {
    if (const auto state = weak.lock()) state->changed(state->archive.record(change));
  });
  api.documentFeed().subscribe([weak](const sim::DocumentChange& change) {
    if (const auto state = weak.lock()) state->changed(state->archive.record(change));
  });
}

RestServer::~RestServer() = default;

bool RestServer::isWatch(const kube::HttpRequest& request) {
  return request.method == "GET" && asksToWatch(parseTarget(request.path, {}));
}

kube::HttpResponse RestServer::answer(const kube::HttpRequest& request) {
  if (!state_->up) return down();
  const Target target = parseTarget(request.path, state_->options.absent);
  if (!target.resource) {
    if (request.method == "GET") {
      if (target.path == "/readyz" || target.path == "/livez" || target.path == "/healthz")
        return succeeded(200, "ok");
      if (target.path == "/version") return succeeded(200, R"({"major":"1","minor":"34"})");
      if (std::string found = discovery(target.path, state_->options.absent); !found.empty())
        return succeeded(200, std::move(found));
    }
    return failed(notFound(target));
  }
  if (request.method != "GET") return state_->writes.answer(request, target);
  if (target.name.empty()) return state_->lists.answer(target);
  if (target.subresource == "scale" && target.resource->hasScale()) return state_->writes.readScale(target);
  const bool isStatus = target.subresource == "status" && api::hasStatusSubresource(target.ref());
  if (!target.subresource.empty() && !isStatus) return failed(notFound({}));
  const auto found = state_->archive.find(*target.resource, target.ref());
  return found ? succeeded(200, *state_->archive.text(*found)) : failed(notFound(target));
}

RestServer::Watching RestServer::watch(const kube::HttpRequest& request, WatchSink sink) {
  if (!state_->up) return {.response = down()};
  const Target target = parseTarget(request.path, state_->options.absent);
  if (!target.resource) return {.response = failed(notFound(target))};
  if (!asksToWatch(target)) return {.response = failed(badRequest("not a watch"))};
  return state_->watches.open(target, std::move(sink));
}

void RestServer::unwatch(WatchId watch) {
  state_->watches.close(watch);
}

void RestServer::restart(Duration downFor) {
  State& state = *state_;
  state.up = false;
  const std::uint64_t mine = ++state.life;
  forgetHistory();
  state.watches.endAll();
  state.clock.after(downFor, [weak = std::weak_ptr<State>(state_), mine] {
    const auto back = weak.lock();
    if (!back || back->life != mine) return;
    back->up = true;
    back->archive.forget();
  });
}

bool RestServer::up() const {
  return state_->up;
}

std::uint64_t RestServer::life() const {
  return state_->life;
}

void RestServer::forgetHistory() {
  state_->archive.forget();
  state_->lists.forget();
}

std::size_t RestServer::watches() const {
  return state_->watches.count();
}

std::uint64_t RestServer::serialised() const {
  return state_->archive.serialised();
}

}  // namespace tidegate::rest
