// The transport with TLS and HTTP/2, against nghttpd (Debian's nghttp2-server), which wants a client
// certificate.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "world/kube/curl_test_certs.hpp"
#include "world/kube/curl_test_server.hpp"

namespace tidegate::kube {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A port nobody listens on just now.
int freePort() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  TIDEGATE_CHECK(bound, "no free port");
  close(probe);
  return ntohs(address.sin_port);
}

class Http2 : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "http2_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ + "/www");
    const auto server = authority_.issue("server", "IP:127.0.0.1,DNS:kubernetes");
    write("server.crt", server.certificate);
    write("server.key", server.key);
    write("www/small", "small");
    write("www/large", std::string(std::size_t{1} << 20, 'x'));
    startServer();
  }
  void TearDown() override {
    if (server_ <= 0) return;
    kill(server_, SIGKILL);
    waitpid(server_, nullptr, 0);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  void startServer() {
    port_ = std::to_string(freePort());
    std::vector<std::string> words{"nghttpd",
                                   "--verify-client",
                                   "-a",
                                   "127.0.0.1",
                                   "-d",
                                   folder_ + "/www",
                                   port_,
                                   folder_ + "/server.key",
                                   folder_ + "/server.crt"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::string path = "PATH=/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin";
    char* environment[] = {path.data(), nullptr};
    int failure = ENOENT;
    for (const char* place : {"/usr/sbin/nghttpd", "/usr/bin/nghttpd", "/usr/local/bin/nghttpd"}) {
      if (failure != 0)
        failure = posix_spawn(&server_, place, nullptr, nullptr, arguments.data(), environment);
    }
    ASSERT_EQ(failure, 0) << "no nghttpd: install nghttp2-server";
    waitForServer();
  }
  void waitForServer() {
    CurlLoop loop;
    CurlTransport transport(loop, config());
    std::function<void()> tryOnce = [&] {
      transport.send(getOf("/small"), [&](const HttpResponse& response) {
        if (response.ok()) {
          loop.stop();
        } else {
          loop.after(milliseconds(10), tryOnce);
        }
      });
    };
    tryOnce();
    runBounded(loop);
  }

  ClusterConfig config() const {
    ClusterConfig out;
    out.server = "https://127.0.0.1:" + port_;
    out.certificateAuthority.data = authority_.pem();
    out.clientCertificate.data = client_.certificate;
    out.clientKey.data = client_.key;
    return out;
  }
  // What comes of one request with a configuration.
  HttpResponse ask(const ClusterConfig& config) {
    CurlLoop loop;
    CurlTransport transport(loop, config);
    return kube::ask(loop, transport, getOf("/small"));
  }

  TestAuthority authority_;
  TestCertificate client_ = authority_.issue("client", "");
  std::string folder_;
  std::string port_;
  pid_t server_ = -1;
};

TEST_F(Http2, TwentyStreamsShareOneConnection) {
  CurlLoop loop;
  CurlTransport transport(loop, config());
  constexpr int kStreams = 20;
  std::vector<std::size_t> got(kStreams, 0);
  int ended = 0;
  for (std::size_t i = 0; i < kStreams; ++i) {
    transport.stream(
        getOf("/large"),
        [&, i](std::string_view piece) {
          got[i] += piece.size();
          return true;
        },
        [&](const HttpResponse& response) {
          EXPECT_EQ(response.status, 200) << response.error;
          EXPECT_THAT(response.headers.at("server"), StartsWith("nghttpd"));
          if (++ended == kStreams) loop.stop();
        });
  }
  runBounded(loop);
  EXPECT_THAT(got, testing::Each(std::size_t{1} << 20));
  EXPECT_TRUE(kube::ask(loop, transport, getOf("/small")).ok());
  EXPECT_EQ(loop.sockets().opened(), 1U);
}

TEST_F(Http2, ABurstBeyondTheServersLimitOfStreamsWaitsForItsTurn) {
  CurlLoop loop;
  CurlTransport transport(loop, config());
  constexpr int kRequests = 1000;
  int answers = 0;
  for (int i = 0; i < kRequests; ++i) {
    transport.send(getOf("/small"), [&](const HttpResponse& response) {
      EXPECT_TRUE(response.ok()) << response.error;
      if (++answers == kRequests) loop.stop();
    });
  }
  runBounded(loop);
  EXPECT_EQ(answers, kRequests);
  EXPECT_LE(loop.sockets().opened(), static_cast<std::uint64_t>(CurlLoop::kSharedConnections));
}

TEST_F(Http2, OthersGoOnWhenTheOneThatConnectsIsCancelled) {
  CurlLoop loop;
  CurlTransport transport(loop, config());
  const auto first = transport.send(getOf("/small"), [](HttpResponse) { ADD_FAILURE() << "called"; });
  int answers = 0;
  for (int i = 0; i < 5; ++i) {
    transport.send(getOf("/small"), [&](const HttpResponse& response) {
      EXPECT_TRUE(response.ok()) << response.error;
      if (++answers == 5) loop.stop();
    });
  }
  loop.at(loop.now(), [&] { loop.at(loop.now(), [&] { transport.cancel(first); }); });
  runBounded(loop);
  EXPECT_EQ(answers, 5);
}

TEST_F(Http2, CertificatesMayStandInFiles) {
  write("ca.crt", authority_.pem());
  write("client.crt", client_.certificate);
  write("client.key", client_.key);
  ClusterConfig files = config();
  files.certificateAuthority = {.data = {}, .file = folder_ + "/ca.crt"};
  files.clientCertificate = {.data = {}, .file = folder_ + "/client.crt"};
  files.clientKey = {.data = {}, .file = folder_ + "/client.key"};
  EXPECT_EQ(ask(files).body, "small");
}

TEST_F(Http2, TheServerWantsAClientCertificate) {
  ClusterConfig without = config();
  without.clientCertificate = {};
  without.clientKey = {};
  const auto answer = ask(without);
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.error, StartsWith("127.0.0.1:" + port_ + ": "));
}

