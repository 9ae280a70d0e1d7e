// Why a bar fails, read off the cluster as it stands after the drill.
#pragma once

#include <string>
#include <vector>

#include "drill/measure.hpp"

namespace tidegate::drill {

// Why the burst was not placed: the offline queue may not be reclaimed, or what the scheduler says its pods
// wait for.
std::string causeOfWaiting(const Inputs& inputs, const Played& played);

// Which victim pod was the last to go, or is still there, and what holds it.
std::string causeOfLateRecall(const Played& played, const Measured& measured);

// Which pods of these jobs are still there, and what holds them; empty if none is.
std::string causeOfStaying(const Played& played, const Measured& measured,
                           const std::vector<std::string>& jobs);

// Which pod of the burst was the last to be Ready, and where its time went.
std::string causeOfLateReady(const Inputs& inputs, const Played& played, const Measured& measured);

}  // namespace tidegate::drill
