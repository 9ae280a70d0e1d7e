#include "lifecycle/recall_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/lifecycle_fixture.hpp"

namespace tidegate::lifecycle::test {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

class RecallRecordTest : public testing::Test {
 protected:
  void put(const std::string& resourceVersion, std::int32_t life = 0) {
    api::Pod pod = podOf({}, 0, life);
    pod.metadata.resourceVersion = resourceVersion;
    state.apply(pod);
  }
  std::string nameNow() const {
    scheduler::RecallDecision decision;
    decision.queue = "online";
    decision.nodes = {};
    scheduler::VictimDecision victim;
    victim.gang = state.pod(state.findPod("default/train-0")).gang;
    victim.pods = {state.findPod("default/train-0")};
    decision.victims = {victim};
    return makeRecord(state, decision, {.name = nextRecallName(state), .now = kStart, .deadline = at(15)})
        .metadata.name;
  }

  ClusterState state;
};

TEST_F(RecallRecordTest, ANameIsNotUsedAgainForAnotherRecall) {
  put("100");
  const std::string first = nameNow();
  EXPECT_THAT(first, MatchesRegex("recall-1-[0-9a-f]{5}"));
  EXPECT_EQ(nameNow(), first) << "another brain that sees the same";
  // Nobody remembers it: the record was deleted by hand. The pod was marked meanwhile, or is another.
  put("101");
  const std::string second = nameNow();
  EXPECT_THAT(second, MatchesRegex("recall-1-[0-9a-f]{5}"));
  EXPECT_NE(second, first);
  put("102", 1);
  EXPECT_NE(nameNow(), second);
}

TEST_F(RecallRecordTest, NumbersGoOnWhateverFollowsThem) {
  api::Recall record;
  record.metadata.name = "recall-41-0a3f1";
  state.apply(record);
  EXPECT_EQ(nextRecallName(state), "recall-42");
}

// What `kubectl get recalls` shows of one to five jobs; a job of two gangs is one.
TEST_F(RecallRecordTest, WhatStopsIsTheOwnersInShort) {
  scheduler::RecallDecision decision;
  std::vector<std::string> shown;
  for (const char* name : {"a", "a", "b", "c", "d", "e"}) {
    const std::string pod = fmt::format("{}-0", name);
    state.apply(podOf({.name = name}, 0));
    scheduler::VictimDecision victim;
    victim.gang = state.pod(state.findPod("default/" + pod)).gang;
    victim.pods = {state.findPod("default/" + pod)};
    decision.victims.push_back(victim);
    shown.push_back(
        makeRecord(state, decision, {.name = "recall-1", .now = kStart, .deadline = at(15)}).spec.stops);
  }
  EXPECT_THAT(shown,
              ElementsAre("default/a", "default/a", "default/a, default/b", "default/a, default/b, default/c",
                          "default/a, default/b and 2 more", "default/a, default/b and 3 more"));
}

TEST_F(RecallRecordTest, TheCostIsInGpuSeconds) {
  scheduler::RecallDecision decision;
  decision.cost.lostGpuSeconds = 43200;
  decision.cost.scalar = 3e24;
  decision.lowerBound = 2.7e24;
  decision.gap = 0.1;
  const auto spec = makeRecord(state, decision, {.name = "recall-1", .now = kStart, .deadline = at(15)}).spec;
  EXPECT_EQ(spec.cost, 43200);
  EXPECT_DOUBLE_EQ(spec.lowerBound, 38880);
  decision.gap = 0;
  EXPECT_EQ(makeRecord(state, decision, {}).spec.lowerBound, 43200);
}

}  // namespace
}  // namespace tidegate::lifecycle::test
