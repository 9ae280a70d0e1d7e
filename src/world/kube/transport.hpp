// One connection to an API server: requests out, answers in, all on the loop's thread.
//
// Implemented over libcurl (curl_transport.hpp: HTTP/2, one TLS connection for all requests and watches) and
// by the simulated API server (world/rest), with faults, in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace tidegate::kube {

struct HttpRequest {
  std::string method = "GET";
  std::string path;  // with its query: "/api/v1/pods?limit=500"
  std::string body;
  std::string contentType = "application/json";
  Duration timeout = seconds(30);  // of the whole exchange; of a stream: between two chunks
  // Of a stream: called once when an answer with a 2xx status begins, before the first chunk. May be unset.
  std::function<void()> begun = {};
};

struct HttpResponse {
  int status = 0;    // 0: no answer (error says why); whether the server has acted is not known
  std::string body;  // of a stream: empty, unless the status is no success
  std::map<std::string, std::string> headers;  // names in lower case
  std::string error;
  bool ok() const { return status >= 200 && status < 300; }
};

using RequestId = std::uint64_t;

class Transport {
 public:
  using Done = std::function<void(HttpResponse)>;
  // False ends the stream; Done follows.
  using Chunk = std::function<bool(std::string_view)>;

  virtual ~Transport() = default;
  // Calls `done` once, never inside this call.
  virtual RequestId send(HttpRequest request, Done done) = 0;
  // Hands on the body as it comes (only of answers with a 2xx status); `done` when it ends, for whatever
  // reason.
  virtual RequestId stream(HttpRequest request, Chunk chunk, Done done) = 0;
  // Neither `chunk` nor `done` will be called. The server may have acted or not.
  virtual void cancel(RequestId request) = 0;
};

}  // namespace tidegate::kube
