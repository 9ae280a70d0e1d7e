// Finds gangs that hold GPUs below their minimum with no way to be completed: their collective cannot run, so
// what they hold is of no use to them or to anybody else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "protocol/act.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::lifecycle {

class GangWatch {
 public:
  explicit GangWatch(Duration grace) : grace_(grace) {}

  // Gangs that have been below their minimum for the whole grace: to be suspended and queued again as one.
  // Only gangs that have run, whose owner can be suspended, and that do not opt out of preemption.
  std::vector<GangId> beyondRepair(const ClusterState& state, Time now, Acts& acts);

 private:
  Duration grace_;
  std::map<std::string, Time>
      brokenSince_;  // by gang; forgotten in a restart, which only begins the grace anew
};

}  // namespace tidegate::lifecycle
