// For tests: an HTTP/1.1 server on 127.0.0.1 whose answers are written by hand, byte by byte if need be, and
// a loop that waits for them with a bound.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "world/kube/curl_loop.hpp"
#include "world/kube/curl_transport.hpp"

namespace tidegate::kube {

// One connection, on a thread of its own.
class TestPeer {
 public:
  explicit TestPeer(int socket) : socket_(socket) {}

  bool write(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // Waits until the client closes the connection or the server ends.
  void waitForEnd() {
    char byte = 0;
    while (recv(socket_, &byte, 1, 0) > 0) continue;
  }
  // The next request with its body; "" at the end.
  std::string readRequest() {
    while (buffer_.find("\r\n\r\n") == std::string::npos) {
      if (!readMore()) return "";
    }
    std::size_t size = buffer_.find("\r\n\r\n") + 4;
    const std::string length = "\r\nContent-Length: ";
    if (const auto at = buffer_.find(length); at < size)
      size += std::stoul(buffer_.substr(at + length.size()));
    while (buffer_.size() < size) {
      if (!readMore()) return "";
    }
    std::string request = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return request;
  }

 private:
  bool readMore() {
    char chunk[4096];
    const ssize_t count = recv(socket_, chunk, sizeof chunk, 0);
    if (count > 0) buffer_.append(chunk, static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  std::string buffer_;
};

// Calls the handler for each request; when it returns false the connection is closed.
class TestServer {
 public:
  using Handler = std::function<bool(TestPeer&, const std::string& request)>;

  explicit TestServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    const bool bound = bind(listener_, reinterpret_cast<sockaddr*>(&address), length) == 0;
    const bool named = getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0;
    TIDEGATE_CHECK(bound && named && listen(listener_, 64) == 0, "no server socket");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { acceptAll(); });
  }
  ~TestServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int socket : sockets_) close(socket);
    close(listener_);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  ClusterConfig config() const {
    ClusterConfig out;
    out.server = "http://" + address();
    return out;
  }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void acceptAll() {
    for (int peer = 0; (peer = accept(listener_, nullptr, nullptr)) >= 0;) {
      const std::lock_guard lock(mutex_);
      sockets_.push_back(peer);
      threads_.emplace_back([this, peer] { serve(peer); });
    }
  }
  void serve(int socket) {
    TestPeer peer(socket);
    for (std::string request; !(request = peer.readRequest()).empty();) {
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      if (!handler_(peer, request)) break;
    }
    shutdown(socket, SHUT_RDWR);
  }

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;
  std::vector<int> sockets_;
  std::list<std::thread> threads_;
  std::vector<std::string> requests_;
};

inline std::string answerOf(int status, const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
inline std::string chunkOf(const std::string& text) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx", text.size());
  return std::string(size) + "\r\n" + text + "\r\n";
}
inline const std::string kStreamHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// Runs the loop until stop(), and fails the test if that takes too long.
inline void runBounded(CurlLoop& loop) {
  const TimerId bound = loop.after(seconds(20), [&] {
    ADD_FAILURE() << "nothing came in 20 s";
    loop.stop();
  });
  loop.run();
  loop.cancel(bound);
}

// Sends one request and waits for its answer.
inline HttpResponse ask(CurlLoop& loop, CurlTransport& transport, HttpRequest request) {
  HttpResponse got;
  transport.send(std::move(request), [&](HttpResponse response) {
    got = std::move(response);
    loop.stop();
  });
  runBounded(loop);
  return got;
}
inline HttpRequest getOf(const std::string& path) {
  HttpRequest request;
  request.path = path;
  return request;
}

}  // namespace tidegate::kube
