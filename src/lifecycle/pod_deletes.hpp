// When and how the pods of a stopped job are deleted, each with a grace that fits the deadline.
//
// No pod is deleted before its owner shows the order: it would be replaced, or counted as a failure that may
// end a Job for good. If the order is refused for good, the recall is stuck and looks for other nodes. Pods
// that their controller deletes by itself (owner.hpp) are left to it: once one is on its way out, its end is
// only brought forward. A controller that has not begun within its time (VictimContext::patience) is taken
// for dead, and its pods are deleted past it. Bare pods that are to be made again are deleted when all of the
// gang are stored (suspended_pods.hpp).
#pragma once

#include "lifecycle/victim_acts.hpp"

namespace tidegate::lifecycle {

void deletePods(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);

}  // namespace tidegate::lifecycle
