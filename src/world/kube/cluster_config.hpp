// Where an API server is and how to prove who is asking: what kubeconfig.hpp and in_cluster.hpp read, and
// curl_transport.hpp needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace tidegate::kube {

using Environment = std::map<std::string, std::string>;

// PEM, as text or in a file that is read anew for each connection. The text is used if both are set.
struct PemSource {
  std::string data;
  std::string file;
  bool empty() const { return data.empty() && file.empty(); }
  bool operator==(const PemSource&) const = default;
};

// A program that prints an ExecCredential (client.authentication.k8s.io/v1 or v1beta1).
struct ExecPlugin {
  std::string apiVersion;
  std::string command;  // a name to look up in PATH, or an absolute path
  std::vector<std::string> args;
  Environment environment;  // all of it
  bool provideClusterInfo = false;
  std::string clusterExtension;  // JSON for the plugin, of the cluster's extensions; may be empty
  std::string installHint;
  bool operator==(const ExecPlugin&) const = default;
};

struct Impersonation {
  std::string user;  // empty: none
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool operator==(const Impersonation&) const = default;
};

struct ClusterConfig {
  std::string server;              // "https://10.0.0.1:6443", perhaps with a path; without a slash at its end
  PemSource certificateAuthority;  // empty: the system's
  bool insecureSkipTlsVerify = false;
  std::string tlsServerName;  // the name the certificate must have, if not the server's
  std::string proxyUrl;

  PemSource clientCertificate;
  PemSource clientKey;
  std::string token;
  std::string tokenFile;  // read again as it changes; `token` serves until it can be read
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;  // asked if there is no token, token file or username
  Impersonation impersonate;

  std::string nameSpace;  // the context's; may be empty
  std::string source;     // where this was read: "context dev of config.yaml", "in-cluster"
};

struct ClusterOptions {
  std::string kubeconfig;  // --kubeconfig; empty: not given
  std::string context;     // --context; empty: the current one
  Environment environment;
  std::string serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// The cluster to use: of --kubeconfig, else of the files in KUBECONFIG, else of $HOME/.kube/config if it is
// there, else the one this process runs in. Fails if the first of these that is there cannot be used, or none
// is.
Result<ClusterConfig> findCluster(const ClusterOptions& options);

// A server's URL in its parts. An address of IPv6 stands in brackets.
struct ServerUrl {
  std::string scheme;  // "https" or "http"
  std::string host;
  std::string port;
  std::string path;  // "" or "/prefix"
  std::string address() const { return host + ":" + port; }
};
Result<ServerUrl> parseServerUrl(const std::string& url);

}  // namespace tidegate::kube
