// In which order commands go, what is repeated, and what events become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "world/kube/commands_fixture.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(CommandsTest, WhatTheServerHasNotLookedAtIsSentAgain) {
  run(bind("p"));
  transport.answer(429, "{}", {{"retry-after", "3"}});
  EXPECT_THAT(transport.pending, IsEmpty());
  EXPECT_EQ(loop.untilNext(), seconds(3));
  loop.step();
  transport.answer(201);
  EXPECT_EQ(outcome(), Outcome::Succeeded);
  EXPECT_EQ(runner->metrics().retries, 1U);
  run(bind("p"));
  for (int i = 0; i < 5; ++i) {
    transport.answer(429);
    if (i < 4) loop.step();
  }
  EXPECT_EQ(outcome(), Outcome::Unknown);  // given up
}

TEST_F(CommandsTest, ReadingIsRepeatedWhateverHappened) {
  run(bind("p"));
  transport.answer(409, kConflict);
  transport.answer(500);
  loop.step();
  EXPECT_EQ(transport.next().method, "GET");
  transport.answer(200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"}})");
  EXPECT_EQ(outcome(), Outcome::Succeeded);
}

TEST_F(CommandsTest, ADeposedLeaderSendsNothing) {
  run(bind("p"));
  transport.answer(409, kConflict);  // a GET is out
  leader = false;
  run(bind("q"));
  run(Signal{"a", "p", "u1", "8080", "/save", "r1", loop.now()});
  loop.settle();
  EXPECT_THAT(done, SizeIs(2));
  for (const CommandDone& each : done) EXPECT_EQ(each.outcome, Outcome::Unknown);
  EXPECT_THAT(transport.pending, SizeIs(1));
  EXPECT_EQ(runner->metrics().fenced, 2U);
}

TEST_F(CommandsTest, RecallsGoBeforeBindsAndBindsBeforeNews) {
  make({.inFlight = 1});
  run(bind("p0"));
  run(Emit{.about = ref("Pod", "v1"), .reason = "R", .message = "m"});
  run(Patch{
      .target = ref("Pod", "v1", "p1"), .uid = {}, .condition = api::Condition{"T", "True", "", "", {}}});
  run(bind("p2"));
  run(bind("p3"));
  run(DeletePod{.namespace_ = "a", .name = "p4", .uid = "u"});
  run(Patch{.target = ref("Pod", "v1", "p5"), .uid = {}, .annotations = {{"k", "v"}}});
  EXPECT_EQ(runner->metrics().queued, 6U);
  std::vector<std::string> order;
  while (!transport.pending.empty()) {
    EXPECT_THAT(transport.pending, SizeIs(1));
    order.push_back(transport.next().path.substr(19));
    transport.answer(200);
  }
  EXPECT_THAT(order, ElementsAre("a/pods/p0/binding", "a/pods/p4", "a/pods/p5", "a/pods/p2/binding",
                                 "a/pods/p3/binding", "a/pods/p1/status", "a/events"));
}

TEST_F(CommandsTest, CommandsOnOneObjectKeepTheirOrder) {
  run(bind("p"));
  run(Patch{.target = ref("Pod", "v1", "p"), .uid = {}, .annotations = {{"k", "1"}}});
  run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u"});
  run(bind("q"));
  EXPECT_THAT(transport.pending, SizeIs(2));
  transport.answer(201);
  EXPECT_THAT(transport.pending.back().request.method, "PATCH");
  transport.answerAt(1, 200);
  loop.settle();
  EXPECT_THAT(transport.pending.back().request.method, "DELETE");
}

TEST_F(CommandsTest, WhatARecallWaitsForOnOneObjectIsAsUrgent) {
  make({.inFlight = 1});
  run(bind("p0"));
  run(bind("p1"));
  run(Patch{
      .target = ref("Pod", "v1", "p2"), .uid = {}, .condition = api::Condition{"T", "True", "", "", {}}});
  run(bind("p2"));
  run(DeletePod{.namespace_ = "a", .name = "p2", .uid = "u"});
  run(bind("p0"));  // behind one that is out
  std::vector<std::string> order;
  while (!transport.pending.empty()) {
    const HttpRequest& request = transport.next();
    order.push_back(request.method + " " + request.path.substr(26));
    transport.answer(200);
    loop.settle();
  }
  EXPECT_THAT(order, ElementsAre("POST p0/binding", "PATCH p2/status", "POST p2/binding", "DELETE p2",
                                 "POST p1/binding", "POST p0/binding"));
  EXPECT_TRUE(runner->idle());
}

TEST_F(CommandsTest, StoppedItCallsNobody) {
  run(bind("p"));
  run(bind("p"));
  runner->stop();
  EXPECT_THAT(transport.pending, IsEmpty());
  EXPECT_TRUE(runner->idle());
  loop.advance(seconds(60));
  EXPECT_THAT(done, IsEmpty());
  run(bind("q"));
  transport.answer(201);
  EXPECT_THAT(done, SizeIs(1));
}

