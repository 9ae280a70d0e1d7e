// Credentials, and what the transport does with them when the server refuses.
#include "world/kube/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "world/kube/credentials_exec.hpp"
#include "world/kube/curl_test_server.hpp"

namespace tidegate::kube {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The Authorization of a request; "" if there is none.
std::string authorizationOf(const std::string& request) {
  const std::string name = "\r\nAuthorization: ";
  const auto at = request.find(name);
  if (at == std::string::npos) return "";
  const auto begin = at + name.size();
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() {
    folder_ = testing::TempDir() + "credentials_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  // As the kubelet does: what is read is the old file or the new one.
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "new") << text;
    std::filesystem::rename(folder_ + "new", folder_ + name);
  }
  std::string writeScript(const std::string& text) {
    write("plugin", "#!/bin/sh\n" + text);
    chmod((folder_ + "plugin").c_str(), 0755);
    return folder_ + "plugin";
  }
  ClusterConfig withPlugin(const std::string& script) {
    ClusterConfig config = server_.config();
    config.exec.emplace();
    config.exec->apiVersion = "client.authentication.k8s.io/v1";
    config.exec->command = writeScript(script);
    config.exec->environment = {{"PATH", "/usr/bin:/bin"}, {"FOLDER", folder_}};
    return config;
  }
  std::vector<std::string> sent() {
    std::vector<std::string> out;
    for (const std::string& request : server_.requests()) out.push_back(authorizationOf(request));
    return out;
  }

  std::string folder_;
  std::atomic<bool> refuseAll_ = false;
  // Accepts all tokens but "old".
  TestServer server_{[this](TestPeer& peer, const std::string& request) {
    const bool refused = refuseAll_ || authorizationOf(request) == "Bearer old";
    return peer.write(refused ? answerOf(401, "no") : answerOf(200, "yes"));
  }};
  CurlLoop loop_;
};

// Prints a token: the n-th of $TOKENS for the n-th run, and then the last one.
const std::string kPlugin = R"(echo run >> "$FOLDER/runs"
n=$(wc -l < "$FOLDER/runs")
token=$(echo $TOKENS | cut -d ' ' -f "$n")
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"%s}}' \
  "$token" "$EXTRA"
)";

TEST_F(CredentialsTest, TokensAndPasswordsStandInEachRequest) {
  ClusterConfig config = server_.config();
  config.token = "abc";
  CurlTransport withToken(loop_, config);
  EXPECT_TRUE(ask(loop_, withToken, getOf("/")).ok());
  config.token.clear();
  config.username = "me";
  config.password = "pw";
  CurlTransport withPassword(loop_, config);
  EXPECT_TRUE(ask(loop_, withPassword, getOf("/")).ok());
  EXPECT_THAT(sent(), testing::ElementsAre("Bearer abc", "Basic bWU6cHc="));
}

TEST_F(CredentialsTest, AFixedTokenThatIsRefusedIsNotTriedAgain) {
  ClusterConfig config = server_.config();
  config.token = "old";
  CurlTransport transport(loop_, config);
  const auto answer = ask(loop_, transport, getOf("/"));
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "no");
  EXPECT_EQ(server_.requests().size(), 1U);
}

TEST_F(CredentialsTest, ATokenFileIsReadAgainAtOnceAfterARefusal) {
  write("token", "old\n");
  ClusterConfig config = server_.config();
  config.tokenFile = folder_ + "token";
  CurlTransport transport(loop_, config);
  EXPECT_EQ(ask(loop_, transport, getOf("/")).status, 401) << "the file has not changed";
  write("token", "new\n");
  EXPECT_EQ(ask(loop_, transport, getOf("/")).body, "yes");
  EXPECT_EQ(ask(loop_, transport, getOf("/")).body, "yes");
  EXPECT_THAT(sent(), testing::ElementsAre("Bearer old", "Bearer old", "Bearer new", "Bearer new"));
}

