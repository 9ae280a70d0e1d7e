#include "world/kube/retries.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::kube {
namespace {

// Credentials that are refused may be right again at any time.
constexpr Duration kRefusedPause = seconds(5);

}  // namespace

Retries::Retries(ServerServices services, std::string who, BackoffOptions backoff, Rng rng)
    : services_(services), who_(std::move(who)), backoff_(backoff, rng.split(1)), rng_(rng) {}

void Retries::later(Duration delay, Action action) {
  timer_ = services_.loop.after(delay, [this, action = std::move(action)] {
    timer_.reset();
    action();
  });
}

void Retries::after(const HttpResponse& answer, Action action) {
  Duration delay = std::max(backoff_.next(), retryAfter(answer));
  if (answer.status == 401) {
    delay = std::min(delay, kRefusedPause + Duration{rng_.between(0, kRefusedPause.count())});
  }
  const bool unreachable = answer.status == 0;
  const bool refused = answer.status == 401 || answer.status == 403;
  if (services_.reconnect == nullptr || !(unreachable || refused)) return later(delay, std::move(action));
  const auto resume = [this, action = std::move(action)] {
    ticket_.reset();
    action();
  };
  ticket_ = services_.reconnect->wait({.unreachable = unreachable, .delay = delay}, resume);
}

void Retries::cancel() {
  if (timer_) services_.loop.cancel(*std::exchange(timer_, std::nullopt));
  if (ticket_) services_.reconnect->cancel(*std::exchange(ticket_, std::nullopt));
}

bool Retries::failed(const std::string& reason) {
  failing_ = true;
  if (services_.trouble == nullptr) return false;
  services_.trouble->failed(who_, reason);
  return true;
}

void Retries::served() {
  if (!std::exchange(failing_, false)) return;
  if (services_.trouble != nullptr) services_.trouble->served(who_);
  if (services_.reconnect != nullptr) services_.reconnect->gotThrough();
}

}  // namespace tidegate::kube
