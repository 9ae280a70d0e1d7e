// The exec plugin of a kubeconfig's user.
#pragma once

#include <string>

#include "world/kube/cluster_config.hpp"
#include "world/kube/kubeconfig_node.hpp"

namespace tidegate::kube {

// `environment` is what the plugin inherits.
Result<ExecPlugin> readExecPlugin(const KubeconfigNode& exec, const Environment& environment);
// The cluster's extension for plugins, as JSON; "" if there is none.
Result<std::string> readExecExtension(const KubeconfigNode& cluster);

}  // namespace tidegate::kube
