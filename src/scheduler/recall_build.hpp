// Makes the recall problem (recall/problem.hpp) from a session and a demand, and keeps the way back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "placement/place.hpp"
#include "recall/problem.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/victims.hpp"

namespace tidegate::scheduler {

// Alike tasks of one queue that do not fit without a recall.
struct Demand {
  std::vector<placement::Task> tasks;                    // one class, at least one
  const std::vector<placement::Slot>* within = nullptr;  // only these slots (a HyperNode), if given
  recall::Mode mode = recall::Mode::WholeNode;
};

// How far one attempt may go.
struct Attempt {
  VictimRules rules;
  std::int32_t priorityCeiling = 0;  // victims of a higher priority are left alone
  bool allowStraddle = false;
  bool wholeOnly = false;          // no room on shared nodes where the demand would fill a node
  Amount maxStopped = kUnlimited;  // accelerators stopped, milli-units
};

struct BuiltProblem {
  recall::Problem problem;
  std::vector<placement::Slot> slots;  // of problem.nodes
  struct UnitSource {
    GangId gang = kNone;
    bool core = false;
    std::vector<PodId> pods;
  };
  std::vector<UnitSource> sources;       // of problem.units
  std::vector<std::string> disruptions;  // of problem.budgets: the PodDisruptionBudget it is; empty: a loan
};

BuiltProblem buildProblem(placement::Session& session, const Policy& policy, VictimJudge& judge,
                          const Demand& demand, const Attempt& attempt);

}  // namespace tidegate::scheduler
