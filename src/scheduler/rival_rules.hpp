// Which rule solves a recall problem: ours, or a plain one kept for contrast in the drill.
#pragma once

#include <expected>

#include "recall/problem.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

// LyraCount solves by the count rule of Lyra (EuroSys'23, our re-implementation); PodByPod's victims are not
// chosen here (scheduler/pod_by_pod.hpp), for it has no plan.
std::expected<recall::Plan, recall::NoPlan> solveBy(VictimPolicy policy, const recall::Problem& problem);

}  // namespace tidegate::scheduler
