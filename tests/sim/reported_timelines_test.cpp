// Cases with events in time that users of other schedulers have reported; each names its report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "lab.hpp"

namespace tidegate::lab {
namespace {

namespace names = api::names;
using sim::TraceKind;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

double spread(const std::vector<double>& times) {
  const auto [low, high] = std::ranges::minmax(times);
  return high - low;
}

// kubeflow/trainer #2000, #1579: after one worker is lost the rest hang in rendezvous, at different times.
TEST(Reported, GangIsToldStoppedAndResumedAsOne) {
  Lab lab({.nodes = 8,
           .gpus = 1,
           .queues = {{.name = "a", .guarantee = 1, .capability = 1}, {.name = "b", .deserved = 7}}});
  const JobShape gang{.name = "gang", .queue = "b", .pods = 8, .annotations = runs(200, saves(2))};
  lab.submit(gang);
  lab.run(30);
  ASSERT_EQ(lab.running("gang"), 8);
  lab.submit({.name = "other", .queue = "a", .priority = "high", .annotations = runs(60)});
  ASSERT_TRUE(lab.runUntil([&] { return lab.existing("gang") == 0; }, 20)) << lab.world().traceText();
  EXPECT_LT(spread(lab.times(TraceKind::CheckpointRequested, "gang")), 1.5);
  EXPECT_THAT(lab.times(TraceKind::PodGone, "gang"), Each(Le(30 + 15 + 0.5)));
  EXPECT_TRUE(lab.suspended("gang"));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("gang") == 8; }, 200));
  const auto bound = lab.times(TraceKind::PodBound, "gang");
  ASSERT_THAT(bound, SizeIs(16));
  EXPECT_LT(bound.back() - bound[8], 0.5);
  ASSERT_TRUE(lab.runUntil([&] { return lab.vcjob("gang").status.state.phase == "Completed"; }, 400));
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// volcano-sh/volcano #2560, #3067: evictions and suspend/resume eat the retry budget.
TEST(Reported, FiveSuspensionsCostNoRetry) {
  Lab lab({.nodes = 1,
           .gpus = 4,
           .queues = {{.name = "a", .deserved = 4, .capability = 4}, {.name = "b", .capability = 4}}});
  lab.submit({.name = "low", .queue = "b", .gpus = 4, .annotations = saves(1), .maxRetry = 3});
  for (int round = 1; round <= 5; ++round) {
    ASSERT_TRUE(lab.runUntil([&] { return lab.running("low") == 1; }, 2000))
        << "round " << round << lab.world().traceText();
    const std::string name = "high" + std::to_string(round);
    lab.submit({.name = name, .queue = "a", .gpus = 4, .priority = "high", .annotations = runs(20)});
    ASSERT_TRUE(lab.runUntil([&] { return lab.running(name) == 1; }, 40)) << "round " << round;
    EXPECT_TRUE(lab.suspended("low"));
  }
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("low") == 1; }, 2000));
  EXPECT_EQ(lab.vcjob("low").status.retryCount, 0);
  EXPECT_EQ(lab.vcjob("low").metadata.annotations.at(names::kEvictions), "5");
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// volcano-sh/volcano #4828: a job says Aborted while its pods are still terminating.
TEST(Reported, JobIsSuspendingUntilItsLastPodIsGone) {
  LabOptions options{
      .nodes = 1,
      .gpus = 4,
      .queues = {{.name = "a", .deserved = 4, .capability = 4}, {.name = "b", .capability = 4}}};
  options.brain.recallDeadline = seconds(600);
  options.brain.gracePeriod = seconds(600);
  Lab lab(options);
  JobShape low{.name = "low", .queue = "b", .pods = 2, .gpus = 2, .grace = 600};
  low.annotations = {{"sim.tidegate.dev/stop-seconds", "400"}};
  lab.submit(low);
  lab.run(20);
  ASSERT_EQ(lab.running("low"), 2);
  lab.submit({.name = "high", .queue = "a", .gpus = 4, .priority = "high", .annotations = runs(60)});
  ASSERT_TRUE(lab.runUntil([&] { return lab.suspended("low"); }, 5));
  lab.run(lab.now() + 1);
  while (lab.existing("low") > 0) {
    EXPECT_EQ(lab.vcjob("low").status.state.phase, "Suspending") << lab.now();
    EXPECT_FALSE(lab.bound("high-worker-0")) << lab.now();
    ASSERT_LT(lab.now(), 700);
    lab.run(lab.now() + 5);
  }
  const double gone = lab.times(TraceKind::PodGone, "low").back();
  EXPECT_GT(gone, 300);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("high") == 1; }, 20));
  EXPECT_THAT(lab.times(TraceKind::PodBound, "high"), Each(Ge(gone)));
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// volcano-sh/volcano, kueue: a preempted job never comes back when GPUs are free again.
TEST(Reported, PreemptedJobResumesByItselfInOneWave) {
  Lab lab({.nodes = 1, .gpus = 4, .queues = {{.name = "q", .deserved = 4, .capability = 4}}});
  lab.submit({.name = "low", .queue = "q", .pods = 2, .gpus = 2, .annotations = saves(1)});
  lab.run(20);
  lab.submit({.name = "high", .queue = "q", .gpus = 4, .priority = "high", .annotations = runs(60)});
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("high") == 1; }, 30)) << lab.world().traceText();
  EXPECT_EQ(lab.existing("low"), 0);
  ASSERT_TRUE(lab.runUntil([&] { return lab.existing("high") == 0; }, 120));
  const double freed = lab.now();
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("low") == 2; }, 60)) << lab.world().traceText();
  const auto bound = lab.times(TraceKind::PodBound, "low");
  EXPECT_LT(bound.back() - freed, 5);
  EXPECT_LT(bound[3] - bound[2], 0.5);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// A pod that exits 0 on the stop signal is counted as finished work (several reports of trainers and