TEST_F(CommandsTest, TheSameEventAgainIsCounted) {
  const Emit emit{.about = ref("Pod", "v1"), .warning = true, .reason = "Recalled", .message = "by r1"};
  run(emit);
  EXPECT_EQ(transport.next().path, "/api/v1/namespaces/a/events");
  EXPECT_THAT(transport.next().body,
              HasSubstr(R"("involvedObject":{"kind":"Pod","apiVersion":"v1","name":"x",)"
                        R"("namespace":"a","uid":"uid-of-x"})"));
  EXPECT_THAT(transport.next().body, HasSubstr(R"("type":"Warning")"));
  transport.answer(201);
  loop.advance(seconds(60));
  run(emit);
  EXPECT_EQ(transport.next().method, "PATCH");
  EXPECT_THAT(transport.next().path, HasSubstr("/api/v1/namespaces/a/events/x."));
  EXPECT_THAT(transport.next().body, HasSubstr(R"({"count":2,"lastTimestamp":)"));
  transport.answer(404);  // somebody has cleaned up
  loop.advance(seconds(60));
  run(emit);
  EXPECT_EQ(transport.next().method, "POST");
  transport.answer(201);
  loop.advance(seconds(700));
  run(emit);
  EXPECT_EQ(transport.next().method, "POST");
}

TEST_F(CommandsTest, NobodyFloodsAnObjectWithEvents) {
  for (int i = 0; i < 30; ++i) {
    run(Emit{.about = ref("Pod", "v1"), .reason = "R", .message = std::to_string(i)});
    if (!transport.pending.empty()) transport.answer(201);
  }
  EXPECT_EQ(outcome(), Outcome::Rejected);
  EXPECT_EQ(transport.sent.size(), 25U);
  run(Emit{.about = ref("Pod", "v1", "other"), .reason = "R", .message = "m"});
  EXPECT_EQ(transport.sent.size(), 26U);
  loop.advance(seconds(300));
  run(Emit{.about = ref("Pod", "v1"), .reason = "R", .message = "later"});
  EXPECT_EQ(transport.sent.size(), 27U);
}

TEST_F(CommandsTest, EventsLeaveRoomForWhatMatters) {
  make({.inFlight = 4, .eventsInFlight = 2});
  for (int i = 0; i < 10; ++i) {
    run(Emit{.about = ref("Pod", "v1", ("p" + std::to_string(i)).c_str()), .reason = "R", .message = "m"});
  }
  EXPECT_THAT(transport.pending, SizeIs(2));
  run(bind("a"));
  run(bind("b"));
  EXPECT_THAT(transport.pending, SizeIs(4)) << "binds need not wait for events";
  transport.answer(201);
  EXPECT_THAT(transport.pending, SizeIs(4)) << "one event answered, the next goes";
  while (!transport.pending.empty()) transport.answer(201);
  loop.settle();
  EXPECT_THAT(done, SizeIs(12));
}

TEST_F(CommandsTest, WhileARecallIsUnderWayTheRestStandsBack) {
  make({.inFlight = 6, .ordinaryInFlight = 4, .besideRecalls = 1});
  for (int i = 0; i < 10; ++i) run(bind(("p" + std::to_string(i)).c_str()));
  EXPECT_THAT(transport.pending, SizeIs(4)) << "there is always room for a recall";
  const auto remove = [this](const char* pod) { run(DeletePod{.namespace_ = "a", .name = pod, .uid = "u"}); };
  for (const char* pod : {"v0", "v1", "v2"}) remove(pod);
  EXPECT_THAT(transport.pending, SizeIs(6));
  for (int i = 0; i < 4; ++i) transport.answer(201);  // the binds that were out
  EXPECT_THAT(transport.pending, SizeIs(4)) << "three deletes and one bind";
  for (int i = 0; i < 3; ++i) transport.answer(200);
  EXPECT_THAT(transport.pending, SizeIs(4)) << "binds again";
  while (!transport.pending.empty()) transport.answer(201);
  loop.settle();
  EXPECT_THAT(done, SizeIs(13));
}

TEST_F(CommandsTest, TellingPodsTheirGroupIsNoPartOfARecall) {
  make({.inFlight = 1});
  run(bind("p0"));
  run(Patch{
      .target = ref("Pod", "v1", "p1"), .uid = {}, .annotations = {{"scheduling.k8s.io/group-name", "g"}}});
  run(DeletePod{.namespace_ = "a", .name = "p2", .uid = "u"});
  transport.answer(201);
  EXPECT_EQ(transport.pending.back().request.method, "DELETE");
}

TEST_F(CommandsTest, EventsOfAStormAreDroppedAndNothingElse) {
  make({.inFlight = 2, .eventsInFlight = 1});
  for (int i = 0; i < 10'000; ++i) {
    run(Emit{.about = ref("Pod", "v1", ("p" + std::to_string(i)).c_str()), .reason = "R", .message = "m"});
  }
  run(bind("q"));
  EXPECT_LE(runner->metrics().queued, 1000U);
  EXPECT_THAT(transport.pending.back().request.path, HasSubstr("/q/binding"));
  while (!transport.pending.empty()) transport.answer(201);
  loop.settle();
  EXPECT_EQ(runner->metrics().kinds.at("Bind").outcomes.at(Outcome::Succeeded), 1U);
  EXPECT_GE(runner->metrics().kinds.at("Emit").outcomes.at(Outcome::Rejected), 8'900U);
}

TEST_F(CommandsTest, CountsOutcomesAndLatencies) {
  run(bind("p"));
  loop.advance(milliseconds(80));
  transport.answer(201);
  const CommandMetrics::Kind& kind = runner->metrics().kinds.at("Bind");
  EXPECT_EQ(kind.outcomes.at(Outcome::Succeeded), 1U);
  EXPECT_NEAR(kind.latencySum, 0.08, 1e-9);
  EXPECT_EQ(kind.latency[4], 1U);
  EXPECT_EQ(std::accumulate(kind.latency.begin(), kind.latency.end(), std::uint64_t{0}), 1U)
      << "in one bucket";
}

}  // namespace
}  // namespace tidegate::kube
