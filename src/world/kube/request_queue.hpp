// Requests on their way out: at most so many at a time, the rest wait by rank, and within a rank in the order
// they came. What is no part of a recall leaves room for what is, and stands back while that waits or is out:
// a server with many requests at hand answers each of them late. Events go last, and few at a time, so that
// they hold nothing up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

namespace tidegate::kube {

enum class Rank : std::uint8_t { Recall, Place, Status, Event };
inline constexpr std::size_t kRanks = 4;

class RequestQueue {
 public:
  // Sends the request; calls taken() of the queue, with the rank it left with, once it is answered.
  using Send = std::function<void(Rank)>;
  using Ticket = std::uint64_t;

  struct Limits {
    std::size_t most = 1;
    std::size_t ordinary = 1;  // of these, what is no part of a recall
    std::size_t beside = 1;    // of these, while something of a recall waits or is out
    std::size_t events = 1;    // of these, events
  };
  explicit RequestQueue(Limits limits) : limits_(limits) {}

  Ticket push(Rank rank, Send send) {
    const Ticket ticket = ++lastTicket_;
    at(rank).push_back({.ticket = ticket, .send = std::move(send)});
    pump();
    return ticket;
  }
  // Something of this rank waits for that request: it goes with it, if it has not left and ranked lower.
  void raise(Ticket ticket, Rank rank) {
    for (std::size_t low = static_cast<std::size_t>(rank) + 1; low < kRanks; ++low) {
      const auto found = std::ranges::find(waiting_[low], ticket, &Waiting::ticket);
      if (found == waiting_[low].end()) continue;
      at(rank).push_back(std::move(*found));
      waiting_[low].erase(found);
      return pump();
    }
  }
  // A request has been answered (or was not sent after all): there is room for another.
  void taken(Rank rank) {
    --out_;
    if (rank != Rank::Recall) --ordinaryOut_;
    if (rank == Rank::Event) --eventsOut_;
    pump();
  }
  void clear() {
    for (auto& each : waiting_) each.clear();
    out_ = ordinaryOut_ = eventsOut_ = 0;
  }

  std::size_t waiting(Rank rank) const { return waiting_[static_cast<std::size_t>(rank)].size(); }
  std::size_t waiting() const {
    std::size_t sum = 0;
    for (const auto& each : waiting_) sum += each.size();
    return sum;
  }
  std::size_t out() const { return out_; }

 private:
  struct Waiting {
    Ticket ticket = 0;
    Send send;
  };
  std::deque<Waiting>& at(Rank rank) { return waiting_[static_cast<std::size_t>(rank)]; }

  void pump() {
    if (pumping_) return;  // a request that is not sent after all makes room from inside
    pumping_ = true;
    while (out_ < limits_.most) {
      auto [rank, send] = next();
      if (!send) break;
      send(rank);
    }
    pumping_ = false;
  }
  // Counted as out.
  std::pair<Rank, Send> next() {
    for (std::size_t i = 0; i < kRanks; ++i) {
      const auto rank = static_cast<Rank>(i);
      if (waiting_[i].empty() || !hasRoom(rank)) continue;
      Send send = std::move(waiting_[i].front().send);
      waiting_[i].pop_front();
      ++out_;
      if (rank != Rank::Recall) ++ordinaryOut_;
      if (rank == Rank::Event) ++eventsOut_;
      return {rank, std::move(send)};
    }
    return {};
  }
  bool hasRoom(Rank rank) const {
    if (rank == Rank::Recall) return true;
    const bool recalling = out_ > ordinaryOut_ || waiting(Rank::Recall) > 0;
    return ordinaryOut_ < (recalling ? limits_.beside : limits_.ordinary) &&
           (rank != Rank::Event || eventsOut_ < limits_.events);
  }

  Limits limits_;
  std::size_t out_ = 0;
  std::size_t ordinaryOut_ = 0;  // of these
  std::size_t eventsOut_ = 0;    // of these
  bool pumping_ = false;
  Ticket lastTicket_ = 0;
  std::array<std::deque<Waiting>, kRanks> waiting_;
};

}  // namespace tidegate::kube
