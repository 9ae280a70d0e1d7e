#include "world/kube/curl_sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tidegate::kube {
namespace {

constexpr long kKeepAliveIdleSeconds = 15;
constexpr long kKeepAliveIntervalSeconds = 5;
constexpr unsigned kUserTimeoutMs = 30'000;

// 0 if unknown.
long localPortOf(curl_socket_t socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace

void CurlSockets::serve(CURL* transfer) {
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, &CurlSockets::openSocket);
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(transfer, CURLOPT_CLOSESOCKETFUNCTION, &CurlSockets::closeSocket);
  curl_easy_setopt(transfer, CURLOPT_CLOSESOCKETDATA, this);
  curl_easy_setopt(transfer, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(transfer, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  curl_easy_setopt(transfer, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
}

void CurlSockets::heard(long localPort, Time now) {
  if (localPort != 0) heard_[localPort] = now;
}

void CurlSockets::cutIfSilent(long localPort, Time since) {
  if (localPort == 0) return;
  const auto found = heard_.find(localPort);
  if (found != heard_.end() && found->second >= since) return;
  for (const curl_socket_t socket : sockets_) {
    if (localPortOf(socket) == localPort) shutdown(socket, SHUT_RDWR);
  }
}

curl_socket_t CurlSockets::openSocket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const int type = address->socktype | SOCK_CLOEXEC;
  const curl_socket_t socket = ::socket(address->family, type, address->protocol);
  if (socket == CURL_SOCKET_BAD) return CURL_SOCKET_BAD;
  const unsigned timeout = kUserTimeoutMs;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
  auto& sockets = *static_cast<CurlSockets*>(self);
  sockets.sockets_.insert(socket);
  ++sockets.opened_;
  return socket;
}

int CurlSockets::closeSocket(void* self, curl_socket_t socket) {
  auto& sockets = *static_cast<CurlSockets*>(self);
  sockets.heard_.erase(localPortOf(socket));
  sockets.sockets_.erase(socket);
  return close(socket);
}

}  // namespace tidegate::kube
