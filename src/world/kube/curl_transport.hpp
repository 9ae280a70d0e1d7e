// The connection to a real API server, over libcurl.
//
// With HTTP/2 (the server must offer it by ALPN) all requests and watches share one TLS connection, and a
// further one is opened only when the server's limit of streams is reached, up to kSharedConnections; beyond
// that, requests wait. With HTTP/1.1 each watch keeps one, and there are up to kMaxConnections
// (curl_loop.hpp). Lists are asked for compressed, streams are not.
//
// Deadlines (HttpRequest::timeout) count from send() on, and so include the wait for credentials, a name or a
// connection. When one passes and nothing at all was heard on its connection meanwhile, the connection is cut
// and with it all its requests: the server is taken for dead.
//
// A 401 makes the credentials be fetched anew (credentials.hpp) and the request be sent once more; it is told
// only if they are the same as before or the second try fails too.
//
// libcurl itself sends a request again, without telling, if the idle connection it was sent on turns out to
// be closed before a byte of an answer. Errors name the server and the cause.
#pragma once

#include <memory>
#include <string>

#include "world/kube/cluster_config.hpp"
#include "world/kube/curl_loop.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

class CurlTransport : public Transport {
 public:
  // The loop must outlive the transport.
  CurlTransport(CurlLoop& loop, ClusterConfig config);
  // Cancels what is going on. Not to be called from a callback of this transport.
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  RequestId send(HttpRequest request, Done done) override;
  RequestId stream(HttpRequest request, Chunk chunk, Done done) override;
  void cancel(RequestId request) override;

  // Requests and streams that have not ended.
  std::size_t inFlight() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidegate::kube
