// May this drill run on this cluster, as it stands? Answers from the objects alone.
#pragma once

#include <string>
#include <vector>

#include "drill/inputs.hpp"
#include "drill/live/options.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::drill::live {

// Nodes the drill counts on: with GPUs, Ready, open for pods, with the pool's label if one is asked for.
struct Pool {
  std::vector<std::string> nodes;  // in the order of their names
  int gpusPerNode = 0;             // of the largest
  int gpus = 0;
  int idleNodes = 0;       // of the largest kind, without a GPU in use
  bool simulated = false;  // KWOK plays the kubelet of all of them
};
Pool poolOf(const sim::ObjectStore& store, const std::string& label);

// The label of a pool as a node selector. An error if it is none.
Result<api::StringMap> selectorOf(const std::string& label);

// Why this drill may not run: what is missing, or whose work it could stop. Empty: it may.
std::vector<std::string> objections(const LiveOptions& options, const Inputs& inputs,
                                    const sim::ObjectStore& store);

// Of a drill that left its queues behind.
std::string drillOf(const api::ObjectMeta& metadata);

}  // namespace tidegate::drill::live
