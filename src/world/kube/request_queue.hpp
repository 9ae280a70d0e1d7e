// Requests on their way out: at most so many at a time, the rest wait by rank, and within a rank in the order
// they came. Events go last, and few at a time, so that they hold nothing up.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

namespace tidegate::kube {

enum class Rank : std::uint8_t { Recall, Place, Status, Event };
inline constexpr std::size_t kRanks = 4;

class RequestQueue {
 public:
  // Sends the request; calls taken() of the queue once it is answered.
  using Send = std::function<void()>;

  struct Limits {
    std::size_t most = 1;
    std::size_t events = 1;
  };
  explicit RequestQueue(Limits limits) : limits_(limits) {}

  void push(Rank rank, Send send) {
    waiting_[static_cast<std::size_t>(rank)].push_back(std::move(send));
    pump();
  }
  // A request has been answered (or was not sent after all): there is room for another.
  void taken(Rank rank) {
    --out_;
    if (rank == Rank::Event) --eventsOut_;
    pump();
  }
  void clear() {
    for (auto& each : waiting_) each.clear();
    out_ = eventsOut_ = 0;
  }

  std::size_t waiting(Rank rank) const { return waiting_[static_cast<std::size_t>(rank)].size(); }
  std::size_t waiting() const {
    std::size_t sum = 0;
    for (const auto& each : waiting_) sum += each.size();
    return sum;
  }
  std::size_t out() const { return out_; }

 private:
  void pump() {
    if (pumping_) return;  // a request that is not sent after all makes room from inside
    pumping_ = true;
    while (out_ < limits_.most) {
      Send send = next();
      if (!send) break;
      send();
    }
    pumping_ = false;
  }
  // Counted as out.
  Send next() {
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      auto& queue = waiting_[rank];
      const bool isEvent = rank == static_cast<std::size_t>(Rank::Event);
      if (queue.empty() || (isEvent && eventsOut_ >= limits_.events)) continue;
      Send send = std::move(queue.front());
      queue.pop_front();
      ++out_;
      if (isEvent) ++eventsOut_;
      return send;
    }
    return {};
  }

  Limits limits_;
  std::size_t out_ = 0;
  std::size_t eventsOut_ = 0;  // of these
  bool pumping_ = false;
  std::array<std::deque<Send>, kRanks> waiting_;
};

}  // namespace tidegate::kube
