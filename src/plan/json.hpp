// The plan as JSON: a contract, field by field in docs/plan-json.md. Stable order, same plan, same bytes.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace tidegate::plan {

// One line per list entry, so that two plans can be compared with diff. Ends in a newline.
std::string toJson(const PlanResult& result);

}  // namespace tidegate::plan
