#include "brain/demand_gate.hpp"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

const Time kStart = Time{} + std::chrono::hours(1);

scheduler::Decisions asking(std::size_t pods, const std::string& queue = "online") {
  scheduler::Decisions decisions;
  decisions.recalls.resize(1);
  decisions.recalls[0].queue = queue;
  decisions.recalls[0].placements.resize(pods);
  return decisions;
}

struct DemandGateTest : testing::Test {
  DemandGate gate{{.quiet = milliseconds(50), .atMost = milliseconds(200)}};

  bool openAt(int ms, const scheduler::Decisions& decisions) {
    const Time now = kStart + milliseconds(ms);
    gate.look(decisions, now);
    return !gate.closedUntil(decisions.recalls[0], now);
  }
};

TEST_F(DemandGateTest, OpensWhenTheDemandStopsGrowing) {
  EXPECT_FALSE(openAt(0, asking(8)));
  EXPECT_FALSE(openAt(30, asking(9)));
  EXPECT_FALSE(openAt(70, asking(9)));
  EXPECT_TRUE(openAt(80, asking(9)));
}

TEST_F(DemandGateTest, NeverStaysClosedLongerThanTheBound) {
  for (int ms = 0; ms < 200; ms += 20) EXPECT_FALSE(openAt(ms, asking(static_cast<std::size_t>(ms + 1))));
  EXPECT_TRUE(openAt(200, asking(1000)));
}

TEST_F(DemandGateTest, ABurstBeginsWithThePodsThatFoundIdleGpus) {
  for (int ms = 0; ms < 120; ms += 40) {
    gate.bound("online", kStart + milliseconds(ms));
    gate.look({}, kStart + milliseconds(ms));
  }
  for (int ms = 120; ms < 200; ms += 20) EXPECT_FALSE(openAt(ms, asking(static_cast<std::size_t>(ms))));
  EXPECT_TRUE(openAt(200, asking(1000)));
}

TEST_F(DemandGateTest, BindsOfLongAgoAreNoPartOfIt) {
  gate.bound("online", kStart);
  gate.look({}, kStart);
  gate.bound("other", kStart + milliseconds(180));
  for (int ms = 180; ms < 380; ms += 20) EXPECT_FALSE(openAt(ms, asking(static_cast<std::size_t>(ms))));
  EXPECT_TRUE(openAt(380, asking(1000)));
}

TEST_F(DemandGateTest, AQueueThatIsBoundAllTheTimeStillWaitsForItsBurst) {
  for (int ms = 0; ms <= 400; ms += 40) {
    gate.bound("online", kStart + milliseconds(ms));
    gate.look({}, kStart + milliseconds(ms));
  }
  EXPECT_FALSE(openAt(420, asking(1)));
  const auto more = asking(2);
  EXPECT_TRUE(openAt(620, more));
  gate.bound("online", kStart + milliseconds(630));
  gate.begun(more.recalls[0]);
  EXPECT_FALSE(openAt(640, asking(1)));
}

TEST_F(DemandGateTest, ADemandThatShrinksDoesNotKeepItClosed) {
  EXPECT_FALSE(openAt(0, asking(8)));
  EXPECT_TRUE(openAt(50, asking(4)));
}

TEST_F(DemandGateTest, WhatAsksAfterARecallWasBegunIsABurstOfItsOwn) {
  EXPECT_FALSE(openAt(0, asking(8)));
  const auto first = asking(8);
  EXPECT_TRUE(openAt(50, first));
  gate.begun(first.recalls[0]);
  EXPECT_FALSE(openAt(60, asking(2)));
  EXPECT_TRUE(openAt(110, asking(2)));
}

TEST_F(DemandGateTest, AQueueThatAsksNoMoreIsForgotten) {
  EXPECT_FALSE(openAt(0, asking(8)));
  gate.look(scheduler::Decisions{}, kStart + milliseconds(60));
  EXPECT_FALSE(openAt(100, asking(8)));
}

TEST_F(DemandGateTest, QueuesDoNotWaitForEachOther) {
  EXPECT_FALSE(openAt(0, asking(8, "a")));
  scheduler::Decisions both = asking(8, "a");
  both.recalls.push_back(asking(1, "b").recalls[0]);
  EXPECT_TRUE(openAt(50, both));
  EXPECT_EQ(gate.closedUntil(both.recalls[1], kStart + milliseconds(50)), kStart + milliseconds(100));
}

}  // namespace
}  // namespace tidegate
