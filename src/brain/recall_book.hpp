// The recalls under way: from a decided plan to a stored record, and then step by step to its end.
//
// A plan binds the scheduler from the moment it is decided (its pods count as recalled, its nodes as held),
// so that no second plan is made for the same demand; it binds the world only from the moment its record is
// known to be stored.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lifecycle/recall_machine.hpp"
#include "protocol/outbox.hpp"
#include "state/cluster_state.hpp"

namespace tidegate {

class RecallBook {
 public:
  explicit RecallBook(lifecycle::RecallOptions options) : options_(options) {}
  void use(lifecycle::RecallOptions options) { options_ = options; }

  // Takes a plan over, unless it touches a pod that another recall has already.
  void propose(const api::Recall& record, ClusterState& state, Time now);

  // The record as the API server has it; called after the state has it too.
  void seen(const api::Recall& record, Outbox& outbox);
  void gone(const std::string& name);
  void finished(const Outbox::Sent& sent, Outcome outcome, ClusterState& state, Time now);

  std::optional<Time> step(ClusterState& state, Outbox& outbox, Time now);
  // Counts the victims of all recalls as recalled (and stuck ones as overdue), whatever their objects show so
  // far.
  void assume(ClusterState& state);

 private:
  enum class Standing : std::uint8_t {
    Proposed,   // being created
    Contested,  // a record of that name exists already, perhaps our own of which the answer was lost
    Stored,
  };
  struct Entry {
    api::Recall record;
    api::Recall stored;  // as last seen; its resourceVersion is the precondition of the next write
    Standing standing = Standing::Proposed;
    Time since;
    std::set<std::string> answered;
  };

  bool overlaps(const api::Recall& record) const;
  void drop(const std::string& name, ClusterState& state);
  void write(const Entry& entry, Outbox& outbox, Time now) const;
  void assumeVictim(const api::RecallVictim& victim, ClusterState& state);

  lifecycle::RecallOptions options_;
  std::map<std::string, Entry> entries_;
  std::set<std::pair<PodId, std::string>> assumed_;  // and uid, as ids are used again
};

}  // namespace tidegate
