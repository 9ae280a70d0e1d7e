#include "world/kube/credentials.hpp"

#include "world/kube/credentials_exec.hpp"
#include "world/kube/credentials_file.hpp"
#include "world/kube/kubeconfig_base64.hpp"

namespace tidegate::kube {
namespace {

// Credentials that cannot be renewed.
class Fixed : public Credentials {
 public:
  Fixed(CurlLoop& loop, std::string header)
      : loop_(loop), authorization_(std::make_shared<Authorization>(Authorization{std::move(header)})) {}

  Shared current() override { return authorization_; }
  void refresh(Shared /*refused*/, Done done) override {
    loop_.at(loop_.now(), [told = std::weak_ptr(authorization_), done = std::move(done)] {
      if (Shared same = told.lock()) done(std::move(same));
    });
  }

 private:
  CurlLoop& loop_;
  Shared authorization_;
};

}  // namespace

std::unique_ptr<Credentials> makeCredentials(CurlLoop& loop, const ClusterConfig& config) {
  if (!config.tokenFile.empty()) return std::make_unique<TokenFile>(loop, config.tokenFile, config.token);
  if (!config.token.empty()) return std::make_unique<Fixed>(loop, "Bearer " + config.token);
  if (!config.username.empty()) {
    const std::string pair = config.username + ":" + config.password;
    return std::make_unique<Fixed>(loop, "Basic " + toBase64(pair));
  }
  if (config.exec) return std::make_unique<ExecCredentials>(loop, config);
  return std::make_unique<Fixed>(loop, "");
}

}  // namespace tidegate::kube
