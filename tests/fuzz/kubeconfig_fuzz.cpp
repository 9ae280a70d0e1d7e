// Kubeconfig files: any bytes give a cluster that can be connected to, or one error that says where. And what
// a credential plugin prints.
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "world/kube/credentials_exec.hpp"
#include "world/kube/kubeconfig.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<kube::KubeconfigFile> files{{.path = "input", .text = text}};
  kube::KubeconfigOptions options;
  options.paths = {"input"};
  const auto config = kube::readKubeconfig(files, options);
  if (config) {
    TIDEGATE_CHECK(kube::parseServerUrl(config->server).has_value(), config->server);
    TIDEGATE_CHECK(config->clientCertificate.empty() == config->clientKey.empty(), "half a key pair");
    if (config->exec) TIDEGATE_CHECK(!kube::execInfo(*config).empty(), "no exec info");
  } else {
    TIDEGATE_CHECK(!config.error().where.file.empty(), "an error without a place");
  }
  const auto answer = kube::readExecAnswer(text, "client.authentication.k8s.io/v1");
  TIDEGATE_CHECK(answer || !answer.error().message.empty(), "an error without a message");
  return 0;
}
