// Binds on their way: decided, handed over, and answered but not seen on the pods yet. The state counts them
// as done meanwhile.
//
// Back-pressure: only so many are handed over unanswered, the others wait here, by priority and then as they
// were decided, and are given up if the node is lost or the pod recalled meanwhile. However slow the API
// server is, a burst's binds stand behind a bounded number of others, and a stop or a change of leader leaves
// little half-done.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "protocol/outbox.hpp"
#include "state/cluster_state.hpp"

namespace tidegate {

class BindBook {
 public:
  explicit BindBook(std::size_t mostUnanswered = 128) : mostUnanswered_(mostUnanswered) {}

  // False, and nothing assumed, if the same bind has failed a moment ago.
  bool bind(ClusterState& state, PodId pod, NodeId node, Outbox& outbox, Time now);
  void finished(const Outbox::Sent& sent, Outcome outcome, ClusterState& state, Outbox& outbox, Time now);
  // Drops what the objects confirm, sends again what is overdue, gives up what was refused.
  std::optional<Time> step(ClusterState& state, Outbox& outbox, Time now);

 private:
  struct Entry {
    PodId pod = kNone;
    Bind bind;
    bool out = false;  // handed over and not answered
    // Refused although sent again: the first may have worked, so look a while.
    std::optional<Time> giveUpAt = {};
  };
  using Entries = std::map<std::string, Entry>;

  void release(ClusterState& state, Outbox& outbox, Time now);
  void send(Entry& entry, Outbox& outbox, Time now);
  void answered(Entry& entry);
  Entries::iterator drop(Entries::iterator entry);

  std::size_t mostUnanswered_;
  std::size_t unanswered_ = 0;
  std::uint64_t decided_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, Entry> waiting_;  // by falling priority, then order
  Entries entries_;                                                  // handed over; by uid
};

}  // namespace tidegate
