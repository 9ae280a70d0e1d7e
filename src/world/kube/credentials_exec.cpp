#include "world/kube/credentials_exec.hpp"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/value.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "world/kube/kubeconfig_base64.hpp"

namespace tidegate::kube {
namespace {

// The certificate authority as the plugin gets it: base64 of PEM; empty if there is none or it is unreadable.
std::string authorityOf(const ClusterConfig& config) {
  if (!config.certificateAuthority.data.empty()) return toBase64(config.certificateAuthority.data);
  if (config.certificateAuthority.file.empty()) return "";
  const auto text = readFile(config.certificateAuthority.file);
  return text ? toBase64(*text) : "";
}

// As deep as a kubeconfig file may be.
boost::json::value parseDeep(const std::string& text) {
  boost::json::parse_options options;
  options.max_depth = static_cast<std::size_t>(api::DocumentLimits{}.depth) + 1;
  return boost::json::parse(text, {}, options);
}

boost::json::object describeCluster(const ClusterConfig& config) {
  boost::json::object cluster{{"server", config.server}};
  if (!config.tlsServerName.empty()) cluster["tls-server-name"] = config.tlsServerName;
  if (config.insecureSkipTlsVerify) cluster["insecure-skip-tls-verify"] = true;
  if (std::string authority = authorityOf(config); !authority.empty())
    cluster["certificate-authority-data"] = authority;
  if (!config.proxyUrl.empty()) cluster["proxy-url"] = config.proxyUrl;
  if (const std::string& extension = config.exec->clusterExtension; !extension.empty())
    cluster["config"] = parseDeep(extension);
  return cluster;
}

Result<ExecAnswer> readStatus(const api::Value& status) {
  ExecAnswer answer;
  const std::string_view token = status.textOf("token");
  if (token.find_first_of("\r\n") != std::string_view::npos) return fail("status.token has several lines");
  if (!token.empty()) answer.authorization.header = fmt::format("Bearer {}", token);
  answer.authorization.clientCertificate = status.textOf("clientCertificateData");
  answer.authorization.clientKey = status.textOf("clientKeyData");
  if (answer.authorization.clientCertificate.empty() != answer.authorization.clientKey.empty())
    return fail("clientCertificateData and clientKeyData go together, and one is missing");
  if (token.empty() && answer.authorization.clientKey.empty())
    return fail("status has neither token nor clientCertificateData");
  if (const std::string_view expires = status.textOf("expirationTimestamp"); !expires.empty()) {
    const auto time = parseTime(expires);
    if (!time) return fail("status.expirationTimestamp: " + time.error().message);
    answer.expires = *time;
  }
  return answer;
}

std::string_view lastLine(std::string_view text) {
  text = trimText(text);
  return trimText(text.substr(text.rfind('\n') + 1));
}

}  // namespace

Result<ExecAnswer> readExecAnswer(std::string_view text, const std::string& apiVersion) {
  TIDEGATE_TRY(const std::vector<api::Value> documents, api::readDocuments(text, "its output"));
  if (documents.size() != 1) return fail("it did not print one ExecCredential");
  const api::Value& document = documents.front();
  if (document.textOf("kind") != "ExecCredential")
    return fail(fmt::format("it printed kind \"{}\", want ExecCredential", document.textOf("kind")));
  if (document.textOf("apiVersion") != apiVersion)
    return fail(
        fmt::format("it printed apiVersion \"{}\", want {}", document.textOf("apiVersion"), apiVersion));
  const api::Value* status = document.find("status");
  if (status == nullptr || status->members() == nullptr) return fail("its ExecCredential has no status");
  return readStatus(*status);
}

std::string execInfo(const ClusterConfig& config) {
  boost::json::object spec{{"interactive", false}};
  if (config.exec->provideClusterInfo) spec["cluster"] = describeCluster(config);
  return boost::json::serialize(boost::json::object{
      {"kind", "ExecCredential"}, {"apiVersion", config.exec->apiVersion}, {"spec", std::move(spec)}});
}

ExecCredentials::ExecCredentials(CurlLoop& loop, const ClusterConfig& config)
    : loop_(loop), apiVersion_(config.exec->apiVersion), installHint_(config.exec->installHint) {
  spec_ = {
      .command = config.exec->command, .args = config.exec->args, .environment = config.exec->environment};
  spec_.environment["KUBERNETES_EXEC_INFO"] = execInfo(config);
}

Credentials::Shared ExecCredentials::current() {
  if (expires_ && loop_.now() >= *expires_) return nullptr;
  return authorization_;
}

void ExecCredentials::refresh(Shared refused, Done done) {
  if (process_ == nullptr && refused != nullptr && current() != nullptr && current() != refused) {
    tellLater(std::move(done));
    return;
  }
  waiting_.push_back(std::move(done));
  if (process_ != nullptr) return;
  process_ = std::make_unique<Process>(loop_, spec_, [this](ProcessResult result) { ended(result); });
}

void ExecCredentials::tellLater(Done done) {
  loop_.at(loop_.now(), [alive = std::weak_ptr(alive_), told = authorization_, done = std::move(done)] {
    if (!alive.expired()) done(told);
  });
}

void ExecCredentials::ended(const ProcessResult& result) {
  process_.reset();
  auto answer = judge(result);
  Result<Shared> told = Shared{};
  if (answer) {
    const bool same = authorization_ != nullptr && *authorization_ == answer->authorization;
    if (!same) authorization_ = std::make_shared<Authorization>(std::move(answer->authorization));
    expires_ = answer->expires;
    told = authorization_;
  } else {
    told = std::unexpected(std::move(answer).error());
  }
  const std::vector<Done> waiting = std::exchange(waiting_, {});
  const std::weak_ptr<Ok> alive = alive_;
  for (const Done& done : waiting) {
    if (!alive.expired()) done(told);
  }
}

Result<ExecAnswer> ExecCredentials::judge(const ProcessResult& result) const {
  std::string why = result.problem;
  if (why.empty() && result.exitCode != 0) why = fmt::format("exit code {}", result.exitCode);
  if (why.empty()) {
    auto answer = readExecAnswer(result.output, apiVersion_);
    if (answer) return answer;
    why = answer.error().text();
  }
  std::string text = fmt::format("credential plugin {}: {}", spec_.command, why);
  if (const auto line = lastLine(result.errors); !line.empty()) text += fmt::format(": {}", line);
  if (result.exitCode < 0 && !installHint_.empty()) text += fmt::format(" ({})", trimText(installHint_));
  return fail(std::move(text));
}

}  // namespace tidegate::kube
