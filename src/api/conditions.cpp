#include "api/conditions.hpp"

#include <algorithm>

namespace tidegate::api {

const Condition* findCondition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool isTrue(const std::vector<Condition>& conditions, std::string_view type) {
  const Condition* found = findCondition(conditions, type);
  return found != nullptr && found->status == "True";
}

}  // namespace tidegate::api