TEST_F(CredentialsTest, AStreamIsTriedAgainToo) {
  write("token", "old");
  ClusterConfig config = server_.config();
  config.tokenFile = folder_ + "token";
  CurlTransport transport(loop_, config);
  EXPECT_EQ(ask(loop_, transport, getOf("/")).status, 401);
  write("token", "new");
  std::string text;
  transport.stream(
      getOf("/"),
      [&](std::string_view piece) {
        text += piece;
        return true;
      },
      [&](const HttpResponse& response) {
        EXPECT_EQ(response.status, 200);
        EXPECT_EQ(response.body, "");
        loop_.stop();
      });
  runBounded(loop_);
  EXPECT_EQ(text, "yes");
}

TEST_F(CredentialsTest, WithoutAReadableTokenFileNothingIsSent) {
  ClusterConfig config = server_.config();
  config.tokenFile = folder_ + "token";
  CurlTransport transport(loop_, config);
  const auto answer = ask(loop_, transport, getOf("/"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.error,
            server_.address() + ": " + folder_ + "token: cannot be opened: No such file or directory");
  config.token = "spare";
  CurlTransport withSpare(loop_, config);
  EXPECT_TRUE(ask(loop_, withSpare, getOf("/")).ok());
  EXPECT_THAT(sent(), testing::ElementsAre("Bearer spare"));
}

TEST_F(CredentialsTest, APluginRunsOnceForAllAndItsTokenIsKept) {
  ClusterConfig config = withPlugin(kPlugin);
  config.exec->environment["TOKENS"] = "one two";
  CurlTransport transport(loop_, config);
  int answers = 0;
  for (int i = 0; i < 5; ++i) {
    transport.send(getOf("/"), [&](const HttpResponse& response) {
      EXPECT_TRUE(response.ok()) << response.error;
      if (++answers == 5) loop_.stop();
    });
  }
  runBounded(loop_);
  EXPECT_TRUE(ask(loop_, transport, getOf("/")).ok());
  EXPECT_THAT(sent(), testing::Each("Bearer one"));
  EXPECT_EQ(sent().size(), 6U);
}

TEST_F(CredentialsTest, APluginRunsAgainAfterARefusal) {
  ClusterConfig config = withPlugin(kPlugin);
  config.exec->environment["TOKENS"] = "old new newer";
  CurlTransport transport(loop_, config);
  EXPECT_EQ(ask(loop_, transport, getOf("/")).body, "yes");
  EXPECT_THAT(sent(), testing::ElementsAre("Bearer old", "Bearer new"));
  refuseAll_ = true;
  EXPECT_EQ(ask(loop_, transport, getOf("/")).status, 401) << "tried once more, and no further";
  EXPECT_EQ(sent().size(), 4U);
}

TEST_F(CredentialsTest, APluginRunsAgainWhenItsCredentialsExpire) {
  ClusterConfig config = withPlugin(kPlugin);
  config.exec->environment["TOKENS"] = "one two three";
  config.exec->environment["EXTRA"] = R"(,"expirationTimestamp":"2020-01-01T00:00:00Z")";
  CurlTransport transport(loop_, config);
  EXPECT_TRUE(ask(loop_, transport, getOf("/")).ok());
  EXPECT_TRUE(ask(loop_, transport, getOf("/")).ok());
  EXPECT_THAT(sent(), testing::ElementsAre("Bearer one", "Bearer two"));
}

TEST_F(CredentialsTest, TheLoopGoesOnWhileAPluginRuns) {
  ClusterConfig config = withPlugin("while [ ! -e \"$FOLDER/go\" ]; do sleep 0.01; done\n" + kPlugin);
  config.exec->environment["TOKENS"] = "one";
  CurlTransport transport(loop_, config);
  int ticks = 0;
  std::function<void()> tick = [&] {
    if (++ticks == 5) write("go", "");
    loop_.after(milliseconds(2), tick);
  };
  tick();
  EXPECT_TRUE(ask(loop_, transport, getOf("/")).ok());
  EXPECT_GE(ticks, 5);
}

TEST_F(CredentialsTest, AFailedPluginIsToldOfWithWhatItSaid) {
  ClusterConfig config = withPlugin("echo first >&2; echo 'please log in' >&2; exit 3\n");
  CurlTransport transport(loop_, config);
  const auto answer = ask(loop_, transport, getOf("/"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.error,
            server_.address() + ": credential plugin " + folder_ + "plugin: exit code 3: please log in");
  config.exec->command = "no-such-plugin";
  config.exec->installHint = "install it\n";
  CurlTransport without(loop_, config);
  EXPECT_EQ(ask(loop_, without, getOf("/")).error,
            server_.address() + ": credential plugin no-such-plugin: No such file or directory (install it)");
}

TEST_F(CredentialsTest, ARequestDoesNotWaitForAPluginBeyondItsDeadline) {
  const ClusterConfig config = withPlugin("exec sleep 100\n");
  CurlTransport transport(loop_, config);
  HttpRequest request = getOf("/");
  request.timeout = milliseconds(50);
  EXPECT_THAT(ask(loop_, transport, request).error, HasSubstr("no answer for 50ms"));
}

TEST(Process, IsKilledWhenItTakesTooLong) {
  CurlLoop loop;
  ProcessResult got;
  std::unique_ptr<Process> process;
  ProcessSpec spec{.command = "/bin/sh", .args = {"-c", "echo out; exec sleep 100"}, .environment = {}};
  spec.environment = {{"PATH", "/usr/bin:/bin"}};
  spec.timeout = milliseconds(300);
  process = std::make_unique<Process>(loop, spec, [&](ProcessResult result) {
    got = std::move(result);
    process.reset();
    loop.stop();
  });
  runBounded(loop);
  EXPECT_EQ(got.exitCode, -1);
  EXPECT_EQ(got.problem, "took too long and was killed");
}

TEST(ExecAnswer, IsReadAndJudged) {
  const std::string head = R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential")";
  const std::string version = "client.authentication.k8s.io/v1";
  const auto read = [&](const std::string& text) {
    const auto answer = readExecAnswer(text, version);
    return answer ? "header " + answer->authorization.header : answer.error().text();
  };
  EXPECT_EQ(read(head + R"(,"status":{"token":"t"}})"), "header Bearer t");
  EXPECT_EQ(read(head + R"(,"status":{"clientCertificateData":"c","clientKeyData":"k"}})"), "header ");
  EXPECT_EQ(read(""), "it did not print one ExecCredential");
  EXPECT_EQ(read("{\"kind\":\"Pod\"}"), "it printed kind \"Pod\", want ExecCredential");
  EXPECT_EQ(read(R"({"kind":"ExecCredential","apiVersion":"x/v1"})"),
            "it printed apiVersion \"x/v1\", want client.authentication.k8s.io/v1");
  EXPECT_EQ(read(head + "}"), "its ExecCredential has no status");
  EXPECT_EQ(read(head + R"(,"status":{}})"), "status has neither token nor clientCertificateData");
  EXPECT_THAT(read(head + R"(,"status":{"clientKeyData":"k"}})"), HasSubstr("one is missing"));
  EXPECT_THAT(read(head + R"(,"status":{"token":"t","expirationTimestamp":"soon"}})"),
              StartsWith("status.expirationTimestamp: "));
  EXPECT_THAT(read("{"), StartsWith("its output:1:"));
}

TEST(ExecInfo, DescribesTheClusterIfThePluginWantsIt) {
  ClusterConfig config;
  config.server = "https://h";
  config.certificateAuthority.data = "foo";
  config.tlsServerName = "n";
  config.exec.emplace();
  config.exec->apiVersion = "client.authentication.k8s.io/v1beta1";
  EXPECT_EQ(execInfo(config), R"({"kind":"ExecCredential","apiVersion":)"
                              R"("client.authentication.k8s.io/v1beta1","spec":{"interactive":false}})");
  config.exec->provideClusterInfo = true;
  config.exec->clusterExtension = R"({"a":1})";
  EXPECT_THAT(execInfo(config), HasSubstr(R"("cluster":{"server":"https://h","tls-server-name":"n",)"
                                          R"("certificate-authority-data":"Zm9v","config":{"a":1}})"));
}

}  // namespace
}  // namespace tidegate::kube
