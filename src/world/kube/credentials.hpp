// What a request carries to prove who is asking, kept fresh: a fixed token, a token file that rotates, or the
// answer of a credential plugin, which is run without blocking the loop.
//
// Follows client-go: transport/token_source.go, plugin/pkg/client/auth/exec.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "world/kube/cluster_config.hpp"
#include "world/kube/curl_loop.hpp"

namespace tidegate::kube {

struct Authorization {
  std::string header;  // the value of "Authorization"; may be empty
  // PEM, of a plugin; empty: those of the configuration.
  std::string clientCertificate = {};
  std::string clientKey = {};
  bool operator==(const Authorization&) const = default;
};

class Credentials {
 public:
  using Shared = std::shared_ptr<const Authorization>;
  using Done = std::function<void(Result<Shared>)>;

  virtual ~Credentials() = default;
  // The authorization to use now; nullptr if one has to be fetched first.
  virtual Shared current() = 0;
  // Fetches one, unless there is already a newer one than `refused` (nullptr: none was). Calls `done` once,
  // never inside this call, and not at all once the credentials are destroyed. What comes equals `refused`
  // if there is no other.
  virtual void refresh(Shared refused, Done done) = 0;
};

// Of the first that is set: token file, token, username, plugin; none of them gives an empty authorization.
std::unique_ptr<Credentials> makeCredentials(CurlLoop& loop, const ClusterConfig& config);

}  // namespace tidegate::kube
