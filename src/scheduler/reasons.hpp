// Why a pod waits, with numbers: quota (whose, how much), its gang, nodes (how many fail what), a recall that
// would be needed and is refused, or that it never fits.
#pragma once

#include <vector>

#include "scheduler/actions.hpp"

namespace tidegate::scheduler {

std::vector<PendingDecision> explainPending(PlanContext context, const CycleResult& result);

}  // namespace tidegate::scheduler
