// Recalls for one queue's waiting work: how much of it may be claimed, from whom, and in which order
// protections yield.
#pragma once

#include <string>
#include <vector>

#include "scheduler/order.hpp"
#include "scheduler/recall_attempt.hpp"

namespace tidegate::scheduler {

// What became of a batch of alike work items (one queue, one class of tasks, one priority).
struct BatchOutcome {
  std::vector<RecallDecision> recalls;
  std::vector<placement::Placement> pipelined;  // tasks that now have a place, in the session too
  std::string reason;                           // why others have none; empty if all have
};

// Across queues: up to what the queue is entitled to, from lenders above their own entitlement. First from
// anybody; what the queue may claim only from nearer relatives (its parent is at its own entitlement) then
// from those. Protections yield in this order, each only if no plan keeps it: for claims that a guarantee
// backs minimum run time, then disruption budgets, then the line of a lender across which a gang stands; for
// others only the last, within the ratio.
BatchOutcome planReclaim(PlanContext context, const std::vector<WorkItem>& batch);

// Members above the minimum of a PodGroup (of pods without one, as of a Deployment, all count as needed).
bool isLuxury(const placement::Session& session, const WorkItem& item);

// Inside the queue: from gangs of strictly lower priority. Disruption budgets yield last. For members above
// its minimum a gang gets only what others have above theirs.
BatchOutcome planPreempt(PlanContext context, const std::vector<WorkItem>& batch);

}  // namespace tidegate::scheduler
