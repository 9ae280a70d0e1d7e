// volcano-scheduler.conf, bare or inside its ConfigMap, read as Volcano reads it: actions in order, tiers of
// plugins with flags and arguments, configurations per action. All of Volcano's names are known. What
// tidegate does in a way of its own, or not at all, is told in a notice; an unknown action or plugin is an
// error, never a fall-back.
//
// Beyond Volcano's, `configurations` of the action reclaim take tidegate's own settings (Volcano ignores
// them):
//   - name: reclaim
//     arguments: {tidegate.recallDeadline: 15s, tidegate.minRuntime: 10m, tidegate.straddleRatio: 4,
//                 tidegate.checkpointInterval: 30m, tidegate.restartCost: 60s, tidegate.jobPenalty: 0s,
//                 tidegate.overrideBudgets: true}
//
// An empty file, or one without actions or tiers, means the defaults of Policy; a notice says so.
// Source of names and types: Volcano's pkg/scheduler/{conf,actions,plugins}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

struct ConfLoaded {
  Policy policy;
  std::vector<Error> notices;  // each with its place
};

// The first error; its message counts the others.
Result<ConfLoaded> readConf(std::string_view text, const std::string& fileName);

}  // namespace tidegate::scheduler
