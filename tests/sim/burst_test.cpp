// A burst of an entitled queue: jobs are asked to save, stopped, suspended, and come back when the burst is
// over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "lab.hpp"

namespace tidegate::lab {
namespace {

namespace names = api::names;
using sim::TraceKind;
using testing::Each;
using testing::Le;
using testing::SizeIs;

// Four nodes of eight, all lent to three offline gangs and an elastic job.
LabOptions pool(std::uint64_t seed = 1) {
  LabOptions options{
      .nodes = 4,
      .gpus = 8,
      .queues = {{.name = "online", .guarantee = 16, .deserved = 16}, {.name = "offline", .deserved = 16}}};
  options.sim.seed = seed;
  return options;
}

std::vector<JobShape> load() {
  return {{.name = "big", .queue = "offline", .pods = 2, .gpus = 8, .annotations = runs(400, saves(2))},
          {.name = "mid", .queue = "offline", .pods = 2, .gpus = 4, .annotations = runs(300, saves(3))},
          {.name = "small",
           .queue = "offline",
           .pods = 8,
           .gpus = 1,
           .minimum = 1,
           .annotations = runs(300, saves(1))}};
}

JobShape burst(Kind kind, double lasts = 120) {
  return {.name = "web",
          .queue = "online",
          .pods = 2,
          .gpus = 8,
          .priority = "top",
          .kind = kind,
          .annotations = kind == Kind::Deployment ? api::StringMap{} : runs(lasts)};
}

class Burst : public testing::TestWithParam<Kind> {};

TEST_P(Burst, TakesItsNodesWithinTheDeadlineAndGivesThemBack) {
  Lab lab(pool());
  for (const auto& job : load()) lab.submit(job);
  lab.run(60);
  ASSERT_EQ(lab.gpusHeld(), 32);
  lab.submit(burst(GetParam()));
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("web") == 2; }, 25)) << lab.world().traceText();
  EXPECT_THAT(lab.times(TraceKind::PodBound, "web"), Each(Le(75.5)));
  EXPECT_THAT(lab.recalls(), SizeIs(1));
  const std::int32_t stopped = lab.evictedInAll();
  lab.run(150);
  EXPECT_EQ(lab.evictedInAll(), stopped) << "the burst goes on, and more was stopped";
  if (GetParam() == Kind::Deployment) lab.remove(burst(GetParam()));
  ASSERT_TRUE(lab.runUntil([&] { return lab.gpusHeld() == 32 && lab.existing("web") == 0; }, 150));
  for (const auto& job : load()) {
    EXPECT_TRUE(lab.runUntil([&] { return lab.vcjob(job.name).status.state.phase == "Completed"; }, 900))
        << job.name;
    EXPECT_EQ(lab.vcjob(job.name).status.retryCount, 0);
  }
  for (const auto* job : lab.world().work().jobs()) EXPECT_LE(job->lostGpuSeconds, 16) << job->name;
  EXPECT_THAT(lab.violations(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Kinds, Burst,
                         testing::Values(Kind::Deployment, Kind::BatchJob, Kind::VcJob, Kind::BarePods));

TEST(Burst, ElasticJobIsShrunkAndGrowsAgain) {
  LabOptions options{.nodes = 1,
                     .gpus = 8,
                     .queues = {{.name = "online", .guarantee = 4}, {.name = "offline", .deserved = 4}}};
  Lab lab(options);
  lab.submit({.name = "elastic", .queue = "offline", .pods = 8, .minimum = 1, .annotations = saves(1)});
  lab.run(30);
  ASSERT_EQ(lab.running("elastic"), 8);
  const JobShape web{
      .name = "web", .queue = "online", .pods = 1, .gpus = 4, .priority = "top", .annotations = runs(60)};
  lab.submit(web);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("web") == 1; }, 25));
  EXPECT_EQ(lab.running("elastic"), 4);
  EXPECT_FALSE(lab.suspended("elastic"));
  EXPECT_TRUE(lab.runUntil([&] { return lab.running("elastic") == 8; }, 200)) << lab.world().traceText();
  EXPECT_FALSE(lab.vcjob("elastic").metadata.annotations.contains(names::kReplicasLimit));
  EXPECT_THAT(lab.violations(), testing::IsEmpty());
}

}  // namespace
}  // namespace tidegate::lab
