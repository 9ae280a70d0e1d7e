// The cluster this process runs in, as a pod: its service account's token and authority, and the address in
// KUBERNETES_SERVICE_HOST and _PORT (client-go: rest.InClusterConfig).
#pragma once

#include "world/kube/cluster_config.hpp"

namespace tidegate::kube {

// True if the environment looks like that of a pod.
bool isInCluster(const Environment& environment);
Result<ClusterConfig> readInCluster(const ClusterOptions& options);

}  // namespace tidegate::kube
