// Accelerators in a request, and what is short of anything.
#pragma once

#include <vector>

#include "placement/session.hpp"

namespace tidegate::scheduler {

// Accelerators of all kinds together, in milli-units.
Amount acceleratorsOf(const ResourceTable& table, const ResourceVec& request);
// The kinds of them that it asks for.
std::vector<ResourceId> acceleratorsIn(const ResourceTable& table, const ResourceVec& request);

// Whole GPUs (any accelerator) of a pod, rounded up per kind; at least `floor`.
std::int64_t gpusOf(const ClusterState& state, PodId pod, std::int64_t floor = 0);

// Some of these nodes will have less of it free than the request needs: it may be what blocks a demand.
bool isShort(const placement::Session& session, const std::vector<placement::Slot>& slots, ResourceId r,
             Amount request);

}  // namespace tidegate::scheduler
