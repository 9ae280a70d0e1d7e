// The TCP connections libcurl has open: opened with the timeouts below, counted, and cut when their server
// has gone silent.
//
// A peer that has vanished is noticed by the kernel: TCP keep-alive probes after 15 s of silence, and data or
// probes that stay unacknowledged for 30 s end the connection (TCP_USER_TIMEOUT). A server that hangs while
// its kernel still answers is noticed by the deadlines of requests (curl_transport.hpp): with HTTP/2 a
// request that has timed out leaves the connection to all others, so the connection has to be cut by hand.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <set>

namespace tidegate::kube {

class CurlSockets {
 public:
  CurlSockets() = default;
  CurlSockets(const CurlSockets&) = delete;
  CurlSockets& operator=(const CurlSockets&) = delete;

  // Makes the transfer open its connections through here.
  void serve(CURL* transfer);
  // Shuts the connection with that local port down; all its transfers fail.
  void cut(long localPort);

  std::uint64_t opened() const { return opened_; }
  std::size_t open() const { return sockets_.size(); }

 private:
  static curl_socket_t openSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int closeSocket(void* self, curl_socket_t socket);

  std::set<curl_socket_t> sockets_;
  std::uint64_t opened_ = 0;
};

}  // namespace tidegate::kube
