// What a recall has taught about a job: how long it takes to save a checkpoint when asked, and to stop.
//
// Written as annotations tidegate.dev/checkpoint-duration and tidegate.dev/stop-duration on the owner (which
// the job controller copies to the PodGroups it makes) and on the PodGroup, where the next plan reads them. A
// new time pulls the known one towards it by a third, but the result is never below what was measured last. A
// stop that the deadline has cut short teaches nothing.
#pragma once

#include "lifecycle/victim_acts.hpp"

namespace tidegate::lifecycle {

// Of a released job; asks until the objects show it.
void learn(const api::RecallVictim& victim, const VictimContext& context, Acts& acts);

}  // namespace tidegate::lifecycle
