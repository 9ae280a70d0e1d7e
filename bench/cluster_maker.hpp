// Clusters for the cycle's benchmarks: an online queue with a guarantee, an offline queue that borrows it in
// mixed gangs.
#pragma once

#include <cstdint>

#include "state/cluster_state.hpp"

namespace tidegate::bench {

struct ClusterSpec {
  std::uint32_t nodes = 1000;  // of 8 GPUs
  double online = 0.3;         // share of nodes that online pods hold; their queue's guarantee is twice that
  std::int32_t burstPods = 8;  // waiting online pods
  std::int32_t podGpus = 8;    // of each burst pod
  bool reclaimable = true;     // of the offline queue; false: the burst cannot be served
  std::uint64_t seed = 1;
};

// Every GPU is in use; offline work is gangs of 1 to 64 GPUs of different ages.
ClusterState makeCluster(const ClusterSpec& spec);

Time clusterTime();  // "now" for those clusters

}  // namespace tidegate::bench
