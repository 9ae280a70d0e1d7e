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
#include <map>
#include <set>

#include "core/time.hpp"

namespace tidegate::kube {

class CurlSockets {
 public:
  CurlSockets() = default;
  CurlSockets(const CurlSockets&) = delete;
  CurlSockets& operator=(const CurlSockets&) = delete;

  // Makes the transfer open its connections through here.
  void serve(CURL* transfer);
  // Something has come in on the connection with that local port (0: none yet).
  void heard(long localPort, Time now);
  // Shuts the connection down if nothing has come in on it since; all its transfers fail.
  void cutIfSilent(long localPort, Time since);

  std::uint64_t opened() const { return opened_; }
  std::size_t open() const { return sockets_.size(); }

 private:
  static curl_socket_t openSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int closeSocket(void* self, curl_socket_t socket);

  std::set<curl_socket_t> sockets_;
  std::map<long, Time> heard_;  // by local port
  std::uint64_t opened_ = 0;
};

}  // namespace tidegate::kube
