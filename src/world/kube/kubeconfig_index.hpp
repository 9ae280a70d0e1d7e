// The named entries of kubeconfig files, merged.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "world/kube/kubeconfig.hpp"
#include "world/kube/kubeconfig_node.hpp"

namespace tidegate::kube {

class KubeconfigIndex {
 public:
  // Later files do not replace what is there.
  Result<Ok> add(const KubeconfigFile& file);

  const std::string& currentContext() const { return currentContext_; }
  // The entry's body ("cluster" of clusters[i]). Fails with the names there are, and with the place of
  // `asked` if that is given.
  Result<KubeconfigNode> context(const std::string& name) const;
  Result<KubeconfigNode> cluster(const KubeconfigNode& asked, const std::string& name) const;
  Result<KubeconfigNode> user(const KubeconfigNode& asked, const std::string& name) const;
  std::vector<std::string> contextNames() const;

 private:
  using Entries = std::map<std::string, KubeconfigNode>;

  static Result<Ok> addEntries(const KubeconfigNode& list, std::string_view body, Entries& out);
  Result<Ok> addDocument(const KubeconfigNode& root);

  std::vector<std::vector<api::Value>> documents_;  // what the nodes point to
  std::string currentContext_;
  Entries contexts_;
  Entries clusters_;
  Entries users_;
};

}  // namespace tidegate::kube
