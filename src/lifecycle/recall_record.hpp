// From a decision to the record that is written before the first act.
#pragma once

#include "scheduler/policy.hpp"

namespace tidegate::lifecycle {

struct RecordFacts {
  std::string name;  // of nextRecallName()
  Time now;
  Time deadline;
};
// Its name is the facts', and five digits made of the uids and resourceVersions of its pods: a record that
// was deleted by hand leaves its number to the next one, not its name. Cost and lower bound are in
// GPU-seconds of work: what the plan loses, and that less the part that the solver has not proven to be
// needed.
api::Recall makeRecord(const ClusterState& state, const scheduler::RecallDecision& decision,
                       const RecordFacts& facts);

// A gang that is stopped for its own good, no demand behind it (reason "repair").
api::Recall makeRepairRecord(const ClusterState& state, GangId gang, const RecordFacts& facts);

// "recall-<n>": one more than the highest there is. Two brains that see the same objects choose the same
// name, so that of two records for one demand only one can be created.
std::string nextRecallName(const ClusterState& state);

}  // namespace tidegate::lifecycle
