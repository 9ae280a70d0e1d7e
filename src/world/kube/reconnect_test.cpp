#include "world/kube/reconnect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/fake_transport.hpp"
#include "world/kube/trouble_log.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReconnectTest : public testing::Test {
 protected:
  void wait(char who, bool unreachable, Duration delay) {
    reconnect.wait({.unreachable = unreachable, .delay = delay}, [this, who] { resumed += who; });
  }
  ManualLoop loop;
  FakeTransport transport;
  Reconnect reconnect{loop, transport, {}, Rng{3}};
  std::string resumed;
};

TEST_F(ReconnectTest, OneProbeForAllAndAllGoOnWhenItIsAnswered) {
  wait('a', true, seconds(30));
  wait('b', true, seconds(25));
  EXPECT_EQ(transport.pending.size(), 1U);
  EXPECT_EQ(transport.next().path, "/version");
  transport.answer(0);
  loop.step();
  transport.answer(503);  // of a proxy with nothing behind it
  loop.step();
  transport.answer(401);  // an answer, if no friendly one
  EXPECT_EQ(resumed, "");
  loop.advance(milliseconds(200));
  EXPECT_THAT(resumed, testing::AnyOf("ab", "ba"));
  loop.advance(seconds(60));
  EXPECT_THAT(transport.pending, IsEmpty());
  EXPECT_EQ(resumed.size(), 2U);
}

TEST_F(ReconnectTest, ProbesAreNeverFarApart) {
  wait('a', true, seconds(30));
  for (int i = 0; i < 20; ++i) {
    transport.answer(0);
    EXPECT_LE(loop.untilNext().value(), seconds(4));
    EXPECT_GE(loop.untilNext().value(), i < 4 ? milliseconds(200) : seconds(2));
    loop.step();
  }
}

TEST_F(ReconnectTest, AServerThatWasThereAllAlongIsNotHurried) {
  wait('a', true, seconds(20));
  transport.answer(200);
  loop.advance(seconds(19));
  EXPECT_EQ(resumed, "");
  loop.advance(seconds(1));
  EXPECT_EQ(resumed, "a");
}

TEST_F(ReconnectTest, WhoIsRefusedGoesOnWhenAnotherGetsThrough) {
  wait('a', false, seconds(20));
  wait('b', true, seconds(20));
  const auto gone = reconnect.wait({.unreachable = false, .delay = seconds(1)}, [this] { resumed += 'x'; });
  reconnect.cancel(gone);
  loop.advance(seconds(10));
  EXPECT_EQ(resumed, "");
  reconnect.gotThrough();
  EXPECT_EQ(resumed, "");
  loop.advance(milliseconds(200));
  EXPECT_THAT(resumed, testing::AnyOf("ab", "ba"));
}

class TroubleLogTest : public testing::Test {
 protected:
  std::vector<std::string> take() { return std::exchange(lines, {}); }
  ManualLoop loop;
  std::vector<std::string> lines;
  TroubleLog log{loop, "server", {.warning = [this](const std::string& text) { lines.push_back(text); }}};
};

TEST_F(TroubleLogTest, EachReasonOnceWhateverItCounts) {
  log.failed("pods", "port 6443 after 0 ms: no");
  log.failed("nodes", "port 6443 after 12 ms: no");
  log.failed("nodes", "port 6444 after 12 ms: no");
  EXPECT_THAT(take(), ElementsAre("server: port 6443 after 0 ms: no; trying again (pods)",
                                  "server: port 6444 after 12 ms: no; trying again (nodes)"));
  loop.advance(seconds(30));
  EXPECT_THAT(take(), ElementsAre("server: not served for 30s: nodes, pods (2 times port 6443 after 12 ms: "
                                  "no; 1 times port 6444 after 12 ms: no)"));
  log.served("pods");
  EXPECT_THAT(take(), IsEmpty());
  log.served("nodes");
  EXPECT_THAT(take(), ElementsAre(HasSubstr("server: served again after 30s (2 times ")));
  loop.advance(seconds(100));
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(TroubleLogTest, WhatComesAndGoesDoesNotFillTheLog) {
  for (int i = 0; i < 100; ++i) {
    log.failed("pods", "broken");
    loop.advance(milliseconds(100));
    log.served("pods");
    loop.advance(milliseconds(900));
  }
  EXPECT_LE(lines.size(), 2U * 4U);
  EXPECT_THAT(lines.at(1), "server: served again after 100ms (1 times broken)");
}

TEST_F(TroubleLogTest, AThousandReasonsAreCounted) {
  for (int i = 0; i < 1000; ++i) log.failed("pods", "object " + std::to_string(i) + " is odd");
  EXPECT_LE(lines.size(), 20U);
  log.served("pods");
  EXPECT_THAT(lines.back(), HasSubstr("980 times other reasons"));
}

}  // namespace
}  // namespace tidegate::kube
