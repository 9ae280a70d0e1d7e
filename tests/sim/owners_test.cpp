// Owners whose controllers count, or replace, what somebody else deletes: a recall must come to them first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab.hpp"

namespace tidegate::lab {
namespace {

using sim::TraceKind;
using testing::IsEmpty;

bool holds(const Lab& lab, const std::string& job, const std::string& type) {
  const auto& conditions =
      const_cast<Lab&>(lab).world().store().find<api::BatchJob>("default/" + job)->status.conditions;
  return std::ranges::any_of(conditions,
                             [&](const auto& each) { return each.type == type && each.status == "True"; });
}

// backoffLimit 0: the first pod that the Job controller has not deleted itself fails the Job for good.
TEST(Owners, ARecallIsNoFailureOfABatchJob) {
  Lab lab(lentNodes(2, 4));
  lab.submit({.name = "victim", .queue = "b", .pods = 2, .gpus = 4, .kind = Kind::BatchJob});
  lab.world().api().modify<api::BatchJob>("default/victim", "",
                                          [](api::BatchJob& job) { job.spec.backoffLimit = 0; });
  lab.run(20);
  ASSERT_EQ(lab.running("victim"), 2);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
  EXPECT_TRUE(holds(lab, "victim", "Suspended"));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("victim") == 2; }, 200)) << lab.world().traceText();
  EXPECT_FALSE(holds(lab, "victim", "Failed"));
  EXPECT_EQ(lab.times(TraceKind::PodCreated, "victim").size(), 4u);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// Its pods' own grace is 600 s: the recall brings their end forward.
TEST(Owners, TheEndOfABatchJobsPodsIsBroughtForward) {
  Lab lab(lentNodes(2, 4));
  JobShape victim{.name = "victim", .queue = "b", .pods = 2, .gpus = 4, .kind = Kind::BatchJob, .grace = 600};
  victim.annotations = {{"sim.tidegate.dev/ignore-sigterm", "true"}};
  lab.submit(victim);
  lab.run(20);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
}

TEST(Owners, ADeploymentLosesThePlannedPodsAndMakesNone) {
  Lab lab(lentNodes(2, 4));
  lab.submit({.name = "victim", .queue = "b", .pods = 8, .gpus = 1, .minimum = 1, .kind = Kind::Deployment});
  lab.run(20);
  ASSERT_EQ(lab.running("victim"), 8);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
  EXPECT_EQ(lab.evicted("victim"), 4) << lab.world().traceText();
  EXPECT_EQ(lab.times(TraceKind::PodCreated, "victim").size(), 8u);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("victim") == 8; }, 200)) << lab.world().traceText();
  EXPECT_EQ(lab.times(TraceKind::PodCreated, "victim").size(), 12u);
}

}  // namespace
}  // namespace tidegate::lab
