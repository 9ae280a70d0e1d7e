// A gang that has lost members: completed where there is room, else suspended whole and queued again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab.hpp"

namespace tidegate::lab {
namespace {

using testing::IsEmpty;

LabOptions nodes(std::int32_t count, std::int64_t gpus) {
  LabOptions options{.nodes = count, .gpus = gpus, .queues = {{.name = "q", .capability = 64}}};
  options.sim.nodes.evictAfter = seconds(20);
  return options;
}

// KAI-Scheduler #2208: a partial gang holds GPUs for ever when nobody is pressing.
TEST(BrokenGang, IsSuspendedWholeAfterAGraceAndRunsAgainWhenTheNodeIsBack) {
  Lab lab(nodes(2, 4));
  const JobShape gang{
      .name = "gang", .queue = "q", .pods = 4, .gpus = 2, .priority = "mid", .annotations = saves(1)};
  lab.submit(gang);
  lab.run(30);
  ASSERT_EQ(lab.running("gang"), 4);
  lab.world().crashNode("n2");
  ASSERT_TRUE(lab.runUntil([&] { return lab.suspended("gang"); }, 300)) << lab.world().traceText();
  EXPECT_GT(lab.now(), 30 + 60);
  lab.world().recoverNode("n2");
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("gang") == 4; }, 300)) << lab.world().traceText();
  EXPECT_FALSE(lab.suspended("gang"));
  EXPECT_NE(lab.vcjob("gang").status.state.phase, "Failed");
}

TEST(BrokenGang, IsCompletedWhereThereIsRoom) {
  Lab lab(nodes(3, 4));
  lab.submit({.name = "gang", .queue = "q", .pods = 4, .gpus = 2, .priority = "mid"});
  lab.run(30);
  std::string used;
  for (const char* node : {"n1", "n2", "n3"}) {
    if (!lab.world().store().podsOn(node).empty()) used = node;
  }
  lab.world().crashNode(used);
  // Its controller must let go of the lost pods first: their node cannot confirm that they are dead.
  lab.run(100);
  for (const auto& pod : lab.world().store().podsOn(used)) lab.deletePod(pod->metadata.name, 0);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("gang") == 4; }, 100)) << lab.world().traceText();
  EXPECT_THAT(lab.recalls(), IsEmpty());
}

}  // namespace
}  // namespace tidegate::lab