// launchers).
TEST(Reported, CleanExitOnTheStopSignalIsNotSuccess) {
  Lab lab({.nodes = 1, .gpus = 4, .queues = {{.name = "q", .capability = 4}}});
  JobShape job1{.name = "job1", .queue = "q", .pods = 4, .minimum = 2};
  job1.annotations = {{"sim.tidegate.dev/sigterm-exit-code", "0"}};
  lab.submit(job1);
  lab.run(20);
  ASSERT_EQ(lab.running("job1"), 4);
  lab.submit({.name = "job2", .queue = "q", .pods = 2, .priority = "high"});
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("job2") == 2; }, 40)) << lab.world().traceText();
  lab.run(lab.now() + 60);
  EXPECT_EQ(lab.running("job1"), 2) << lab.world().traceText();
  EXPECT_EQ(lab.evicted("job1"), 2);
  EXPECT_NE(lab.vcjob("job1").status.state.phase, "Completed");
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// A victim's controller recreates it at once; it is admitted and evicted in a loop, and the wrong size is
// picked.
TEST(Reported, OneSmallVictimAndItsCopyWaits) {
  Lab lab({.nodes = 1,
           .gpus = 6,
           .queues = {{.name = "guaranteed", .deserved = 6, .capability = 6},
                      {.name = "beA", .capability = 6},
                      {.name = "beB", .capability = 6}}});
  lab.submit({.name = "a1", .queue = "beA", .gpus = 2});
  lab.submit({.name = "b1", .queue = "beB"});
  lab.submit({.name = "b2", .queue = "beB"});
  lab.submit({.name = "g1", .queue = "guaranteed", .priority = "mid"});
  lab.run(20);
  lab.submit({.name = "g2", .queue = "guaranteed", .gpus = 2, .priority = "mid"});
  lab.submitAt(22, {.name = "b3", .queue = "beB"});  // the resubmitted copy
  lab.run(120);
  EXPECT_EQ(lab.running("g2"), 1) << lab.world().traceText();
  EXPECT_EQ(lab.running("a1"), 1);
  EXPECT_EQ(lab.running("b1") + lab.running("b2"), 1);
  EXPECT_EQ(lab.evictedInAll(), 1);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// A grace period longer than the "stuck" threshold: a second set of victims is taken.
TEST(Reported, LongGraceIsNotStuck) {
  LabOptions options{.nodes = 2,
                     .gpus = 4,
                     .queues = {{.name = "a", .deserved = 4, .capability = 8},
                                {.name = "b", .deserved = 4, .capability = 8}}};
  options.sim.kubelet.jitter = 0;
  Lab lab(options);
  JobShape v{.name = "v", .queue = "b", .gpus = 4, .kind = Kind::BarePods, .grace = 600};
  v.annotations = {{"sim.tidegate.dev/stop-seconds", "570"}};
  lab.submit(v);
  lab.submit({.name = "w", .queue = "b", .gpus = 4});
  lab.run(20);
  lab.deletePod("v-0", 600);
  lab.submit({.name = "p", .queue = "a", .gpus = 4, .priority = "high"});
  lab.run(560);
  EXPECT_FALSE(lab.bound("p-worker-0"));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("p") == 1; }, 100));
  EXPECT_EQ(lab.evicted("w"), 0);
  EXPECT_THAT(lab.recalls(), IsEmpty());
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// When does an evicted pod stop counting: at the notice or when it is gone?
TEST(Reported, LeavingPodHoldsItsGpusUntilItIsGone) {
  Lab lab({.nodes = 1,
           .gpus = 4,
           .queues = {{.name = "a", .deserved = 4, .capability = 4}, {.name = "b", .capability = 4}}});
  JobShape v{.name = "v", .queue = "b", .gpus = 4, .kind = Kind::BarePods, .grace = 120};
  v.annotations = {{"sim.tidegate.dev/stop-seconds", "95"}};
  lab.submit(v);
  lab.run(20);
  lab.deletePod("v-0", 120);
  lab.submit({.name = "p", .queue = "a", .gpus = 4, .priority = "high"});
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("p") == 1; }, 140));
  EXPECT_GE(lab.times(TraceKind::PodBound, "p")[0], lab.times(TraceKind::PodGone, "v")[0]);
  EXPECT_GE(lab.times(TraceKind::PodGone, "v")[0], 100);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// A low job that has already caused evictions is pinned to the head; a high one arrives.
