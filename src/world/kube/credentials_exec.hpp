// Credentials of an exec plugin (client.authentication.k8s.io): run when there are none, when they have
// expired, and when the server refuses them. One run serves all who wait.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/kube/credentials.hpp"
#include "world/kube/credentials_process.hpp"

namespace tidegate::kube {

// The status of an ExecCredential.
struct ExecAnswer {
  Authorization authorization;
  std::optional<Time> expires;
  bool operator==(const ExecAnswer&) const = default;
};
// Of what a plugin has printed; `apiVersion` is the one it was asked for.
Result<ExecAnswer> readExecAnswer(std::string_view text, const std::string& apiVersion);

// The value of KUBERNETES_EXEC_INFO.
std::string execInfo(const ClusterConfig& config);

class ExecCredentials : public Credentials {
 public:
  // config.exec is set.
  ExecCredentials(CurlLoop& loop, const ClusterConfig& config);

  Shared current() override;
  void refresh(Shared refused, Done done) override;

 private:
  void tellLater(Done done);
  void ended(const ProcessResult& result);
  Result<ExecAnswer> judge(const ProcessResult& result) const;

  CurlLoop& loop_;
  ProcessSpec spec_;
  std::string apiVersion_;
  std::string installHint_;
  Shared authorization_;
  std::optional<Time> expires_;
  std::unique_ptr<Process> process_;
  std::vector<Done> waiting_;
  std::shared_ptr<Ok> alive_ = std::make_shared<Ok>();
};

}  // namespace tidegate::kube
