#include "world/kube/in_cluster.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "core/files.hpp"
#include "core/text.hpp"
#include "world/kube/kubeconfig.hpp"

namespace tidegate::kube {
namespace {

constexpr const char* kHost = "KUBERNETES_SERVICE_HOST";
constexpr const char* kPort = "KUBERNETES_SERVICE_PORT";

std::string variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace

bool isInCluster(const Environment& environment) {
  return !variable(environment, kHost).empty() && !variable(environment, kPort).empty();
}

Result<ClusterConfig> readInCluster(const ClusterOptions& options) {
  std::string host = variable(options.environment, kHost);
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  ClusterConfig out;
  out.server = fmt::format("https://{}:{}", host, variable(options.environment, kPort));
  out.source = "in-cluster";
  if (const auto url = parseServerUrl(out.server); !url)
    return fail(fmt::format("{}, {}: {}", kHost, kPort, url.error().message));
  const std::string folder = options.serviceAccountFolder + "/";
  out.certificateAuthority.file = folder + "ca.crt";
  out.tokenFile = folder + "token";
  for (const std::string& file : {out.certificateAuthority.file, out.tokenFile}) {
    if (const auto text = readFile(file); !text)
      return fail("the pod's service account: " + text.error().text());
  }
  if (const auto name = readFile(folder + "namespace")) out.nameSpace = trimText(*name);
  return out;
}

Result<ClusterConfig> findCluster(const ClusterOptions& options) {
  KubeconfigOptions files;
  files.context = options.context;
  files.environment = options.environment;
  const std::string listed = variable(options.environment, "KUBECONFIG");
  const std::string home = variable(options.environment, "HOME");
  const std::string usual = home + "/.kube/config";
  if (!options.kubeconfig.empty()) {
    files.paths = {options.kubeconfig};
  } else if (!splitKubeconfigPaths(listed).empty()) {
    files.paths = splitKubeconfigPaths(listed);
  } else if (!home.empty() && exists(usual)) {
    files.paths = {usual};
  } else if (isInCluster(options.environment)) {
    return readInCluster(options);
  } else {
    return fail(
        fmt::format("no cluster: no --kubeconfig, KUBECONFIG is not set, there is no {}, and this is "
                    "no pod of a cluster ({} is not set)",
                    usual, kHost));
  }
  return loadKubeconfig(files);
}

}  // namespace tidegate::kube
