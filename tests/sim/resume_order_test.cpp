// Who comes back first when a peak is over: the recalled, in the place they had, and not the young that wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab.hpp"

namespace tidegate::lab {
namespace {

using sim::TraceKind;
using testing::IsEmpty;

LabOptions pool(std::int32_t nodes) {
  return {.nodes = nodes,
          .gpus = 8,
          .queues = {{.name = "online", .guarantee = 8L * nodes, .deserved = 8L * nodes},
                     {.name = "offline", .capability = 8L * nodes}}};
}

JobShape peak(std::int32_t nodes, double lasts) {
  return {.name = "web",
          .queue = "online",
          .pods = nodes,
          .gpus = 8,
          .priority = "top",
          .kind = Kind::BatchJob,
          .annotations = runs(lasts)};
}

JobShape offline(const std::string& name, std::int32_t pods, std::int64_t gpus, double work) {
  return {.name = name, .queue = "offline", .pods = pods, .gpus = gpus, .annotations = runs(work, saves(1))};
}

// Seconds when the pods of a job were bound, from its second life on.
double boundAgain(const Lab& lab, const std::string& job, std::size_t pods) {
  const auto bound = lab.times(TraceKind::PodBound, job);
  return bound.size() <= pods ? -1 : bound[pods];
}

TEST(ResumeOrder, RecalledJobsComeBackBeforeYoungerWorkThatWaits) {
  Lab lab(pool(2));
  lab.submit(offline("gang", 2, 4, 300));
  lab.submit(offline("small", 8, 1, 300));
  lab.run(30);
  ASSERT_EQ(lab.gpusHeld(), 16);
  lab.submit(offline("young", 8, 1, 100));
  lab.submit(offline("younger", 1, 8, 100));
  lab.run(40);
  lab.submit(peak(2, 60));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("web") == 2; }, 30)) << lab.world().traceText();
  ASSERT_TRUE(lab.suspended("gang") && lab.suspended("small"));
  ASSERT_TRUE(lab.runUntil([&] { return lab.existing("web") == 0; }, 120));
  const double free = lab.now();
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("gang") == 2 && lab.running("small") == 8; }, 60))
      << lab.world().traceText();
  EXPECT_LE(boundAgain(lab, "gang", 2), free + 3);
  EXPECT_LE(boundAgain(lab, "small", 8), free + 3);
  EXPECT_THAT(lab.times(TraceKind::PodBound, "young"), IsEmpty());
  EXPECT_THAT(lab.times(TraceKind::PodBound, "younger"), IsEmpty());
  for (const char* job : {"gang", "small", "young", "younger"}) {
    EXPECT_TRUE(lab.runUntil([&] { return lab.vcjob(job).status.state.phase == "Completed"; }, 900)) << job;
  }
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// Its nodes are promised to it from the moment the peak's pods begin to leave, though they go one by one.
TEST(ResumeOrder, GangWaitsForNodesThatEmptyOneByOne) {
  Lab lab(pool(2));
  lab.submit(offline("gang", 2, 8, 300));
  lab.run(30);
  lab.submit(offline("young", 1, 8, 100));
  lab.run(40);
  JobShape web = peak(2, 0);
  web.kind = Kind::Deployment;
  web.annotations = {{"sim.tidegate.dev/stop-seconds", "6"}};
  lab.submit(web);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("web") == 2; }, 30)) << lab.world().traceText();
  lab.run(100);
  lab.remove(web);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("gang") == 2; }, 200)) << lab.world().traceText();
  EXPECT_THAT(lab.times(TraceKind::PodBound, "young"), IsEmpty());
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// A large job whose nodes are taken piece by piece by what came after it.
TEST(ResumeOrder, SmallerJobsDoNotPassALargeOneForEver) {
  LabOptions options = pool(2);
  options.queues[0] = {.name = "online", .guarantee = 16};
  Lab lab(options);
  lab.submit(offline("large", 2, 8, 300));
  lab.run(30);
  ASSERT_EQ(lab.running("large"), 2);
  // The peak leaves in two steps, some minutes apart: one node at a time is free, and small work keeps
  // coming.
  JobShape first = peak(1, 60);
  JobShape second = peak(1, 400);
  second.name = "web2";
  lab.submit(first);
  lab.submit(second);
  for (int i = 0; i < 40; ++i) lab.submitAt(40 + 100 * i, offline("small" + std::to_string(i), 1, 8, 250));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("web") + lab.running("web2") == 2; }, 60));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("large") == 2; }, 2500)) << lab.world().traceText();
  ASSERT_TRUE(lab.runUntil([&] { return lab.vcjob("large").status.state.phase == "Completed"; }, 900));
  EXPECT_THAT(lab.violations(), IsEmpty());
}

TEST(ResumeOrder, JobThatCannotComeBackHoldsNobodyUp) {
  Lab lab(pool(3));
  lab.submit(offline("wide", 3, 8, 300));
  lab.run(30);
  ASSERT_EQ(lab.running("wide"), 3);
  JobShape first = peak(1, 60);
  JobShape endless = peak(1, 0);
  endless.name = "endless";
  endless.annotations = {};
  lab.submit(first);
  lab.submit(endless);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("web") == 1 && lab.running("endless") == 1; }, 60));
  lab.submit(offline("young", 1, 8, 100));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("young") == 1; }, 60)) << lab.world().traceText();
  ASSERT_TRUE(lab.runUntil([&] { return lab.vcjob("young").status.state.phase == "Completed"; }, 900));
  lab.run(lab.now() + 900);  // by now the wide one insists
  lab.submit(offline("next", 1, 8, 100));
  EXPECT_TRUE(lab.runUntil([&] { return lab.running("next") == 1; }, 60)) << lab.world().traceText();
  EXPECT_THAT(lab.violations(), IsEmpty());
}

}  // namespace
}  // namespace tidegate::lab
