// The plan for people: what starts, what stops and why, what waits and why, and how the queues stand.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace tidegate::plan {

std::string toText(const PlanResult& result);

}  // namespace tidegate::plan
