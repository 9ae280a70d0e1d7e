#include "world/kube/kubeconfig_fields.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/text.hpp"
#include "world/kube/kubeconfig_base64.hpp"
#include "world/kube/kubeconfig_exec.hpp"

namespace tidegate::kube {
namespace {

Result<Ok> wantReadable(const KubeconfigNode& node, const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return Ok{};
  return fail(
      node.error(fmt::format("{}: cannot be opened: {}", path, std::generic_category().message(errno))));
}

// PEM in the field `name`-data or in the file that `name` names.
Result<PemSource> readPem(const KubeconfigNode& node, const std::string& name) {
  const KubeconfigNode data = node.member(name + "-data");
  const KubeconfigNode file = node.member(name);
  TIDEGATE_TRY(const std::string encoded, data.text());
  TIDEGATE_TRY(const std::string path, file.text());
  if (!encoded.empty()) {
    auto text = fromBase64(encoded);
    if (!text) return fail(data.error("is no base64"));
    if (text->find("-----BEGIN ") == std::string::npos) return fail(data.error("holds no PEM"));
    return PemSource{.data = std::move(*text), .file = {}};
  }
  if (path.empty()) return PemSource{};
  PemSource source{.data = {}, .file = resolveBeside(node.file(), path)};
  TIDEGATE_TRY([[maybe_unused]] const Ok readable, wantReadable(file, source.file));
  return source;
}

bool hasScheme(std::string_view url) {
  return url.find("://") != std::string_view::npos;
}

// The text of a field that goes into an HTTP header.
Result<std::string> readHeaderText(const KubeconfigNode& node) {
  TIDEGATE_TRY(const std::string text, node.text());
  std::string trimmed(trimText(text));
  for (const char c : trimmed) {
    if (static_cast<unsigned char>(c) < 0x20) return fail(node.error("holds a control character"));
  }
  return trimmed;
}

Result<Ok> readTokens(const KubeconfigNode& user, ClusterConfig& out) {
  TIDEGATE_TRY(out.token, readHeaderText(user.member("token")));
  const KubeconfigNode tokenFile = user.member("tokenFile");
  TIDEGATE_TRY(const std::string path, tokenFile.text());
  if (path.empty()) return Ok{};
  out.tokenFile = resolveBeside(user.file(), path);
  return out.token.empty() ? wantReadable(tokenFile, out.tokenFile) : Result<Ok>(Ok{});
}

Result<Ok> readPassword(const KubeconfigNode& user, ClusterConfig& out) {
  TIDEGATE_TRY(out.username, user.text("username"));
  TIDEGATE_TRY(out.password, user.text("password"));
  if (out.username.empty() && !out.password.empty())
    return fail(user.member("password").error("there is no username to go with it"));
  if (!out.username.empty() && (!out.token.empty() || !out.tokenFile.empty()))
    return fail(user.member("username").error("there is a token too, and only one of them can be used"));
  return Ok{};
}

Result<Ok> readClientCertificate(const KubeconfigNode& user, ClusterConfig& out) {
  TIDEGATE_TRY(out.clientCertificate, readPem(user, "client-certificate"));
  TIDEGATE_TRY(out.clientKey, readPem(user, "client-key"));
  if (out.clientCertificate.empty() == out.clientKey.empty()) return Ok{};
  const bool keyMissing = out.clientKey.empty();
  return fail(user.error(keyMissing ? "a client-certificate needs a client-key or client-key-data"
                                    : "a client-key needs a client-certificate or "
                                      "client-certificate-data"));
}

Result<std::map<std::string, std::vector<std::string>>> readExtra(const KubeconfigNode& extra) {
  std::map<std::string, std::vector<std::string>> out;
  TIDEGATE_TRY([[maybe_unused]] const Ok map, extra.wantMap());
  if (extra.isNull()) return out;
  for (const api::Member& member : *extra.value().members()) {
    TIDEGATE_TRY(const auto values, extra.member(member.key).items());
    for (const KubeconfigNode& value : values) {
      TIDEGATE_TRY(std::string text, readHeaderText(value));
      out[member.key].push_back(std::move(text));
    }
  }
  return out;
}

Result<Ok> readImpersonation(const KubeconfigNode& user, Impersonation& out) {
  TIDEGATE_TRY(out.user, readHeaderText(user.member("as")));
  TIDEGATE_TRY(out.uid, readHeaderText(user.member("as-uid")));
  TIDEGATE_TRY(const auto groups, user.member("as-groups").items());
  for (const KubeconfigNode& group : groups) {
    TIDEGATE_TRY(std::string text, readHeaderText(group));
    out.groups.push_back(std::move(text));
  }
  TIDEGATE_TRY(out.extra, readExtra(user.member("as-user-extra")));
  const bool more = !out.uid.empty() || !out.groups.empty() || !out.extra.empty();
  if (more && out.user.empty())
    return fail(user.member("as").error("as-uid, as-groups and as-user-extra need it"));
  return Ok{};
}

Result<Ok> checkServer(const KubeconfigNode& cluster, ClusterConfig& out) {
  const KubeconfigNode server = cluster.member("server");
  TIDEGATE_TRY(out.server, server.text());
  if (out.server.empty()) return fail(server.error("the cluster has no server"));
  const bool tls = !out.certificateAuthority.empty() || out.insecureSkipTlsVerify;
  if (!hasScheme(out.server)) out.server = (tls ? "https://" : "http://") + out.server;
  if (const auto url = parseServerUrl(out.server); !url) return fail(server.error(url.error().message));
  return Ok{};
}

Result<Ok> checkProxy(const KubeconfigNode& cluster, ClusterConfig& out) {
  const KubeconfigNode proxy = cluster.member("proxy-url");
  TIDEGATE_TRY(out.proxyUrl, proxy.text());
  if (out.proxyUrl.empty()) return Ok{};
  for (const std::string_view scheme : {"http://", "https://", "socks5://", "socks5h://"}) {
    if (out.proxyUrl.starts_with(scheme) && out.proxyUrl.size() > scheme.size()) return Ok{};
  }
  return fail(proxy.error(fmt::format("want a URL with http, https or socks5, got \"{}\"", out.proxyUrl)));
}

}  // namespace

std::string resolveBeside(const std::string& file, const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? path : file.substr(0, slash + 1) + path;
}

Result<Ok> readClusterFields(const KubeconfigNode& cluster, ClusterConfig& out) {
  TIDEGATE_TRY(out.certificateAuthority, readPem(cluster, "certificate-authority"));
  const KubeconfigNode insecure = cluster.member("insecure-skip-tls-verify");
  TIDEGATE_TRY(out.insecureSkipTlsVerify, insecure.flag());
  if (out.insecureSkipTlsVerify && !out.certificateAuthority.empty())
    return fail(insecure.error("there is a certificate authority too, and only one of them can be used"));
  TIDEGATE_TRY(out.tlsServerName, cluster.text("tls-server-name"));
  TIDEGATE_TRY([[maybe_unused]] const Ok server, checkServer(cluster, out));
  return checkProxy(cluster, out);
}

Result<Ok> readUserFields(const KubeconfigNode& user, const KubeconfigNode& cluster,
                          const Environment& environment, ClusterConfig& out) {
  if (const KubeconfigNode provider = user.member("auth-provider"); !provider.isNull())
    return fail(provider.error("Kubernetes has dropped auth-provider in 1.26: use exec"));
  TIDEGATE_TRY([[maybe_unused]] const Ok certificate, readClientCertificate(user, out));
  TIDEGATE_TRY([[maybe_unused]] const Ok tokens, readTokens(user, out));
  TIDEGATE_TRY([[maybe_unused]] const Ok password, readPassword(user, out));
  TIDEGATE_TRY([[maybe_unused]] const Ok as, readImpersonation(user, out.impersonate));
  const KubeconfigNode exec = user.member("exec");
  if (exec.isNull()) return Ok{};
  TIDEGATE_TRY(out.exec, readExecPlugin(exec, environment));
  TIDEGATE_TRY(out.exec->clusterExtension, readExecExtension(cluster));
  return Ok{};
}

}  // namespace tidegate::kube
