// Streams of the transport over libcurl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "world/kube/curl_test_server.hpp"

namespace tidegate::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Seen {
  std::string text;
  HttpResponse end;
};

// Runs a stream to its end.
Seen follow(CurlLoop& loop, CurlTransport& transport, const HttpRequest& request) {
  Seen seen;
  transport.stream(
      request,
      [&](std::string_view chunk) {
        EXPECT_FALSE(chunk.empty());
        seen.text += chunk;
        return true;
      },
      [&](HttpResponse response) {
        seen.end = std::move(response);
        loop.stop();
      });
  runBounded(loop);
  return seen;
}

TestServer::Handler streamOf(std::string bytes, bool keep = false) {
  return [bytes = std::move(bytes), keep](TestPeer& peer, const std::string&) {
    peer.write(kStreamHead + bytes);
    if (keep) peer.waitForEnd();
    return !keep;
  };
}

TEST(CurlStream, HandsOnTheBodyAndTellsTheEnd) {
  TestServer server(streamOf(chunkOf("one\n") + chunkOf("two\n") + chunkOf("")));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto seen = follow(loop, transport, getOf("/api/v1/pods?watch=1"));
  EXPECT_EQ(seen.text, "one\ntwo\n");
  EXPECT_EQ(seen.end.status, 200);
  EXPECT_EQ(seen.end.body, "");
  EXPECT_EQ(seen.end.error, "");
  EXPECT_THAT(server.requests().at(0), Not(HasSubstr("gzip"))) << "a compressor would hold events back";
}

TEST(CurlStream, HandsOnEachPieceAsItComes) {
  std::promise<void> taken;
  TestServer server([&](TestPeer& peer, const std::string&) {
    peer.write(kStreamHead + chunkOf("one"));
    EXPECT_EQ(taken.get_future().wait_for(seconds(20)), std::future_status::ready);
    return peer.write(chunkOf("two") + chunkOf(""));
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  std::vector<std::string> pieces;
  transport.stream(
      getOf("/"),
      [&](std::string_view piece) {
        pieces.emplace_back(piece);
        if (pieces.size() == 1) taken.set_value();
        return true;
      },
      [&](HttpResponse) { loop.stop(); });
  runBounded(loop);
  EXPECT_THAT(pieces, testing::ElementsAre("one", "two"));
}

TEST(CurlStream, OneThatBreaksOffKeepsItsStatusAndSaysWhy) {
  TestServer server([](TestPeer& peer, const std::string&) {
    peer.write(kStreamHead + chunkOf("one") + "5\r\ntw");
    return false;
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto seen = follow(loop, transport, getOf("/"));
  EXPECT_EQ(seen.text, "onetw");
  EXPECT_EQ(seen.end.status, 200);
  EXPECT_THAT(seen.end.error, testing::StartsWith(server.address() + ": "));
}

TEST(CurlStream, AnErrorHasItsBodyAndNoChunk) {
  TestServer server([](TestPeer& peer, const std::string&) { return peer.write(answerOf(410, "gone")); });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto seen = follow(loop, transport, getOf("/"));
  EXPECT_EQ(seen.text, "");
  EXPECT_EQ(seen.end.status, 410);
  EXPECT_EQ(seen.end.body, "gone");
  EXPECT_EQ(seen.end.error, "");
}

TEST(CurlStream, TheDeadlineIsThatBetweenTwoChunks) {
  TestServer server([](TestPeer& peer, const std::string&) {
    peer.write(kStreamHead);
    for (int i = 0; i < 3; ++i) {
      usleep(400'000);  // the time that passes is what is tested
      peer.write(chunkOf("x"));
    }
    peer.waitForEnd();
    return false;
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  HttpRequest request = getOf("/");
  request.timeout = seconds(1);
  const Time start = loop.now();
  const auto seen = follow(loop, transport, request);
  EXPECT_EQ(seen.text, std::string(3, 'x'));
  EXPECT_GE(loop.now() - start, milliseconds(3 * 400 + 1000 - 10));
  EXPECT_EQ(seen.end.status, 200);
  EXPECT_EQ(seen.end.error, server.address() + ": nothing heard for 1s");
}

TEST(CurlStream, TheReaderCanEndIt) {
  TestServer server(streamOf(chunkOf("one"), true));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  int chunks = 0;
  HttpResponse end;
  transport.stream(
      getOf("/"),
      [&](std::string_view) {
        ++chunks;
        return false;
      },
      [&](HttpResponse response) {
        end = std::move(response);
        loop.stop();
      });
  runBounded(loop);
  EXPECT_EQ(chunks, 1);
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(transport.inFlight(), 0U);
}

TEST(CurlStream, CanBeCancelledInItsOwnCallback) {
  TestServer server(streamOf(chunkOf("one"), true));
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  RequestId id = 0;
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = held;
  id = transport.stream(
      getOf("/"),
      [&, held = std::move(held)](std::string_view) {
        transport.cancel(id);
        EXPECT_EQ(*held, 7) << "what the callback holds lives while it runs";
        loop.at(loop.now() + milliseconds(5), [&] { loop.stop(); });
        return true;
      },
      [](HttpResponse) { ADD_FAILURE() << "called"; });
  runBounded(loop);
  EXPECT_TRUE(watched.expired());
}

TEST(CurlStream, SendsAndCancelsOthersInItsCallback) {
  TestServer server([](TestPeer& peer, const std::string& request) {
    if (!request.starts_with("GET /watch")) return peer.write(answerOf(200, "sent"));
    peer.write(kStreamHead + chunkOf("one"));
    peer.waitForEnd();
    return false;
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  const auto never = [](HttpResponse) { ADD_FAILURE() << "called"; };
  const RequestId other = transport.stream(getOf("/watch/2"), [](std::string_view) { return true; }, never);
  std::string got;
  transport.stream(
      getOf("/watch/1"),
      [&](std::string_view) {
        transport.cancel(other);
        transport.send(getOf("/list"), [&](HttpResponse response) {
          got = response.body;
          loop.stop();
        });
        return true;
      },
      never);
  runBounded(loop);
  EXPECT_EQ(got, "sent");
}

TEST(CurlStream, WatchesAndRequestsHaveConnectionsOfTheirOwnWithHttp1) {
  TestServer server([](TestPeer& peer, const std::string& request) {
    if (!request.starts_with("GET /watch")) return peer.write(answerOf(200, ""));
    peer.write(kStreamHead + chunkOf("x"));
    peer.waitForEnd();
    return false;
  });
  CurlLoop loop;
  CurlTransport transport(loop, server.config());
  int started = 0;
  for (int i = 0; i < 20; ++i) {
    transport.stream(
        getOf("/watch"),
        [&](std::string_view) {
          if (++started == 20) loop.stop();
          return true;
        },
        [](HttpResponse response) { ADD_FAILURE() << response.error; });
  }
  runBounded(loop);
  EXPECT_TRUE(ask(loop, transport, getOf("/list")).ok());
  EXPECT_EQ(loop.sockets().open(), 21U);
}

}  // namespace
}  // namespace tidegate::kube
