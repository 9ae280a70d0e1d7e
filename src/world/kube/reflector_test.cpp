#include "world/kube/reflector.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "world/kube/fake_transport.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string pod(const std::string& name, int version, const std::string& uid = "") {
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"a","uid":"{}","resourceVersion":"{}"}}}})",
                     name, uid.empty() ? "u-" + name : uid, version);
}

std::string podList(int version, const std::string& items, const std::string& token = "") {
  return fmt::format(R"({{"metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})", version,
                     token, items);
}

std::string event(const char* type, const std::string& object) {
  return fmt::format(R"({{"type":"{}","object":{}}})", type, object) + "\n";
}

std::string bookmark(int version, bool end = false) {
  return event("BOOKMARK", fmt::format(R"({{"metadata":{{"resourceVersion":"{}"{}}}}})", version,
                                       end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : ""));
}

const char* const kExpired = R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})";

class ReflectorTest : public testing::Test {
 protected:
  Reflector& make(ReflectorOptions options = {}) {
    const ReflectorSink sink{.event = [this](const Event& event) { told(event); },
                             .state = [this](ReflectorState state) { states.push_back(state); },
                             .warning = [this](const std::string& text) { warnings.push_back(text); }};
    reflector.emplace(Reflector::Services{loop, transport}, resourceOf<api::Pod>(), std::move(options), sink,
                      Rng{7});
    reflector->start();
    return *reflector;
  }
  void told(const Event& event) {
    if (const auto* seen = std::get_if<ObjectSeen>(&event)) {
      const auto& metadata = api::metadataOf(seen->object);
      log.push_back("+" + metadata.name + "@" + metadata.resourceVersion);
    } else {
      const auto& gone = std::get<ObjectGone>(event);
      EXPECT_EQ(gone.ref.kind, "Pod");
      EXPECT_EQ(gone.ref.namespace_, "a");
      log.push_back("-" + gone.ref.name + "/" + gone.uid);
    }
    if (onEvent) onEvent();
  }
  // Lists p0 and p1 at version 10 and is left with its watch open.
  Reflector& synced(ReflectorOptions options = {}) {
    make(std::move(options));
    transport.answer(200, podList(10, pod("p0", 3) + "," + pod("p1", 4)));
    log.clear();
    return *reflector;
  }
  std::vector<std::string> takeLog() { return std::exchange(log, {}); }

  ManualLoop loop;
  FakeTransport transport;
  std::optional<Reflector> reflector;
  std::vector<std::string> log;
  std::vector<ReflectorState> states;
  std::vector<std::string> warnings;
  std::function<void()> onEvent;
};

TEST_F(ReflectorTest, ListsInPagesThenWatches) {
  make();
  EXPECT_EQ(transport.next().path, "/api/v1/pods?limit=500");
  transport.answer(200, podList(10, pod("p0", 3), "a/b="));
  EXPECT_EQ(transport.next().path, "/api/v1/pods?limit=500&continue=a%2Fb%3D");
  EXPECT_FALSE(reflector->synced());
  transport.answer(200, podList(10, pod("p1", 4)));
  EXPECT_TRUE(reflector->synced());
  EXPECT_THAT(takeLog(), ElementsAre("+p0@3", "+p1@4"));
  EXPECT_THAT(states, ElementsAre(ReflectorState::Synced));
  EXPECT_THAT(transport.next().path, HasSubstr("watch=true&allowWatchBookmarks=true&timeoutSeconds="));
  EXPECT_THAT(transport.next().path, HasSubstr("&resourceVersion=10"));
  EXPECT_EQ(transport.next().timeout, seconds(900));
  EXPECT_EQ(reflector->uidOf("a", "p1"), "u-p1");
  EXPECT_EQ(reflector->size(), 2U);
}

TEST_F(ReflectorTest, TellsChangesAndGoesOnFromTheLastVersion) {
  synced();
  transport.chunk(event("MODIFIED", pod("p0", 11)) + event("DELETED", pod("p1", 12)) +
                  event("ADDED", pod("p2", 13)));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@11", "-p1/u-p1", "+p2@13"));
  transport.chunk(bookmark(20));
  loop.advance(seconds(300));
  transport.answer(200, "");
  loop.settle();
  EXPECT_THAT(transport.next().path, HasSubstr("&resourceVersion=20"));
  EXPECT_EQ(reflector->stats().lists, 1U);
  EXPECT_EQ(reflector->stats().events, 3U);
}

TEST_F(ReflectorTest, WhatIsToldTwiceIsTakenOnce) {
  synced();
  transport.chunk(event("MODIFIED", pod("p0", 11)) + event("MODIFIED", pod("p0", 11)) +
                  event("DELETED", pod("p0", 12)) + event("DELETED", pod("p0", 12)));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@11", "-p0/u-p0"));
}

