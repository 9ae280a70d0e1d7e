// What a queue's status should say, and the merge patch that makes it say so.
#pragma once

#include <string>

#include "api/objects.hpp"

namespace tidegate::controllers {

// min(deserved, capability), not less than the guarantee, for each resource that names one of deserved and
// guarantee (Volcano's capacity plugin, buildQueueAttrs).
ResourceList deservedOf(const api::QueueSpec& spec);

// RFC 7386: only what differs; amounts that are no longer there are set to null. Empty if nothing differs.
std::string statusPatch(const api::QueueStatus& from, const api::QueueStatus& to);

}  // namespace tidegate::controllers
