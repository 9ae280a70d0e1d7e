#include "drill/inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "drill/load.hpp"
#include "world/sim/pod_timing.hpp"

namespace tidegate::drill {
namespace {

api::Object queue(const std::string& name, int guarantee, const std::string& parent = "") {
  api::Queue out;
  out.metadata.name = name;
  out.spec.parent = parent;
  if (guarantee > 0) out.spec.guarantee.resource = {{"nvidia.com/gpu", Quantity::ofInteger(guarantee)}};
  return out;
}

TEST(Inputs, TheBuiltInFilesAreTheSeedsOwn) {
  const auto inputs = readInputs({});
  ASSERT_TRUE(inputs.has_value());
  EXPECT_EQ(inputs->online.name, "promo-online-queue");
  EXPECT_EQ(inputs->online.guarantee, 128);
  EXPECT_EQ(inputs->online.capability, 192);
  EXPECT_EQ(inputs->offline.name, "offline-research-queue");
  EXPECT_EQ(inputs->offline.guarantee, 0);
  EXPECT_EQ(inputs->offline.capability, 128);
  EXPECT_EQ(inputs->policy.actions,
            (std::vector{scheduler::ActionKind::Allocate, scheduler::ActionKind::Backfill,
                         scheduler::ActionKind::Preempt, scheduler::ActionKind::Reclaim}));
}

TEST(Inputs, OnlineIsTheLeafPromisedMostAndOfflineTheOnePromisedLeast) {
  const auto roles = pickQueues(
      {queue("team", 100), queue("a", 10, "team"), queue("b", 40, "team"), queue("c", 0)}, "queues.yaml");
  ASSERT_TRUE(roles.has_value());
  EXPECT_EQ(roles->first.name, "b");
  EXPECT_EQ(roles->second.name, "c");
}

TEST(Inputs, OneLeafIsNotEnough) {
  const auto roles = pickQueues({queue("team", 100), queue("a", 10, "team")}, "queues.yaml");
  ASSERT_FALSE(roles.has_value());
  EXPECT_THAT(roles.error().text(), testing::HasSubstr("queues.yaml"));
}

TEST(Load, EveryJobIsGivenABehaviourByTheSeed) {
  const auto load =
      jobsFromTrace({{.id = "A_1", .workers = 2, .gpusPerWorker = 8, .priority = 5, .duration = seconds(9)},
                     {.id = "b", .workers = 1, .gpusPerWorker = 1, .priority = 5, .duration = seconds(9)}},
                    "q");
  ASSERT_EQ(load.size(), 3u);  // one PriorityClass for both
  const auto submissions = scheduleLoad(load, {}, Rng(1));
  ASSERT_EQ(submissions.size(), 3u);
  EXPECT_EQ(submissions[0].at, Duration{});
  EXPECT_LT(submissions[1].at, submissions[2].at);
  EXPECT_LT(submissions[2].at, kFillTime);
  const auto& job = std::get<api::VcJob>(submissions[1].object);
  EXPECT_EQ(job.metadata.name, "job-a-1");
  EXPECT_EQ(job.spec.minAvailable, 2);
  const auto& pod = job.spec.tasks.front().template_.metadata.annotations;
  EXPECT_TRUE(pod.contains(sim::annotations::kCheckpoint));
  EXPECT_TRUE(pod.contains(sim::annotations::kRun));
  const auto again = scheduleLoad(load, {}, Rng(1));
  EXPECT_EQ(submissions[1].object, again[1].object);
  const auto other = scheduleLoad(load, {}, Rng(2));
  EXPECT_NE(submissions[1].object, other[1].object);
}

TEST(Load, WhatAJobDeclaresStays) {
  auto load = jobsFromTrace({{.id = "a", .duration = seconds(9)}}, "q");
  auto& job = std::get<api::VcJob>(load.back());
  job.metadata.annotations[api::names::kCheckpointInterval] = "7m";
  job.spec.tasks.front().template_.metadata.annotations[sim::annotations::kRun] = "60";
  Timings timings;
  timings.checkpoint = seconds(60);
  const auto submissions = scheduleLoad(load, timings, Rng(1));
  const auto& out = std::get<api::VcJob>(submissions.back().object);
  const auto& pod = out.spec.tasks.front().template_.metadata.annotations;
  EXPECT_EQ(out.metadata.annotations.at(api::names::kCheckpointInterval), "7m");
  EXPECT_EQ(pod.at(api::names::kCheckpointInterval), "7m");
  EXPECT_EQ(pod.at(sim::annotations::kRun), "60");
  EXPECT_EQ(pod.at(sim::annotations::kCheckpoint), "60.000");
}

}  // namespace
}  // namespace tidegate::drill
