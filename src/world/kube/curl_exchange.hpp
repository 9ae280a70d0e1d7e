// One request on its way, and what libcurl has brought of its answer.
//
// libcurl's callbacks only store: nothing of the caller's is called inside of libcurl.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "world/kube/credentials.hpp"
#include "world/kube/curl_request.hpp"
#include "world/kube/loop.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

class CurlExchange {
 public:
  CurlExchange(HttpRequest asked, Transport::Chunk onChunk, Transport::Done onDone)
      : request(std::move(asked)), chunk(std::move(onChunk)), done(std::move(onDone)) {}
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;

  bool isStream() const { return chunk != nullptr; }
  // Makes the handle bring its answer here, until detach().
  void attach();
  void detach();
  // Sets status and error as the transfer ended.
  void conclude(CURLcode result, const std::string& address);
  // The answer ends here, with this error: a whole answer is none, a stream keeps its status.
  void fail(std::string error);
  // Of the connection in use; 0: none.
  long localPort() const;

  HttpRequest request;
  Transport::Chunk chunk;  // nullptr: no stream
  Transport::Done done;
  HttpResponse response;
  std::string pending;    // of a stream: has come, and waits to be handed on
  bool renewing = false;  // its credentials have been refused once
  bool ended = false;     // `done` was called or will not be
  RequestId id = 0;
  TimerId deadline = 0;
  Time waitsSince;  // since when the next chunk or the answer is waited for

  Credentials::Shared authorization;
  CurlHandle handle;
  CurlList headerList;

  std::function<Time()> clock;
  std::function<void(long localPort)> heard;
  std::function<void()> oldProtocol;  // the server answers with HTTP/1
  std::function<void()> began;        // of a stream: the headers of a success are complete
  std::function<void()> arrived;      // there is something in `pending`, which was empty

 private:
  static std::size_t onHeader(char* data, std::size_t one, std::size_t size, void* self);
  static std::size_t onBody(char* data, std::size_t one, std::size_t size, void* self);
  void takeHeader(std::string_view line);
  void takeBody(std::string_view data);
  void noteHeard();
  int statusNow() const;

  std::string errorText_ = std::string(CURL_ERROR_SIZE, '\0');
};

}  // namespace tidegate::kube
