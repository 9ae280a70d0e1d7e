// The environment of this process.
#pragma once

#include "world/kube/cluster_config.hpp"

namespace tidegate::cli {

kube::Environment environmentOfProcess();

}  // namespace tidegate::cli
