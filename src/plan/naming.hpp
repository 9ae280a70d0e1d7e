// From the ids of a decision to names and reasons a reader knows.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "plan/rehearsal.hpp"
#include "scheduler/policy.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::plan {

// "namespace/name" of what users call the job: the controller of the gang, else its PodGroup, else the bare
// pod.
std::string jobName(const ClusterState& state, const GangInfo& gang);

// `changed` is left for the one who carries the decisions out.
CycleOutcome nameDecisions(const ClusterState& state, const scheduler::Decisions& decisions);

// Every queue but the root as it stands, by name.
std::vector<QueueFigures> queueFigures(const ClusterState& state);

}  // namespace tidegate::plan
