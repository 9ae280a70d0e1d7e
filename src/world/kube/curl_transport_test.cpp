#include "world/kube/curl_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/curl_test_server.hpp"

namespace tidegate::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

// Answers each request with the same bytes.
TestServer::Handler always(std::string bytes) {
  return [bytes = std::move(bytes)](TestPeer& peer, const std::string&) { return peer.write(bytes); };
}

TEST(CurlTransport, TellsStatusBodyAndHeadersInLowerCase) {
  TestServer server(always(answerOf(200, "{}", "Retry-After: 7\r\nX-Empty:\r\n")));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto answer = ask(loop, transport, getOf("/api/v1/pods?limit=1"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{}");
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.headers.at("retry-after"), "7");
  EXPECT_EQ(answer.headers.at("x-empty"), "");
  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, HasSubstr("GET /api/v1/pods?limit=1 HTTP/1.1\r\nHost: " + server.address() + "\r\n"));
  EXPECT_THAT(request, HasSubstr("Accept: application/json\r\n"));
  EXPECT_THAT(request, HasSubstr("Accept-Encoding: gzip\r\n"));
  EXPECT_THAT(request, Not(HasSubstr("Authorization")));
}

TEST(CurlTransport, SendsEveryMethodOnOneConnectionWithItsBody) {
  TestServer server(always(answerOf(200, "")));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  HttpRequest patch{.method = "PATCH", .path = "/p", .body = "{\"a\":1}", .contentType = "application/x"};
  EXPECT_TRUE(ask(loop, transport, patch).ok());
  for (const char* method : {"GET", "DELETE", "POST", "PUT"}) {
    HttpRequest request;
    request.method = method;
    request.path = "/q";
    EXPECT_TRUE(ask(loop, transport, request).ok());
  }
  HttpRequest remove{.method = "DELETE", .path = "/d", .body = "{}", .contentType = "application/json"};
  EXPECT_TRUE(ask(loop, transport, remove).ok());
  const auto requests = server.requests();
  EXPECT_THAT(requests.at(0), testing::StartsWith("PATCH /p "));
  EXPECT_THAT(requests.at(0), HasSubstr("Content-Type: application/x\r\n"));
  EXPECT_THAT(requests.at(0), testing::EndsWith("\r\n\r\n{\"a\":1}"));
  EXPECT_THAT(requests.at(1), testing::StartsWith("GET /q "));
  EXPECT_THAT(requests.at(1), Not(HasSubstr("Content-")));
  EXPECT_THAT(requests.at(2), testing::StartsWith("DELETE /q "));
  EXPECT_THAT(requests.at(2), Not(HasSubstr("Content-")));
  EXPECT_THAT(requests.at(3), HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(requests.at(5), testing::EndsWith("\r\n\r\n{}"));
  EXPECT_EQ(loop.sockets().opened(), 1U);
}

TEST(CurlTransport, ErrorAnswersKeepTheirBody) {
  TestServer server(always(answerOf(409, "{\"kind\":\"Status\"}")));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto answer = ask(loop, transport, getOf("/"));
  EXPECT_EQ(answer.status, 409);
  EXPECT_FALSE(answer.ok());
  EXPECT_EQ(answer.body, "{\"kind\":\"Status\"}");
}

TEST(CurlTransport, UnpacksCompressedAnswers) {
  // gzip of "hello"
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00",
      25);
  TestServer server(always(answerOf(200, packed, "Content-Encoding: gzip\r\n")));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  EXPECT_EQ(ask(loop, transport, getOf("/")).body, "hello");
}