TEST_F(ReflectorTest, AfterALostHistoryTheNextListTellsTheDifference) {
  synced();
  loop.advance(seconds(20));
  transport.answer(410, kExpired);
  loop.settle();
  EXPECT_EQ(transport.next().path, "/api/v1/pods?limit=500");
  transport.answer(200, podList(30, pod("p0", 3) + "," + pod("p1", 25, "other") + "," + pod("p2", 26)));
  EXPECT_THAT(takeLog(), ElementsAre("-p1/u-p1", "+p1@25", "+p2@26"));
  transport.chunk(event("ERROR", kExpired));
  loop.advance(seconds(2));
  transport.answer(200, podList(40, pod("p2", 26)));
  EXPECT_THAT(takeLog(), ElementsAre("-p0/u-p0", "-p1/other"));
  EXPECT_EQ(reflector->stats().lists, 3U);
}

TEST_F(ReflectorTest, AnExpiredContinueTokenMeansAListInOnePiece) {
  make();
  transport.answer(200, podList(10, pod("p0", 3), "t"));
  transport.answer(410, kExpired);
  EXPECT_EQ(transport.next().path, "/api/v1/pods?limit=0");
  transport.answer(200, podList(12, pod("p1", 4)));
  EXPECT_TRUE(reflector->synced());
  EXPECT_THAT(takeLog(), ElementsAre("+p0@3", "+p1@4", "-p0/u-p0"));
}

TEST_F(ReflectorTest, AKindThatIsNotInstalledIsAbsentAndLookedForSlowly) {
  make();
  transport.answer(404, "404 page not found");
  EXPECT_TRUE(reflector->synced());
  EXPECT_THAT(states, ElementsAre(ReflectorState::Absent));
  EXPECT_EQ(loop.untilNext(), seconds(30));
  loop.step();
  transport.answer(200, podList(10, pod("p0", 3)));
  EXPECT_THAT(states, ElementsAre(ReflectorState::Absent, ReflectorState::Synced));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@3"));
}

TEST_F(ReflectorTest, OneNotFoundDoesNotRemoveWhatThereIs) {
  synced();
  transport.answer(404);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(takeLog(), IsEmpty());
    EXPECT_EQ(reflector->state(), ReflectorState::Synced);
    loop.step();
    transport.answer(404);
  }
  EXPECT_THAT(takeLog(), ElementsAre("-p0/u-p0", "-p1/u-p1"));
  EXPECT_EQ(reflector->state(), ReflectorState::Absent);
}

TEST_F(ReflectorTest, RefusalIsToldAndRetried) {
  make();
  transport.answer(403, R"({"kind":"Status","code":403,"message":"pods is forbidden"})");
  EXPECT_FALSE(reflector->synced());
  EXPECT_THAT(states, ElementsAre(ReflectorState::Refused));
  EXPECT_THAT(warnings, ElementsAre("pods: HTTP 403: pods is forbidden"));
  loop.step();
  transport.answer(200, podList(10, ""));
  EXPECT_TRUE(reflector->synced());
}

TEST_F(ReflectorTest, WaitsLongerAndLongerWithinBounds) {
  make();
  Duration last{};
  for (int i = 0; i < 12; ++i) {
    transport.answer(i % 2 == 0 ? 500 : 0);
    const Duration wait = loop.untilNext().value();
    EXPECT_GE(wait, std::min<Duration>(milliseconds(800) * (1 << i), seconds(30)));
    EXPECT_LE(wait, std::min<Duration>(milliseconds(1600) * (1 << i), seconds(30)));
    EXPECT_GE(wait, last);
    last = wait;
    loop.step();
  }
}

TEST_F(ReflectorTest, DoesAsRetryAfterSays) {
  make();
  transport.answer(429, "{}", {{"retry-after", "17"}});
  EXPECT_EQ(loop.untilNext(), seconds(17));
  loop.step();
  transport.answer(200, podList(10, ""));
  transport.answer(503, "", {{"retry-after", "9"}});
  EXPECT_EQ(loop.untilNext(), seconds(9));
  loop.step();
  EXPECT_THAT(transport.next().path, HasSubstr("&resourceVersion=10"));
}

TEST_F(ReflectorTest, AnUnreadableObjectIsNotTakenForGone) {
  synced();
  const std::string odd =
      R"({"metadata":{"name":"p0","namespace":"a","uid":"u-p0","resourceVersion":"31"},"spec":7})";
  transport.chunk(event("MODIFIED", odd));
  EXPECT_THAT(warnings, ElementsAre("pods a/p0 is left out: spec: want a map, got a number"));
  loop.advance(seconds(20));
  transport.answer(410);
  loop.settle();
  transport.answer(200, podList(40, odd + "," + pod("p1", 4)));
  EXPECT_THAT(takeLog(), IsEmpty());
  EXPECT_EQ(reflector->stats().unreadable, 2U);
  transport.chunk(event("MODIFIED", pod("p0", 41)) + event("DELETED", odd));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@41", "-p0/u-p0"));
}

