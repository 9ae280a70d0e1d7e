// The actions of volcano-scheduler.conf, each a step over one session.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/recall_plan.hpp"

namespace tidegate::scheduler {

// What the actions of one cycle have decided so far.
struct CycleResult {
  std::vector<placement::Placement> bound;
  std::vector<placement::Placement> pipelined;
  std::vector<RecallDecision> recalls;
  std::map<GangId, std::string> refusals;                // why preempt or reclaim did nothing for a gang
  std::map<GangId, std::vector<std::string>> delayedBy;  // the recalled jobs that a gang's extras wait for
};

// Gangs all or nothing on idle room; what fits only once leaving pods are gone is promised its place
// (pipelined). Pods for which a recall frees certain nodes keep to those, so that a burst is not stitched
// together from leftovers. Returning jobs have their place among the waiting, and room is kept for them.
void allocate(PlanContext context, CycleResult& result);

// Pods that ask for nothing.
void backfill(PlanContext context, CycleResult& result);

void preempt(PlanContext context, CycleResult& result);
void reclaim(PlanContext context, CycleResult& result);

}  // namespace tidegate::scheduler
