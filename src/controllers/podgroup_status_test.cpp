#include "controllers/podgroup_status.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "controllers/objects_for_tests.hpp"
#include "controllers/property_support.hpp"
#include "controllers/test_world.hpp"

namespace tidegate::controllers {
namespace {

using namespace test;

struct Case {
  const char* what;
  GroupSituation is;
  const char* phase;
  const char* withEnqueue;
};

const Case kCases[] = {
    {"new", {.phase = "", .minMember = 2, .members = {}}, "Inqueue", "Pending"},
    {"admitted", {.phase = "Inqueue", .minMember = 2, .members = {.pods = 2}}, "Inqueue", "Inqueue"},
    {"minimum of none, no pods", {.phase = "", .minMember = 0, .members = {}}, "Inqueue", "Pending"},
    {"bound",
     {.phase = "Inqueue", .minMember = 2, .members = {.scheduled = 2, .pods = 2}},
     "Running",
     "Running"},
    {"more than its minimum waits",
     {.phase = "Running",
      .minMember = 2,
      .unschedulable = true,
      .members = {.scheduled = 2, .running = 2, .pods = 3}},
     "Running",
     "Running"},
    {"lost a member",
     {.phase = "Running",
      .minMember = 2,
      .unschedulable = true,
      .members = {.scheduled = 1, .running = 1, .pods = 2}},
     "Unknown",
     "Unknown"},
    {"stopped", {.phase = "Running", .minMember = 2, .members = {.pods = 2}}, "Inqueue", "Pending"},
    {"all done",
     {.phase = "Running",
      .minMember = 2,
      .members = {.scheduled = 2, .succeeded = 1, .failed = 1, .pods = 2}},
     "Completed",
     "Completed"},
    {"one done, one runs",
     {.phase = "Running",
      .minMember = 2,
      .members = {.scheduled = 2, .running = 1, .succeeded = 1, .pods = 2}},
     "Running",
     "Running"},
    {"done and cleaned away",
     {.phase = "Completed", .minMember = 2, .members = {}},
     "Completed",
     "Completed"},
};

TEST(PodGroupPhase, FollowsTheRulesCaseByCase) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.what);
    EXPECT_EQ(groupPhase(one.is, false), one.phase);
    EXPECT_EQ(groupPhase(one.is, true), one.withEnqueue);
  }
}

class PodGroupStatusTest : public testing::Test {
 protected:
  void settle() { ASSERT_TRUE(world_.runToRest(seconds(60))); }
  const api::PodGroupStatus& status() const { return world_.find<api::PodGroup>("g", "ns")->status; }

  PodGroupStatusController controller_;
  TestWorld world_{controller_};
};

TEST_F(PodGroupStatusTest, CountsMembersAndLeavesConditionsAlone) {
  auto group = groupOf("g", "q", "");
  group.spec.minMember = 2;
  group.status.conditions.push_back({.type = "Unschedulable",
                                     .status = "True",
                                     .reason = "r",
                                     .message = "m",
                                     .lastTransitionTime = std::nullopt});
  world_.put(group);
  world_.put(podOf("a", "g", ""));
  world_.put(podOf("b", "g", ""));
  world_.start();
  settle();
  EXPECT_EQ(status().phase, "Inqueue");
  world_.put(podOf("a", "g", "n1"));
  world_.put(podOf("b", "g", "n1"));
  settle();
  EXPECT_EQ(status().phase, "Running");
  EXPECT_EQ(status().running, 2);
  EXPECT_EQ(status().conditions.size(), 1u);
  for (const auto& write : only<WriteStatus>(world_.log())) {
    EXPECT_EQ(write.statusJson.find("conditions"), std::string::npos);
  }
}

TEST_F(PodGroupStatusTest, AGangThatStartsIsWrittenAFewTimesOnly) {
  world_.put(groupOf("g", "q", ""));
  world_.start();
  settle();
  world_.clearLog();
  for (int i = 0; i < 64; ++i) {
    world_.put(podOf(fmt::format("p{}", i), "g", "n1"));
    world_.runFor(milliseconds(10));
  }
  settle();
  EXPECT_EQ(status().running, 64);
  EXPECT_LE(only<WriteStatus>(world_.log()).size(), 4u);
}

TEST_F(PodGroupStatusTest, PodsOfOtherSchedulersAreNoMembers) {
  world_.put(groupOf("g", "q", ""));
  auto pod = podOf("a", "g", "n1");
  pod.spec.schedulerName = "default-scheduler";
  world_.put(pod);
  world_.start();
  settle();
  EXPECT_EQ(status().phase, "Inqueue");
  EXPECT_EQ(status().running, 0);
}

void happen(TestWorld& world, Rng& rng) {
  const std::string gang = fmt::format("g{}", rng.below(4));
  const std::string name = fmt::format("p{}", rng.below(10));
  auto pod = podOf(name, gang, rng.chance(0.6) ? "n1" : "");
  if (rng.chance(0.3)) pod.status.phase = rng.chance(0.5) ? "Succeeded" : "Failed";
  const auto* held = world.find<api::PodGroup>(gang, "ns");
  auto group = held == nullptr ? groupOf(gang, "q", "") : *held;
  group.spec.minMember = static_cast<std::int32_t>(rng.between(0, 3));
  group.status.conditions = {{.type = "Unschedulable",
                              .status = rng.chance(0.5) ? "True" : "False",
                              .reason = "",
                              .message = "",
                              .lastTransitionTime = std::nullopt}};
  const std::uint64_t what = rng.below(8);
  if (what < 3) return world.put(group);
  if (what == 3) return world.remove(api::refOf(group));
  if (what == 4) return world.remove(api::refOf(pod));
  world.put(pod);
}

void expectTruth(const TestWorld& world, const api::PodGroup& group) {
  MemberCounts members;
  for (const auto& pod : world.all<api::Pod>()) {
    if (pod.metadata.annotations.at(api::names::kGroupName) != group.metadata.name) continue;
    members.pods += 1;
    members.running += pod.status.phase == "Running";
    members.succeeded += pod.status.phase == "Succeeded";
    members.failed += pod.status.phase == "Failed";
    members.scheduled += pod.status.phase != "Pending";
  }
  RC_ASSERT(group.status.running == members.running);
  RC_ASSERT(group.status.succeeded == members.succeeded);
  RC_ASSERT(group.status.failed == members.failed);
  const bool unschedulable = group.status.conditions.at(0).status == "True";
  RC_ASSERT(group.status.phase == groupPhase({.phase = group.status.phase,
                                              .minMember = group.spec.minMember,
                                              .unschedulable = unschedulable,
                                              .members = members},
                                             false));
}

TEST(PodGroupStatusProperty, OnceQuietEveryGroupTellsTheTruth) {
  EXPECT_TRUE(rc::check("status of PodGroups", [](std::uint64_t seed) {
    Rng rng(seed);
    PodGroupStatusController first;
    PodGroupStatusController second;
    TestWorld world(first, seed,
                    {.lostBefore = 0.1, .lostAfter = 0.1, .repeated = 0.2, .delay = milliseconds(300)});
    world.start();
    for (int i = 0; i < 60; ++i) {
      happen(world, rng);
      world.runFor(milliseconds(rng.between(0, 400)));
      if (i == 40 && rng.chance(0.5)) world.restart(second);
    }
    world.setFaults({});
    RC_ASSERT(world.runToRest(seconds(120)));
    for (const auto& group : world.all<api::PodGroup>()) expectTruth(world, group);
    assertNothingIsLeftToDo<PodGroupStatusController>(world);
  }));
}

}  // namespace
}  // namespace tidegate::controllers
