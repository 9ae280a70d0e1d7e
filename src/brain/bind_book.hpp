// Binds that were sent and are not seen on the pods yet. The state counts them as done meanwhile.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "protocol/outbox.hpp"
#include "state/cluster_state.hpp"

namespace tidegate {

class BindBook {
 public:
  // False, and nothing assumed, if the same bind has failed a moment ago.
  bool bind(ClusterState& state, PodId pod, NodeId node, Outbox& outbox, Time now);
  void finished(const Outbox::Sent& sent, Outcome outcome, ClusterState& state, Time now);
  // Drops what the objects confirm, sends again what is overdue, gives up what was refused.
  std::optional<Time> step(ClusterState& state, Outbox& outbox, Time now);

 private:
  struct Entry {
    std::string key;
    Bind bind;
    std::optional<Time> giveUpAt;  // refused although sent again: the first may have worked, so look a while
  };

  std::map<std::string, Entry> entries_;  // by uid
};

}  // namespace tidegate