TEST(Reported, FreedGpusGoToTheBestClaimant) {
  Lab lab({.nodes = 1,
           .gpus = 3,
           .queues = {{.name = "cq1", .deserved = 3, .capability = 3}, {.name = "cq2", .capability = 3}}});
  for (const char* name : {"x1", "x2", "x3"}) {
    JobShape x{.name = name, .queue = "cq2"};
    x.annotations = {{"sim.tidegate.dev/stop-seconds", "8"}};
    lab.submit(x);
  }
  lab.run(20);
  lab.submit({.name = "lowp", .queue = "cq1", .gpus = 3, .annotations = runs(30)});
  lab.submitAt(22, {.name = "highp", .queue = "cq1", .gpus = 3, .priority = "high", .annotations = runs(30)});
  lab.run(45);
  EXPECT_EQ(lab.running("highp"), 1) << lab.world().traceText();
  EXPECT_FALSE(lab.bound("lowp-worker-0"));
  EXPECT_EQ(lab.evictedInAll(), 3);
  ASSERT_TRUE(
      lab.runUntil([&] { return lab.running("x1") + lab.running("x2") + lab.running("x3") == 3; }, 400));
  EXPECT_EQ(lab.evictedInAll(), 3);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

}  // namespace
}  // namespace tidegate::lab
