#include "run/http_server.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

namespace tidegate::run {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::chrono::seconds kIdle{30};    // a connection that says nothing is closed
constexpr std::chrono::seconds kAnswer{10};  // an answer that takes longer is not waited for
constexpr std::size_t kMostHeader = 16384;

// One connection. Lives as long as one of its operations.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, HttpServer::Handler& handler) : stream_(std::move(socket)), handler_(handler) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(0);
    stream_.expires_after(kIdle);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       error ? self->close() : self->serve();
                     });
  }

 private:
  void serve() {
    const auto& request = parser_->get();
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return write({.status = 405, .body = "only GET is served here\n"});
    }
    std::string path(request.target().substr(0, request.target().find('?')));
    stream_.expires_after(kAnswer);
    handler_(path, [self = shared_from_this()](Page page) {
      asio::post(self->stream_.get_executor(),
                 [self, page = std::move(page)]() mutable { self->write(std::move(page)); });
    });
  }

  void write(Page page) {
    const auto& request = parser_->get();
    response_ = {static_cast<http::status>(page.status), request.version()};
    response_.set(http::field::content_type, page.contentType);
    response_.keep_alive(request.keep_alive());
    response_.body() = std::move(page.body);
    response_.prepare_payload();
    if (request.method() == http::verb::head) response_.body().clear();
    stream_.expires_after(kIdle);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      error || !self->response_.keep_alive() ? self->close() : self->read();
    });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  HttpServer::Handler& handler_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

Result<tcp::endpoint> parseEndpoint(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  std::string host = listen.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* end = listen.data() + listen.size();
  const auto number = std::from_chars(listen.data() + colon + 1, end, port);
  beast::error_code error;
  const auto address = asio::ip::make_address(host.empty() ? "0.0.0.0" : host, error);
  if (colon == std::string::npos || number.ec != std::errc{} || number.ptr != end || error) {
    return fail(fmt::format("want an IP address and a port, such as 0.0.0.0:8080, got \"{}\"", listen));
  }
  return tcp::endpoint(address, port);
}

}  // namespace

Result<int> HttpServer::portOf(const std::string& listen) {
  TIDEGATE_TRY(const tcp::endpoint endpoint, parseEndpoint(listen));
  return endpoint.port();
}

class HttpServer::Impl {
 public:
  explicit Impl(Handler handler) : handler_(std::move(handler)) {}
  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  beast::error_code open(const tcp::endpoint& endpoint) {
    beast::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return error;
    accept();
    thread_ = std::thread([this] { context_.run(); });
    return {};
  }

  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (!error) std::make_shared<Session>(std::move(socket), handler_)->read();
      if (error != asio::error::operation_aborted) accept();
    });
  }

  Handler handler_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const {
  return impl_->port();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& listen, Handler handler) {
  TIDEGATE_TRY(const tcp::endpoint endpoint, parseEndpoint(listen));
  auto impl = std::make_unique<Impl>(std::move(handler));
  if (const auto error = impl->open(endpoint)) {
    return fail(fmt::format("cannot listen on {}: {}", listen, error.message()));
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

}  // namespace tidegate::run
