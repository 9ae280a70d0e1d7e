// Clusters full of offline jobs, as recall problems: sizes drawn by their share of GPU time, nodes of 8 GPUs.
#pragma once

#include <cstdint>

#include "recall/problem.hpp"

namespace tidegate::bench {

enum class Mix {
  Philly,  // GPU-time shares as in the Philly trace (ATC'19): half in 8-GPU jobs, few gangs over nodes
  Llm,     // large gangs: a third of the GPU time in jobs of 16 to 64 GPUs
};

enum class Placement {
  Packed,      // best fit; gangs take whole nodes
  Fragmented,  // pods of 1, 2, 4 or 8 GPUs wherever there is room
};

struct InstanceSpec {
  std::uint32_t nodes = 1000;
  Mix mix = Mix::Llm;
  Placement placement = Placement::Fragmented;
  recall::Mode mode = recall::Mode::WholeNode;
  std::int64_t podGpus = 8;
  std::int64_t pods = 8;
  double online = 0.2;            // share of nodes that hold online work and so never become whole
  double full = 1.0;              // of the other nodes' GPUs
  Amount slackGpus = kUnlimited;  // what the jobs' queue may give back
  std::uint64_t seed = 1;
};

// A job's cost is GPUs x (seconds since an hourly checkpoint + 300 s), with a random tie-break below.
recall::Problem makeInstance(const InstanceSpec& spec);

}  // namespace tidegate::bench
