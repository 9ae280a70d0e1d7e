#include "world/kube/reconnect.hpp"

#include <algorithm>

namespace tidegate::kube {

Reconnect::Reconnect(Loop& loop, Transport& transport, ReconnectOptions options, Rng rng)
    : loop_(loop), transport_(transport), options_(options), rng_(rng) {}

Reconnect::~Reconnect() {
  for (const auto& [ticket, waiting] : waiting_) loop_.cancel(waiting.timer);
  if (request_) transport_.cancel(*request_);
  if (timer_) loop_.cancel(*timer_);
}

Reconnect::Ticket Reconnect::wait(Wait wait, std::function<void()> action) {
  const Ticket ticket = ++last_;
  waiting_[ticket] = {
      .unreachable = wait.unreachable, .ownTime = loop_.now() + wait.delay, .action = std::move(action)};
  if (!wait.unreachable) {
    schedule(ticket, waiting_[ticket].ownTime);
  } else if (!request_ && !timer_) {
    step_ = options_.first;
    failedProbes_ = 0;
    probe();
  }
  return ticket;
}

void Reconnect::cancel(Ticket ticket) {
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return;
  loop_.cancel(found->second.timer);
  waiting_.erase(found);
}

void Reconnect::schedule(Ticket ticket, Time when) {
  Waiting& waiting = waiting_.at(ticket);
  loop_.cancel(waiting.timer);
  waiting.timer = loop_.at(when, [this, ticket] {
    const auto own = waiting_.extract(ticket);
    own.mapped().action();
  });
}

void Reconnect::probe() {
  timer_.reset();
  const bool wanted = std::ranges::any_of(waiting_, [](const auto& each) { return each.second.timer == 0; });
  if (!wanted) return;
  HttpRequest request;
  request.path = "/version";
  request.timeout = options_.timeout;
  request_ = transport_.send(std::move(request), [this](const HttpResponse& response) {
    request_.reset();
    // A proxy before a server that is away says 502, 503 or 504.
    const bool there = response.status != 0 && response.status < 500;
    there ? answered() : probeLater();
  });
}

void Reconnect::probeLater() {
  ++failedProbes_;
  const Duration half = step_ / 2;
  timer_ = loop_.after(half + Duration{rng_.between(0, half.count())}, [this] { probe(); });
  step_ = std::min(step_ * 2, options_.most);
}

void Reconnect::answered() {
  if (failedProbes_ > 0) return release(false);
  for (const auto& [ticket, waiting] : waiting_) {
    if (waiting.timer == 0) schedule(ticket, std::max(loop_.now(), waiting.ownTime));
  }
}

void Reconnect::gotThrough() {
  release(true);
}

// Those that wait for the probe, or all.
void Reconnect::release(bool all) {
  for (const auto& [ticket, waiting] : waiting_) {
    if (!all && waiting.timer != 0) continue;
    const Time soon = loop_.now() + Duration{rng_.between(0, options_.spread.count())};
    schedule(ticket, waiting.timer == 0 ? soon : std::min(soon, waiting.ownTime));
  }
}

}  // namespace tidegate::kube
