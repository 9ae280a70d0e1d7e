// From a decision to the record that is written before the first act.
#pragma once

#include "scheduler/policy.hpp"

namespace tidegate::lifecycle {

struct RecordFacts {
  std::string name;
  Time now;
  Time deadline;
};
api::Recall makeRecord(const ClusterState& state, const scheduler::RecallDecision& decision,
                       const RecordFacts& facts);

// A gang that is stopped for its own good, no demand behind it (reason "repair").
api::Recall makeRepairRecord(const ClusterState& state, GangId gang, const RecordFacts& facts);

// "recall-<n>": one more than the highest there is. Two brains that see the same records choose the same
// name, so that of two records for one demand only one can be created.
std::string nextRecallName(const ClusterState& state);

}  // namespace tidegate::lifecycle
