// References to, and patches of, the objects that the lifecycle touches.
#pragma once

#include <string>

#include "protocol/events.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::lifecycle {

api::ObjectRef groupRef(const GangInfo& gang);
api::ObjectRef groupRef(const std::string& gangKey);
api::ObjectRef podRef(const api::RecallPod& pod);
bool recallActive(const ClusterState& state, const std::string& id);  // known, and neither done nor given up
Patch patchOf(api::ObjectRef target, std::string uid);                // empty, to be filled
Patch unmarkPod(const PodInfo& pod);  // takes back all that a recall has put on it

}  // namespace tidegate::lifecycle
