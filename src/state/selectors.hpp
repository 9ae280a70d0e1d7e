// Label selectors and node selector requirements, as Kubernetes matches them.
#pragma once

#include "api/objects.hpp"

namespace tidegate {

// One requirement: In, NotIn, Exists, DoesNotExist, Gt, Lt (the last two compare integers).
bool matches(const api::LabelSelectorRequirement& requirement, const api::StringMap& labels);

// All matchLabels and matchExpressions hold. An empty selector matches everything.
bool matches(const api::LabelSelector& selector, const api::StringMap& labels);

}  // namespace tidegate
