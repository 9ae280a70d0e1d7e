// May a pod stand on a node, capacity aside: readiness, cordon, node selector and affinity, taints.
// Rules as in the Kubernetes scheduler's NodeUnschedulable, NodeAffinity and TaintToleration filters.
#pragma once

#include <cstdint>

#include "state/cluster_state.hpp"

namespace tidegate::placement {

enum class Verdict : std::uint8_t { Fits, Gone, NotReady, Unschedulable, Selector, Taint };

const char* describe(Verdict verdict);  // "node selector or affinity", for pending reasons

Verdict judge(const NodeInfo& node, const PodConstraints& constraints);

// Soft wishes: weights of preferred affinity terms that match, less one per PreferNoSchedule taint not
// tolerated.
int preference(const NodeInfo& node, const PodConstraints& constraints);

}  // namespace tidegate::placement
