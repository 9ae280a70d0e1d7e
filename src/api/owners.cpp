#include "api/owners.hpp"

#include <algorithm>

namespace tidegate::api {

const OwnerReference* controllerOf(const ObjectMeta& metadata) {
  const auto found = std::ranges::find_if(metadata.ownerReferences, &OwnerReference::controller);
  return found == metadata.ownerReferences.end() ? nullptr : &*found;
}

}  // namespace tidegate::api
