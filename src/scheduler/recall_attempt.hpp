// One attempt to serve alike tasks by stopping work, under fixed rules: a whole plan in the session, or
// nothing.
#pragma once

#include <string>
#include <vector>

#include "placement/place.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/recall_build.hpp"

namespace tidegate::scheduler {

class ReturningWork;

struct PlanContext {
  placement::Session& session;
  const Policy& policy;
  placement::Scoring scoring;
  ReturningWork& returning;
};

struct AttemptResult {
  bool ok = false;
  std::vector<placement::Placement> placed;  // all tasks, pipelined in the session
  std::vector<RecallDecision> recalls;       // what has to stop; empty if leaving or idle room is enough
  std::int64_t possible = 0;                 // if not ok: no more of the tasks than this can be served
  std::string reason;                        // if not ok
};

// Tasks may be of several classes; the largest are served first. Idle and leaving room is used before
// anything is stopped. If any task finds no place the session is rolled back.
AttemptResult serve(PlanContext context, const Attempt& attempt, const std::vector<placement::Task>& tasks,
                    const std::vector<placement::Slot>* within);

}  // namespace tidegate::scheduler
