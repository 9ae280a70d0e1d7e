// Requests on their way out: at most so many at a time, the rest wait by rank, and within a rank in the order
// they came.
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

  explicit RequestQueue(std::size_t most) : most_(most) {}

  void push(Rank rank, Send send) {
    waiting_[static_cast<std::size_t>(rank)].push_back(std::move(send));
    pump();
  }
  // A request has been answered (or was not sent after all): there is room for another.
  void taken() {
    --out_;
    pump();
  }
  void clear() {
    for (auto& each : waiting_) each.clear();
    out_ = 0;
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
    while (out_ < most_) {
      Send send = next();
      if (!send) break;
      ++out_;
      send();
    }
    pumping_ = false;
  }
  Send next() {
    for (auto& each : waiting_) {
      if (each.empty()) continue;
      Send send = std::move(each.front());
      each.pop_front();
      return send;
    }
    return {};
  }

  std::size_t most_;
  std::size_t out_ = 0;
  bool pumping_ = false;
  std::array<std::deque<Send>, kRanks> waiting_;
};

}  // namespace tidegate::kube
