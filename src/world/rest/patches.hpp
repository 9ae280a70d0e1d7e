// Strategic merge patch: as a merge patch, but lists of the known kinds are merged item by item by the field
// that names an item.
//
// Rules: "Update API Objects in Place Using kubectl patch" and the patchMergeKey tags of k8s.io/api/core/v1.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace tidegate::rest {

Result<std::string> strategicMerge(std::string_view target, std::string_view patch);

}  // namespace tidegate::rest