TEST_F(ReflectorTest, AWatchThatBreaksIsTakenUpWhereItWas) {
  synced();
  transport.chunk(event("ADDED", pod("p2", 11)) + R"({"type":"ADDED","obj)");
  loop.advance(seconds(60));
  transport.answer(0);
  EXPECT_EQ(loop.untilNext(), Duration{});  // after a good while at once
  loop.step();
  EXPECT_THAT(transport.next().path, HasSubstr("&resourceVersion=11"));
  transport.breakOff();
  EXPECT_GE(loop.untilNext().value(), milliseconds(800));  // else with a pause
  loop.step();
  transport.chunk("no json\n");
  EXPECT_GE(loop.untilNext().value(), milliseconds(800));
  loop.step();
  EXPECT_THAT(transport.next().path, HasSubstr("&resourceVersion=11"));
  EXPECT_EQ(reflector->stats().lists, 1U);
}

TEST_F(ReflectorTest, ListsAsEventsWhereAskedTo) {
  make({.watchList = true});
  EXPECT_THAT(transport.next().path, HasSubstr("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
  transport.chunk(event("ADDED", pod("p1", 9)) + event("ADDED", pod("p0", 3)));
  EXPECT_FALSE(reflector->synced());
  transport.chunk(bookmark(10, true));
  EXPECT_TRUE(reflector->synced());
  transport.chunk(event("MODIFIED", pod("p0", 12)));
  EXPECT_THAT(takeLog(), ElementsAre("+p1@9", "+p0@3", "+p0@12"));
  loop.advance(seconds(20));
  transport.answer(410);
  loop.settle();
  transport.chunk(event("ADDED", pod("p0", 12)) + bookmark(20, true));
  EXPECT_THAT(takeLog(), ElementsAre("-p1/u-p1"));
}

TEST_F(ReflectorTest, FromVersionZeroNoWatchGoesOn) {
  make();
  transport.answer(200, podList(0, ""));
  transport.chunk(event("ADDED", pod("p0", 32)) + event("ADDED", pod("p1", 28)));
  loop.advance(seconds(60));
  transport.answer(200, "");
  loop.settle();
  EXPECT_EQ(transport.next().path, "/api/v1/pods?limit=500") << "from 28, p0's past would be told";
}

TEST_F(ReflectorTest, AListAsEventsThatBreaksStartsAgain) {
  make({.watchList = true});
  transport.chunk(event("ADDED", pod("p0", 3)) + bookmark(4));
  loop.advance(seconds(60));
  transport.answer(0);
  EXPECT_GE(loop.untilNext().value(), milliseconds(800));
  loop.step();
  EXPECT_THAT(transport.next().path, HasSubstr("sendInitialEvents"));
  transport.chunk(event("ADDED", pod("p1", 5)) + bookmark(10, true));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@3", "+p1@5", "-p0/u-p0"));
}

TEST_F(ReflectorTest, AnOlderServerIsListedInPages) {
  make({.watchList = true});
  transport.answer(422, R"({"kind":"Status","code":422,"message":"sendInitialEvents is forbidden"})");
  EXPECT_EQ(transport.next().path, "/api/v1/pods?limit=500");
}

TEST_F(ReflectorTest, StoppedFromInsideItSaysNothingMore) {
  make();
  onEvent = [this] { reflector->stop(); };
  transport.answer(200, podList(10, pod("p0", 3) + "," + pod("p1", 4)));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@3"));
  EXPECT_THAT(states, IsEmpty());
  EXPECT_THAT(transport.pending, IsEmpty());
  EXPECT_EQ(loop.timers(), 0U);
  onEvent = {};
  reflector->start();
  transport.answer(200, podList(10, pod("p0", 3) + "," + pod("p1", 4)));
  EXPECT_THAT(takeLog(), ElementsAre("+p0@3", "+p1@4"));
  transport.chunk(event("ADDED", pod("p2", 11)));
  reflector->stop();
  EXPECT_THAT(transport.pending, IsEmpty());
}

TEST_F(ReflectorTest, OnlyWhatIsAskedFor) {
  make({.onlyNamespace = "ns", .fieldSelector = "metadata.name=conf", .pageSize = 0});
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/ns/pods?limit=0&fieldSelector=metadata.name%3Dconf");
}

// Any cut of the same bytes gives the same events.
RC_GTEST_FIXTURE_PROP(ReflectorTest, CutsDoNotMatter, ()) {
  transport = {};
  log.clear();
  synced();
  std::string text;
  std::vector<std::string> expected;
  for (int version = 11; version < 20; ++version) {
    const std::string name = fmt::format("q{}", version);
    text += event("ADDED", pod(name, version));
    expected.push_back(fmt::format("+{}@{}", name, version));
  }
  for (std::string_view rest = text; !rest.empty();) {
    const auto length = *rc::gen::inRange<std::size_t>(1, 120);
    transport.chunk(rest.substr(0, length));
    rest.remove_prefix(std::min(length, rest.size()));
  }
  RC_ASSERT(takeLog() == expected);
}

}  // namespace
}  // namespace tidegate::kube
