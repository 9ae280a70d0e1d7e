// A loop and a transport for tests: time goes when the test says so, requests wait until the test answers
// them.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "world/kube/loop.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

class ManualLoop : public Loop {
 public:
  Time now() const override { return now_; }
  TimerId at(Time when, std::function<void()> action) override {
    const TimerId id = ++last_;
    timers_.emplace(std::pair(std::max(when, now_), id), std::move(action));
    return id;
  }
  void cancel(TimerId timer) override {
    std::erase_if(timers_, [&](const auto& each) { return each.first.second == timer; });
  }

  // Runs what is due now, and what that makes due now.
  void settle() { advance(Duration{}); }
  void advance(Duration by) {
    const Time until = now_ + by;
    while (!timers_.empty() && timers_.begin()->first.first <= until) step();
    now_ = until;
  }
  // Until the next timer, and runs it.
  void step() {
    TIDEGATE_CHECK(!timers_.empty(), "no timer is set");
    auto first = timers_.extract(timers_.begin());
    now_ = std::max(now_, first.key().first);
    first.mapped()();
  }
  std::optional<Duration> untilNext() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.begin()->first.first - now_;
  }
  std::size_t timers() const { return timers_.size(); }

 private:
  Time now_ = Time{} + std::chrono::hours(24 * 365 * 50);
  TimerId last_ = 0;
  std::map<std::pair<Time, TimerId>, std::function<void()>> timers_;
};

class FakeTransport : public Transport {
 public:
  struct Pending {
    RequestId id = 0;
    HttpRequest request;
    Chunk chunk;
    Done done;
  };

  RequestId send(HttpRequest request, Done done) override {
    return stream(std::move(request), {}, std::move(done));
  }
  RequestId stream(HttpRequest request, Chunk chunk, Done done) override {
    sent.push_back(request);
    pending.push_back(
        {.id = ++last_, .request = std::move(request), .chunk = std::move(chunk), .done = std::move(done)});
    return last_;
  }
  void cancel(RequestId request) override {
    std::erase_if(pending, [&](const Pending& each) { return each.id == request; });
  }

  // The oldest request that waits.
  const HttpRequest& next() const {
    TIDEGATE_CHECK(!pending.empty(), "no request waits");
    return pending.front().request;
  }
  void answer(int status, std::string body = "{}", std::map<std::string, std::string> headers = {}) {
    answerAt(0, status, std::move(body), std::move(headers));
  }
  void answerAt(std::size_t index, int status, std::string body = "{}",
                std::map<std::string, std::string> headers = {}) {
    TIDEGATE_CHECK(index < pending.size(), "no request waits");
    const Pending first = std::move(pending[index]);
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(index));
    first.done({.status = status,
                .body = std::move(body),
                .headers = std::move(headers),
                .error = status == 0 ? "connection lost" : ""});
  }
  // The oldest request, a stream, ends in the middle of its answer.
  void breakOff() {
    TIDEGATE_CHECK(!pending.empty(), "no request waits");
    const Pending first = std::move(pending.front());
    pending.pop_front();
    first.done({.status = 200, .body = {}, .headers = {}, .error = "connection lost"});
  }
  // Bytes of the oldest request, which is a stream; false if the receiver has ended it.
  bool chunk(std::string_view text) {
    TIDEGATE_CHECK(!pending.empty() && pending.front().chunk, "no stream waits");
    const RequestId id = pending.front().id;
    if (Chunk(pending.front().chunk)(text)) return true;
    if (!pending.empty() && pending.front().id == id) answer(200, "");
    return false;
  }

  std::vector<HttpRequest> sent;
  std::deque<Pending> pending;

 private:
  RequestId last_ = 0;
};

}  // namespace tidegate::kube
