// Reads kubeconfig files: which server a context names, and how its user proves who it is.
//
// Several files are merged as client-go does (tools/clientcmd/loader.go): of clusters, users and contexts of
// the same name, and of current-context, the first file's counts. Relative paths are relative to the file
// that holds them. Extensions and fields nobody knows are passed over. Errors name file, line and field.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "world/kube/cluster_config.hpp"

namespace tidegate::kube {

struct KubeconfigOptions {
  std::vector<std::string> paths;  // those that are not there are passed over, but one must be
  std::string context;             // empty: current-context
  Environment environment;         // of credential plugins
};

Result<ClusterConfig> loadKubeconfig(const KubeconfigOptions& options);

struct KubeconfigFile {
  std::string path;
  std::string text;
};
// The same, of files that have been read. Looks whether the files they name can be read.
Result<ClusterConfig> readKubeconfig(std::span<const KubeconfigFile> files, const KubeconfigOptions& options);

// The paths of the variable KUBECONFIG: separated by colons; empty ones are left out.
std::vector<std::string> splitKubeconfigPaths(std::string_view list);

}  // namespace tidegate::kube
