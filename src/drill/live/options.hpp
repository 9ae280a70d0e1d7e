// What a drill on a live cluster is told, besides what every drill is.
#pragma once

#include <string>

#include "drill/options.hpp"

namespace tidegate::drill::live {

inline constexpr Duration kDefaultPeak = seconds(30);

struct LiveOptions {
  DrillOptions drill;  // `nodes` is the most nodes to count on; 0: all of the pool
  std::string id;      // no other drill's: part of names and labels; lower-case letters and digits
  std::string kubeconfig;
  std::string context;    // empty: the current one
  std::string poolLabel;  // "key=value": only nodes with it are used; empty: all with GPUs
  std::string image = "registry.k8s.io/pause:3.10";
  bool liveVictims = false;  // existing queues are used, and jobs that are not the drill's may be recalled
};

}  // namespace tidegate::drill::live
