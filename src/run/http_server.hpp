// A small HTTP/1.1 server for health, metrics and what an operator wants to look at: GET only, on a thread of
// its own, so that it accepts connections whatever the loop is doing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/error.hpp"

namespace tidegate::run {

struct Page {
  int status = 200;
  std::string contentType = "text/plain; charset=utf-8";
  std::string body;
};

class HttpServer {
 public:
  // To be called once, from any thread.
  using Answer = std::function<void(Page)>;
  // Called on the server's thread with the path of a request, without its query.
  using Handler = std::function<void(const std::string& path, Answer answer)>;

  // Listens on "address:port" ("0.0.0.0:8080", "[::1]:0"); port 0 takes a free one.
  static Result<std::unique_ptr<HttpServer>> start(const std::string& listen, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Of such an address; the error tells what is wanted.
  static Result<int> portOf(const std::string& listen);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidegate::run