TEST_F(Http2, AnUnknownAuthorityIsRefusedUnlessToldOtherwise) {
  ClusterConfig wrong = config();
  wrong.certificateAuthority.data = TestAuthority().pem();
  EXPECT_THAT(ask(wrong).error, HasSubstr("certificate"));
  wrong.certificateAuthority = {};
  EXPECT_THAT(ask(wrong).error, HasSubstr("certificate"));
  wrong.insecureSkipTlsVerify = true;
  EXPECT_EQ(ask(wrong).body, "small");
}

TEST_F(Http2, TheCertificateMustHaveTheServersName) {
  ClusterConfig named = config();
  named.tlsServerName = "kubernetes";
  EXPECT_EQ(ask(named).body, "small");
  named.tlsServerName = "other";
  EXPECT_THAT(ask(named).error, HasSubstr("other"));
}

TEST_F(Http2, ASilentServerLosesItsConnectionAtTheDeadline) {
  CurlLoop loop;
  CurlTransport transport(loop, config());
  ASSERT_TRUE(kube::ask(loop, transport, getOf("/small")).ok());
  kill(server_, SIGSTOP);
  HttpRequest request = getOf("/small");
  request.timeout = milliseconds(100);
  HttpResponse watched;
  transport.stream(
      getOf("/small"), [](std::string_view) { return true; },
      [&](HttpResponse response) { watched = std::move(response); });
  EXPECT_THAT(kube::ask(loop, transport, request).error, HasSubstr("no answer for 100ms"));
  kill(server_, SIGCONT);
  EXPECT_TRUE(kube::ask(loop, transport, getOf("/small")).ok());
  EXPECT_EQ(loop.sockets().opened(), 2U);
  EXPECT_NE(watched.error, "") << "all others on the connection are told at once";
}

}  // namespace
}  // namespace tidegate::kube
