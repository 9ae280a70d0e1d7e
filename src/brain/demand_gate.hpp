// Lets a burst arrive before it is planned for.
//
// The pods of one burst become visible one after another. A recall planned for the first few of them frees
// less than a node's worth here and there, and the next has to do the same again; planned together they are
// given whole nodes. So a queue's recall waits until its demand has stopped growing, and never longer than a
// bound. A burst begins with its first pod, be it one of those that still found idle GPUs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "core/time.hpp"
#include "scheduler/policy.hpp"

namespace tidegate {

struct DemandGateOptions {
  Duration quiet = milliseconds(50);    // so long no further pod has asked
  Duration atMost = milliseconds(140);  // from the first of the burst
};

class DemandGate {
 public:
  explicit DemandGate(DemandGateOptions options) : options_(options) {}

  // Of one cycle, before look(): a pod of this queue was bound.
  void bound(const std::string& queue, Time now);
  // Of one cycle: forgets queues that do not ask any more.
  void look(const scheduler::Decisions& decisions, Time now);
  // May this recall of the cycle last looked at be begun? If not: when to look again.
  std::optional<Time> closedUntil(const scheduler::RecallDecision& recall, Time now) const;
  // It was begun: what asks from now on is a burst of its own.
  void begun(const scheduler::RecallDecision& recall) {
    demands_.erase(keyOf(recall));
    binds_.erase(recall.queue);
  }

 private:
  struct Demand {
    std::size_t pods = 0;
    Time first;  // when the first was seen
    Time grew;   // when the last was
  };
  struct Binds {  // none of them later than `quiet` after the one before
    Time first;
    Time last;
  };
  static std::string keyOf(const scheduler::RecallDecision& recall);

  DemandGateOptions options_;
  std::map<std::string, Demand> demands_;
  std::map<std::string, Binds> binds_;  // by queue
};

}  // namespace tidegate
