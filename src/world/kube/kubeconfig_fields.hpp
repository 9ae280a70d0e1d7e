// What the fields of a kubeconfig's clusters and users mean.
//
// Rules as in client-go's tools/clientcmd/validation.go and client_config.go: data beats files, a token, a
// token file and a password exclude each other only where it is unclear which counts.
#pragma once

#include <string>

#include "world/kube/cluster_config.hpp"
#include "world/kube/kubeconfig_node.hpp"

namespace tidegate::kube {

Result<Ok> readClusterFields(const KubeconfigNode& cluster, ClusterConfig& out);
// Reads the cluster's fields first: a plugin may be given its extension.
Result<Ok> readUserFields(const KubeconfigNode& user, const KubeconfigNode& cluster,
                          const Environment& environment, ClusterConfig& out);

// The path as seen from the folder of `file`.
std::string resolveBeside(const std::string& file, const std::string& path);

}  // namespace tidegate::kube
