#include "run/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

namespace tidegate::run {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;
using testing::StartsWith;

// Sends bytes and reads until the server hangs up.
std::string talk(int port, const std::string& request) {
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)});
  asio::write(socket, asio::buffer(request));
  std::string answer;
  boost::system::error_code end;
  asio::read(socket, asio::dynamic_buffer(answer), end);
  return answer;
}

std::unique_ptr<HttpServer> serve(HttpServer::Handler handler) {
  auto server = HttpServer::start("127.0.0.1:0", std::move(handler));
  EXPECT_TRUE(server.has_value());
  return *std::move(server);
}

const char* const kClose = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST(HttpServer, AnswersWithoutTheQuery) {
  const auto server = serve([](const std::string& path, const HttpServer::Answer& answer) {
    answer({.status = 200, .body = "you asked for " + path});
  });
  EXPECT_THAT(talk(server->port(), std::string("GET /metrics?x=1") + kClose),
              HasSubstr("you asked for /metrics"));
}

TEST(HttpServer, TheAnswerMayComeFromAnotherThread) {
  std::thread later;
  const auto server = serve([&](const std::string&, HttpServer::Answer answer) {
    later = std::thread([answer = std::move(answer)] { answer({.status = 503, .body = "not yet"}); });
  });
  const std::string got = talk(server->port(), std::string("GET /readyz") + kClose);
  later.join();
  EXPECT_THAT(got, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(got, HasSubstr("not yet"));
}

TEST(HttpServer, KeepsAConnectionForFurtherRequests) {
  int asked = 0;
  const auto server = serve([&](const std::string&, const HttpServer::Answer& answer) {
    answer({.body = "answer " + std::to_string(++asked)});
  });
  const std::string both =
      talk(server->port(), std::string("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b") + kClose);
  EXPECT_THAT(both, HasSubstr("answer 1"));
  EXPECT_THAT(both, HasSubstr("answer 2"));
}

TEST(HttpServer, OnlyReads) {
  const auto server = serve([](const std::string&, const HttpServer::Answer& answer) { answer({}); });
  EXPECT_THAT(talk(server->port(), std::string("POST /metrics") + kClose), StartsWith("HTTP/1.1 405"));
}

TEST(HttpServer, NonsenseEndsItsConnectionOnly) {
  const auto server =
      serve([](const std::string&, const HttpServer::Answer& answer) { answer({.body = "fine"}); });
  talk(server->port(), "\x16\x03\x01 this is no HTTP\r\n\r\n");
  EXPECT_THAT(talk(server->port(), std::string("GET /") + kClose), HasSubstr("fine"));
}

TEST(HttpServer, SaysWhatIsWrongWithAnAddress) {
  for (const char* bad : {"8080", "localhost:80", "127.0.0.1:", "127.0.0.1:99999", "[::1]"}) {
    const auto server = HttpServer::start(bad, {});
    ASSERT_FALSE(server.has_value()) << bad;
    EXPECT_THAT(server.error().message, HasSubstr(bad));
  }
}

TEST(HttpServer, SaysThatAPortIsTaken) {
  const auto first = serve({});
  const auto second = HttpServer::start("127.0.0.1:" + std::to_string(first->port()), {});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

}  // namespace
}  // namespace tidegate::run
