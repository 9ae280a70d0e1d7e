// Conditions of a status.
#pragma once

#include <string_view>
#include <vector>

#include "api/objects_core.hpp"

namespace tidegate::api {

// The condition of that type; nullptr if there is none.
const Condition* findCondition(const std::vector<Condition>& conditions, std::string_view type);
// It is there, and its status is "True".
bool isTrue(const std::vector<Condition>& conditions, std::string_view type);

}  // namespace tidegate::api
