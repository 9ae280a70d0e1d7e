// What a job has done, and who stands for it, while it is away: cases that users of other schedulers have
// reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/names.hpp"
#include "lab.hpp"

namespace tidegate::lab {
namespace {

namespace names = api::names;
using testing::IsEmpty;

LabOptions onLoan(std::int64_t gpus = 4) {
  return {.nodes = 1,
          .gpus = gpus,
          .queues = {{.name = "a", .guarantee = gpus, .deserved = gpus}, {.name = "b", .capability = 64}}};
}

JobShape claim(double lasts) {
  return {.name = "claim", .queue = "a", .gpus = 4, .priority = "high", .annotations = runs(lasts)};
}

// volcano-sh/volcano #4947: evicting one pod restarts the whole job, so the real loss is five pods.
TEST(Reported, JobThatRestartsWholeIsPricedWhole) {
  Lab lab({.nodes = 1,
           .gpus = 8,
           .queues = {{.name = "q1", .deserved = 3, .capability = 8},
                      {.name = "q2", .deserved = 5, .capability = 8}}});
  lab.submit({.name = "elastic", .queue = "q1", .pods = 3, .minimum = 1, .priority = "mid"});
  // The younger one: without its policy it would be the first to give a pod.
  lab.submitAt(10, {.name = "restarts",
                    .queue = "q1",
                    .pods = 5,
                    .minimum = 1,
                    .priority = "mid",
                    .onEviction = "RestartJob"});
  lab.run(40);
  ASSERT_EQ(lab.running("restarts") + lab.running("elastic"), 8);
  lab.submit({.name = "x", .queue = "q2", .priority = "mid"});
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("x") == 1; }, 60)) << lab.world().traceText();
  lab.run(lab.now() + 120);
  EXPECT_EQ(lab.evicted("elastic"), 1);
  EXPECT_EQ(lab.evicted("restarts"), 0);
  EXPECT_EQ(lab.evictedInAll(), 1);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// volcano-sh/volcano #4736: a TTL collects what has finished; a suspended job has not.
TEST(Reported, SuspendedJobIsNeverFinishedAndSoNeverCollected) {
  Lab lab(onLoan());
  JobShape low{.name = "low", .queue = "b", .gpus = 4, .annotations = runs(400, saves(1)), .ttl = 60};
  lab.submit(low);
  lab.run(20);
  lab.submit(claim(150));
  ASSERT_TRUE(lab.runUntil([&] { return lab.suspended("low") && lab.existing("low") == 0; }, 30));
  const std::vector<std::string> finished = {"Completed", "Failed", "Terminated", "Aborted"};
  const double until = lab.now() + 120;
  bool everFinished = false;
  lab.runUntil(
      [&] {
        everFinished |= std::ranges::find(finished, lab.vcjob("low").status.state.phase) != finished.end();
        return lab.now() >= until;
      },
      121);
  EXPECT_FALSE(everFinished) << "a TTL of 60 s would have collected it";
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("low") == 1; }, 200)) << lab.world().traceText();
  ASSERT_TRUE(lab.runUntil([&] { return lab.vcjob("low").status.state.phase == "Completed"; }, 600));
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// kubernetes-sigs/jobset #1208: on resume only the unfinished ranks are made, and the collective cannot form.
TEST(Reported, GangComesBackWholeThoughSomeOfItsPodsHadEnded) {
  Lab lab(onLoan(4));
  lab.submit({.name = "gang", .queue = "b", .pods = 4, .annotations = runs(300, saves(1))});
  lab.run(20);
  ASSERT_EQ(lab.running("gang"), 4);
  for (const char* pod : {"default/gang-worker-0", "default/gang-worker-1"}) {
    lab.world().api().modify<api::Pod>(pod, "", [](api::Pod& it) { it.status.phase = "Succeeded"; });
  }
  lab.run(21);
  lab.submit(claim(60));
  ASSERT_TRUE(lab.runUntil([&] { return lab.suspended("gang") && lab.running("claim") == 1; }, 60))
      << lab.world().traceText();
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("gang") == 4; }, 300)) << lab.world().traceText();
}

// kueue #3482, yunikorn-core #675: a pod's end is counted once, however often and in whatever order it is
// told.
TEST(Reported, EachPodIsCountedOnceHoweverOftenItsEndIsTold) {
  LabOptions options = onLoan(8);
  options.sim.faults.duplicateEvent = 0.9;
  options.sim.faults.delayEvent = 0.2;
  Lab lab(options);
  bool negative = false;
  Amount most = 0;
  lab.world().observe([&](const sim::SimWorld&) {
    const auto& tree = lab.brain().state().queues();
    const auto queue = tree.find("b");
    if (queue == quota::kNoQueue) return;
    const Amount used = tree.used(queue)[ResourceTable::kGpu];
    negative |= used < 0;
    most = std::max(most, used);
  });
  lab.submit({.name = "gang", .queue = "b", .pods = 4, .gpus = 2, .annotations = runs(300, saves(1))});
  lab.run(30);
  lab.submit({.name = "claim", .queue = "a", .gpus = 8, .priority = "high", .annotations = runs(60)});
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 60)) << lab.world().traceText();
  const auto used = [&] {
    const auto& tree = lab.brain().state().queues();
    return tree.used(tree.find("b"))[ResourceTable::kGpu];
  };
  lab.run(lab.now() + 10);
  EXPECT_EQ(used(), 0);
  EXPECT_EQ(most, 8000);
  EXPECT_FALSE(negative);
  EXPECT_EQ(lab.evicted("gang"), 4);
  EXPECT_EQ(lab.vcjob("gang").metadata.annotations.at(names::kEvictions), "1");
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// petuum/adaptdl #70: a save that is cut half way looks newest; the resume loads it and crashes.
TEST(Reported, TornCheckpointIsNeverResumedFrom) {
  for (int moment = 0; moment < 10; ++moment) {
    SCOPED_TRACE(testing::Message() << "moment " << moment);
    LabOptions options = onLoan();
    options.sim.seed = static_cast<std::uint64_t>(moment + 1);
    Lab lab(options);
    // Saves every 30 s take 20 s, more than the deadline leaves: a recall cuts one at any point of it.
    api::StringMap annotations = runs(200, {{names::kCheckpointInterval, "30s"},
                                            {"sim.tidegate.dev/checkpoint-seconds", "20"},
                                            {names::kCheckpointPort, "8080"}});
    lab.submit({.name = "train", .queue = "b", .pods = 2, .gpus = 2, .annotations = annotations});
    lab.run(60 + 5 * moment);
    lab.submit(claim(40));
    ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 60)) << lab.world().traceText();
    ASSERT_TRUE(lab.runUntil([&] { return lab.vcjob("train").status.state.phase == "Completed"; }, 1500))
        << lab.world().traceText();
    const auto jobs = lab.world().work().jobs();
    const auto train = std::ranges::find(jobs, "default/train", &sim::JobWork::name);
    ASSERT_NE(train, jobs.end());
    ASSERT_EQ((*train)->stops.size(), 1u);
    ASSERT_EQ((*train)->resumes.size(), 1u);
    EXPECT_EQ((*train)->resumes[0].fromStep, (*train)->stops[0].savedStep);
    EXPECT_LE((*train)->stops[0].savedStep, (*train)->stops[0].step);
    EXPECT_THAT(lab.violations(), IsEmpty());
  }
}

}  // namespace
}  // namespace tidegate::lab