TEST(CurlTransport, NamesServerAndCauseWhenNobodyListens) {
  std::string address;
  ClusterConfig config;
  {
    TestServer server(always(""));
    address = server.address();
    config = server.config();
  }
  CurlLoop loop;
  CurlTransport transport(loop, config);
  const auto answer = ask(loop, transport, getOf("/"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.error, testing::StartsWith(address + ": "));
  EXPECT_THAT(answer.error, HasSubstr("onnect"));
}

TEST(CurlTransport, AnAnswerThatBreaksOffIsNone) {
  TestServer server([](TestPeer& peer, const std::string&) {
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\"");
    return false;
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto answer = ask(loop, transport, getOf("/"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.body, "");
  EXPECT_THAT(answer.error, testing::StartsWith(server.address() + ": "));
}

TEST(CurlTransport, GivesUpAtTheDeadline) {
  TestServer server([](TestPeer& peer, const std::string&) {
    peer.waitForEnd();
    return false;
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  HttpRequest request = getOf("/");
  request.timeout = milliseconds(50);
  const Time start = loop.now();
  const auto answer = ask(loop, transport, request);
  EXPECT_GE(loop.now() - start, milliseconds(50));
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.error, server.address() + ": no answer for 50ms");
  EXPECT_EQ(transport.inFlight(), 0U);
}

TEST(CurlTransport, NeverCallsBackInsideACall) {
  TestServer server(always(answerOf(200, "")));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  bool inside = false;
  int called = 0;
  const auto sendOne = [&](const CurlTransport::Done& done) {
    inside = true;
    transport.send(getOf("/"), done);
    inside = false;
  };
  sendOne([&](HttpResponse) {
    EXPECT_FALSE(inside);
    ++called;
    sendOne([&](const HttpResponse&) {
      EXPECT_FALSE(inside);
      ++called;
      loop.stop();
    });
  });
  EXPECT_EQ(called, 0);
  runBounded(loop);
  EXPECT_EQ(called, 2);
}

TEST(CurlTransport, ACancelledRequestIsNotToldOf) {
  TestServer server([](TestPeer& peer, const std::string& request) {
    if (request.starts_with("GET /slow")) {
      peer.waitForEnd();
      return false;
    }
    return peer.write(answerOf(200, ""));
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto never = [](HttpResponse) { ADD_FAILURE() << "called"; };
  const RequestId early = transport.send(getOf("/early"), never);
  const RequestId slow = transport.send(getOf("/slow"), never);
  transport.cancel(early);
  transport.cancel(early);
  transport.cancel(999);
  transport.send(getOf("/"), [&](HttpResponse) {
    transport.cancel(slow);
    loop.at(loop.now() + milliseconds(5), [&] { loop.stop(); });
  });
  runBounded(loop);
  EXPECT_EQ(transport.inFlight(), 0U);
}

TEST(CurlTransport, CanBeDestroyedWithRequestsOnTheirWay) {
  TestServer server([](TestPeer& peer, const std::string&) {
    peer.waitForEnd();
    return false;
  });
  CurlLoop loop;
  {
    CurlTransport transport(loop, server.config());
    for (int i = 0; i < 3; ++i) transport.send(getOf("/"), [](HttpResponse) { ADD_FAILURE() << "called"; });
    loop.after(milliseconds(5), [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(transport.inFlight(), 3U);
  }
  loop.after(milliseconds(1), [&] { loop.stop(); });
  loop.run();
}

TEST(CurlTransport, KeepsThePathOfTheServer) {
  TestServer server(always(answerOf(200, "")));
  ClusterConfig config = server.config();
  config.server += "/k8s/clusters/c-1/";
  CurlLoop loop;
  CurlTransport transport(loop, config);
  EXPECT_TRUE(ask(loop, transport, getOf("/api")).ok());
  EXPECT_THAT(server.requests().at(0), testing::StartsWith("GET /k8s/clusters/c-1/api HTTP/1.1"));
}

TEST(CurlTransport, AsksAProxyForThePathToTheServer) {
  TestServer proxy(always(answerOf(200, "by proxy")));
  ClusterConfig config;
  config.server = "http://api.example:8080";
  config.proxyUrl = "http://" + proxy.address();
  CurlLoop loop;
  CurlTransport transport(loop, config);
  EXPECT_EQ(ask(loop, transport, getOf("/api")).body, "by proxy");
  EXPECT_THAT(proxy.requests().at(0), testing::StartsWith("GET http://api.example:8080/api HTTP/1.1"));
}

TEST(CurlTransport, SaysOnWhoseBehalfItAsks) {
  TestServer server(always(answerOf(200, "")));
  ClusterConfig config = server.config();
  config.impersonate = {.user = "bob", .uid = "7", .groups = {"a", "b"}, .extra = {{"example.com/x", {"1"}}}};
  CurlLoop loop;
  CurlTransport transport(loop, config);
  ask(loop, transport, getOf("/"));
  EXPECT_THAT(server.requests().at(0),
              HasSubstr("Impersonate-User: bob\r\nImpersonate-Uid: 7\r\nImpersonate-Group: a\r\n"
                        "Impersonate-Group: b\r\nImpersonate-Extra-example.com%2Fx: 1\r\n"));
}

}  // namespace
}  // namespace tidegate::kube
