#include "world/kube/kubeconfig.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/files.hpp"
#include "core/text.hpp"
#include "world/kube/kubeconfig_fields.hpp"
#include "world/kube/kubeconfig_index.hpp"

namespace tidegate::kube {
namespace {

Result<std::string> chooseContext(const KubeconfigIndex& index, const KubeconfigOptions& options) {
  if (!options.context.empty()) return options.context;
  if (!index.currentContext().empty()) return index.currentContext();
  const auto names = index.contextNames();
  const std::string known = names.empty() ? "there are none" : fmt::format("{}", fmt::join(names, ", "));
  return fail(Error{.message = fmt::format("no current-context, and no context was asked for ({})", known),
                    .where = {fmt::format("{}", fmt::join(options.paths, ":"))}});
}

}  // namespace

Result<ClusterConfig> readKubeconfig(std::span<const KubeconfigFile> files,
                                     const KubeconfigOptions& options) {
  KubeconfigIndex index;
  for (const KubeconfigFile& file : files) {
    TIDEGATE_TRY([[maybe_unused]] const Ok added, index.add(file));
  }
  TIDEGATE_TRY(const std::string name, chooseContext(index, options));
  auto found = index.context(name);
  if (!found) {
    found.error().where.file = fmt::format("{}", fmt::join(options.paths, ":"));
    return fail(std::move(found).error());
  }
  const KubeconfigNode& context = *found;
  TIDEGATE_TRY(const std::string clusterName, context.text("cluster"));
  TIDEGATE_TRY(const std::string userName, context.text("user"));
  TIDEGATE_TRY(const KubeconfigNode cluster, index.cluster(context.member("cluster"), clusterName));
  ClusterConfig out;
  out.source = fmt::format("context {} of {}", name, context.file());
  TIDEGATE_TRY(out.nameSpace, context.text("namespace"));
  TIDEGATE_TRY([[maybe_unused]] const Ok clusterRead, readClusterFields(cluster, out));
  if (userName.empty()) return out;
  TIDEGATE_TRY(const KubeconfigNode user, index.user(context.member("user"), userName));
  TIDEGATE_TRY([[maybe_unused]] const Ok userRead, readUserFields(user, cluster, options.environment, out));
  return out;
}

Result<ClusterConfig> loadKubeconfig(const KubeconfigOptions& options) {
  std::vector<KubeconfigFile> files;
  for (const std::string& path : options.paths) {
    if (access(path.c_str(), F_OK) != 0) continue;
    TIDEGATE_TRY(std::string text, readFile(path));
    files.push_back({.path = path, .text = std::move(text)});
  }
  if (files.empty()) return fail(fmt::format("no such kubeconfig file: {}", fmt::join(options.paths, ", ")));
  return readKubeconfig(files, options);
}

std::vector<std::string> splitKubeconfigPaths(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string_view path : splitText(list, ':')) {
    if (!path.empty()) out.emplace_back(path);
  }
  return out;
}

}  // namespace tidegate::kube
