// Requests as libcurl takes them: the options that follow from the cluster's configuration, the credentials
// and the request itself.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "world/kube/cluster_config.hpp"
#include "world/kube/credentials.hpp"
#include "world/kube/curl_sockets.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

struct CurlCleanup {
  void operator()(CURL* transfer) const { curl_easy_cleanup(transfer); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, CurlCleanup>;
using CurlList = std::unique_ptr<curl_slist, CurlCleanup>;

// What one request needs until it has ended.
struct CurlRequestParts {
  const HttpRequest& request;
  const Authorization& authorization;
  bool compressed = false;  // the answer may be
};

class CurlRequests {
 public:
  explicit CurlRequests(ClusterConfig config);

  const std::string& address() const { return url_.address; }
  // A handle with all that is the same for each request.
  CurlHandle make(CurlSockets& sockets) const;
  // Sets what differs. The parts and the list that is returned must outlive the transfer.
  CurlList prepare(CURL* transfer, const CurlRequestParts& parts) const;

 private:
  struct Url {
    std::string base;     // what comes before a request's path
    std::string address;  // host:port, for messages
    std::string host;     // of the Host header, if it is not that of `base`
    bool loopback = false;
  };
  static Url urlOf(const ClusterConfig& config);
  void setTls(CURL* transfer) const;
  void setClientCertificate(CURL* transfer, const Authorization& authorization) const;

  ClusterConfig config_;
  Url url_;
  CurlList connectTo_;
  CurlList headers_;  // of each request
};

}  // namespace tidegate::kube
