// `tidegate run`: scheduler and controllers on a live cluster, in one process.
//
// Only the replica that holds the lease hosts controllers; a replica that loses it stops writing before the
// lease can be another's, and ends. A new leader starts from what the objects say.
#pragma once

#include "run/options.hpp"
#include "world/kube/cluster_config.hpp"

namespace tidegate::run {

// Until SIGTERM or SIGINT. The exit status: 0 stopped, 1 cannot go on (lease lost), 2 bad input. Logs to
// standard error.
int run(const RunOptions& options, const kube::Environment& environment);

}  // namespace tidegate::run
