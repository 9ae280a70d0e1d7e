// A plain rule for contrast: what preemption one pod at a time does. Not used unless asked for.
#pragma once

#include "scheduler/recall_plan.hpp"

namespace tidegate::scheduler {

// For each waiting pod in turn: the node where the fewest pods of the lowest priority have to go; those pods
// go, whatever gang they belong to. Quota is respected; gangs, lost work and whole nodes are not looked at.
BatchOutcome reclaimPodByPod(PlanContext context, const std::vector<WorkItem>& batch);

}  // namespace tidegate::scheduler
