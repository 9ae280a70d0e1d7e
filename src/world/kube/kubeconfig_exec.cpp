#include "world/kube/kubeconfig_exec.hpp"

#include <fmt/format.h>

#include "world/kube/kubeconfig_fields.hpp"

namespace tidegate::kube {
namespace {

constexpr std::string_view kGroup = "client.authentication.k8s.io";

Result<Ok> checkApiVersion(const KubeconfigNode& exec, const std::string& version) {
  if (version == fmt::format("{}/v1", kGroup) || version == fmt::format("{}/v1beta1", kGroup)) return Ok{};
  return fail(exec.member("apiVersion")
                  .error(fmt::format("want {0}/v1 or {0}/v1beta1, got \"{1}\"", kGroup, version)));
}

Result<Ok> checkInteractiveMode(const KubeconfigNode& exec, bool required) {
  const KubeconfigNode node = exec.member("interactiveMode");
  TIDEGATE_TRY(const std::string mode, node.text());
  if (mode == "Never" || mode == "IfAvailable" || (mode.empty() && !required)) return Ok{};
  if (mode == "Always") return fail(node.error("the plugin wants a terminal, and gets none here"));
  return fail(node.error(fmt::format("want Never or IfAvailable, got \"{}\"", mode)));
}

Result<Ok> addVariables(const KubeconfigNode& list, Environment& out) {
  TIDEGATE_TRY(const auto items, list.items());
  for (const KubeconfigNode& item : items) {
    TIDEGATE_TRY([[maybe_unused]] const Ok map, item.wantMap());
    TIDEGATE_TRY(const std::string name, item.text("name"));
    TIDEGATE_TRY(const std::string value, item.text("value"));
    if (name.empty() || name.find('=') != std::string::npos)
      return fail(item.error("want the name of a variable"));
    out[name] = value;
  }
  return Ok{};
}

}  // namespace

Result<ExecPlugin> readExecPlugin(const KubeconfigNode& exec, const Environment& environment) {
  TIDEGATE_TRY([[maybe_unused]] const Ok map, exec.wantMap());
  ExecPlugin out;
  TIDEGATE_TRY(out.apiVersion, exec.text("apiVersion"));
  TIDEGATE_TRY([[maybe_unused]] const Ok version, checkApiVersion(exec, out.apiVersion));
  TIDEGATE_TRY([[maybe_unused]] const Ok mode, checkInteractiveMode(exec, out.apiVersion.ends_with("/v1")));
  TIDEGATE_TRY(out.command, exec.text("command"));
  if (out.command.empty()) return fail(exec.member("command").error("the plugin has no command"));
  if (out.command.find('/') != std::string::npos) out.command = resolveBeside(exec.file(), out.command);
  TIDEGATE_TRY(out.args, exec.member("args").texts());
  out.environment = environment;
  TIDEGATE_TRY([[maybe_unused]] const Ok added, addVariables(exec.member("env"), out.environment));
  TIDEGATE_TRY(out.provideClusterInfo, exec.member("provideClusterInfo").flag());
  TIDEGATE_TRY(out.installHint, exec.text("installHint"));
  return out;
}

Result<std::string> readExecExtension(const KubeconfigNode& cluster) {
  TIDEGATE_TRY(const auto extensions, cluster.member("extensions").items());
  for (const KubeconfigNode& extension : extensions) {
    TIDEGATE_TRY([[maybe_unused]] const Ok map, extension.wantMap());
    if (extension.value().textOf("name") != fmt::format("{}/exec", kGroup)) continue;
    const KubeconfigNode body = extension.member("extension");
    return body.isNull() ? std::string() : api::jsonOf(body.value());
  }
  return "";
}

}  // namespace tidegate::kube
