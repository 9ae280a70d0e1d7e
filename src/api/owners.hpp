// Who made an object.
#pragma once

#include "api/objects_core.hpp"

namespace tidegate::api {

// The owner reference marked as controller; nullptr if there is none.
const OwnerReference* controllerOf(const ObjectMeta& metadata);

}  // namespace tidegate::api
