#include "world/sim/vcjob_controller.hpp"

#include <gtest/gtest.h>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

namespace names = api::names;
using test::countOf;
using test::exactOptions;
using test::FirstFitBrain;
using test::node;
using test::podTemplate;
using test::policy;
using test::vcJob;

class VcJobControllerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2"}) ASSERT_TRUE(world_.api().create(node(name)).ok());
  }
  void start(api::VcJob job) {
    ASSERT_TRUE(world_.api().create(std::move(job)).ok());
    world_.runUntil(seconds(20));
    ASSERT_EQ(phase(), "Running");
  }
  std::shared_ptr<const api::VcJob> job() { return world_.store().find<api::VcJob>("default/j"); }
  std::string phase() { return job()->status.state.phase; }
  PodPtr pod(int index) { return world_.store().find<api::Pod>("default/j-worker-" + std::to_string(index)); }
  void remove(int index) {
    world_.api().remove(refTo<api::Pod>("default", "j-worker-" + std::to_string(index)),
                        {.uid = "", .graceSeconds = 5});
  }
  void annotate(const char* name, std::optional<std::string> value) {
    world_.api().patch({.target = refTo<api::VcJob>("default", "j"),
                        .uid = "",
                        .annotations = {{name, value}},
                        .suspend = {},
                        .replicas = {},
                        .condition = {}});
  }
  std::size_t pods() { return world_.store().all<api::Pod>().size(); }
  std::shared_ptr<const api::PodGroup> group() {
    return world_.store().find<api::PodGroup>("default/" + podGroupName(*job()));
  }

  FirstFitBrain brain_;
  SimWorld world_{exactOptions(), &brain_};
};

TEST_F(VcJobControllerTest, MakesItsPodGroupAndPodsAsVolcanoDoes) {
  api::VcJob it = vcJob("j", 4, podTemplate(2));
  it.spec.minAvailable = 3;
  it.spec.queue = "research";
  it.metadata.annotations[names::kTopology] = "whole-node";
  start(it);
  ASSERT_NE(group(), nullptr);
  EXPECT_EQ(group()->metadata.name, "j-" + job()->metadata.uid);
  EXPECT_EQ(group()->spec.minMember, 3);
  EXPECT_EQ(group()->spec.queue, "research");
  EXPECT_EQ(group()->spec.minResources.at("nvidia.com/gpu"), Quantity::ofInteger(6));
  EXPECT_EQ(group()->metadata.annotations.at(names::kTopology), "whole-node");
  EXPECT_EQ(group()->status.phase, "Running");
  ASSERT_NE(pod(3), nullptr);
  EXPECT_EQ(pod(3)->metadata.annotations.at(names::kGroupName), group()->metadata.name);
  EXPECT_EQ(pod(3)->metadata.labels.at(names::kJobName), "j");
  EXPECT_EQ(pod(3)->metadata.labels.at(names::kTaskSpec), "worker");
  EXPECT_EQ(controllerOf(pod(3)->metadata)->apiVersion, "batch.volcano.sh/v1alpha1");
}

TEST_F(VcJobControllerTest, CompletesWhenItsWorkIsDone) {
  start(vcJob("j", 4, podTemplate(1, {{annotations::kRun, "60"}})));
  world_.runUntil(seconds(120));
  EXPECT_EQ(phase(), "Completed");
  EXPECT_EQ(job()->status.succeeded, 4);
  EXPECT_EQ(group()->status.phase, "Completed");
}

TEST_F(VcJobControllerTest, WithoutAPolicyAnEvictedPodIsCreatedAnewOnceItsNameIsFree) {
  start(vcJob("j", 4, podTemplate(1)));
  const std::string uid = pod(1)->metadata.uid;
  remove(1);
  world_.runUntil(fromSeconds(20.1));
  EXPECT_EQ(pod(1)->metadata.uid, uid) << "still leaving";
  world_.runUntil(seconds(40));
  EXPECT_NE(pod(1)->metadata.uid, uid);
  EXPECT_EQ(job()->status.retryCount, 0);
  EXPECT_EQ(countOf(world_, TraceKind::PodCreated), 5u);
}

TEST_F(VcJobControllerTest, RestartJobOnEvictionRestartsAllAndCountsOneRetry) {
  start(vcJob("j", 4, podTemplate(1), {policy("PodEvicted", "RestartJob")}));
  const std::string oldGroup = group()->metadata.uid;
  remove(1);
  remove(2);
  world_.runUntil(fromSeconds(20.2));
  EXPECT_EQ(phase(), "Restarting");
  EXPECT_EQ(group(), nullptr) << "the PodGroup goes with the restart";
  world_.runUntil(seconds(80));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(job()->status.retryCount, 1) << "its own deletions are no evictions";
  EXPECT_EQ(countOf(world_, TraceKind::PodCreated), 8u);
  EXPECT_NE(group()->metadata.uid, oldGroup);
}

TEST_F(VcJobControllerTest, RestartTaskDoesNotTriggerItself) {
  start(vcJob("j", 2, podTemplate(1), {policy("PodEvicted", "RestartTask")}));
  remove(1);
  world_.runUntil(seconds(80));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(job()->status.retryCount, 1);
  EXPECT_EQ(countOf(world_, TraceKind::PodCreated), 4u);
}

TEST_F(VcJobControllerTest, RetriesEndInFailed) {
  start(vcJob("j", 2, podTemplate(1), {policy("PodEvicted", "RestartJob")}));
  for (int i = 1; i <= 3; ++i) {
    remove(0);
    world_.runUntil(seconds(20 + 60 * i));
  }
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(job()->status.retryCount, 3);
  EXPECT_EQ(pods(), 0u);
}

TEST_F(VcJobControllerTest, AbortAndTerminateWaitForTheLastPod) {
  start(vcJob("j", 2, podTemplate(1, {{annotations::kStop, "20"}}), {policy("PodEvicted", "AbortJob")}));
  remove(0);
  world_.runUntil(seconds(30));
  EXPECT_EQ(phase(), "Aborting");
  world_.runUntil(seconds(60));
  EXPECT_EQ(phase(), "Aborted");
  EXPECT_EQ(pods(), 0u);
}

TEST_F(VcJobControllerTest, AFailedPodStaysWithoutAPolicyAndRestartsWithOne) {
  start(vcJob("j", 2, podTemplate(1, {{annotations::kFailAfter, "30"}})));
  world_.runUntil(seconds(60));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(countOf(world_, TraceKind::PodCreated), 2u);
  api::VcJob other = vcJob("k", 2, podTemplate(1, {{annotations::kFailAfter, "30"}}));
  other.spec.tasks[0].policies = {policy("*", "RestartJob")};
  world_.api().create(other);
  world_.runUntil(seconds(110));
  EXPECT_EQ(world_.store().find<api::VcJob>("default/k")->status.retryCount, 1);
}

TEST_F(VcJobControllerTest, ASuspendedJobHasNoPodsAndKeepsItsRetries) {
  start(vcJob("j", 4, podTemplate(1, {{annotations::kStop, "10"}}), {policy("PodEvicted", "RestartJob")}));
  annotate(names::kSuspend, "recall-1");
  world_.runUntil(seconds(25));
  EXPECT_EQ(phase(), "Suspending") << "until the last pod is gone";
  world_.runUntil(seconds(60));
  EXPECT_EQ(phase(), "Suspended");
  EXPECT_EQ(pods(), 0u);
  EXPECT_NE(group(), nullptr) << "it keeps its place in the queue";
  annotate(names::kLastCheckpoint, "2024-10-04T00:00:25Z");
  annotate(names::kSuspend, std::nullopt);
  world_.runUntil(seconds(80));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(job()->status.retryCount, 0);
  EXPECT_EQ(countOf(world_, TraceKind::PodCreated), 8u);
  EXPECT_EQ(pod(0)->metadata.annotations.at(names::kLastCheckpoint), "2024-10-04T00:00:25Z");
  EXPECT_EQ(pod(0)->spec.containers[0].env.at(0),
            (api::EnvVar{.name = names::kResumeFromEnv, .value = "2024-10-04T00:00:25Z"}));
}

TEST_F(VcJobControllerTest, FiveSuspensionsLeaveTheRetryBudgetAlone) {
  start(vcJob("j", 2, podTemplate(1), {policy("PodEvicted", "RestartJob")}));
  for (int round = 0; round < 5; ++round) {
    annotate(names::kSuspend, "recall-" + std::to_string(round));
    world_.runUntil(world_.elapsed() + seconds(30));
    annotate(names::kSuspend, std::nullopt);
    world_.runUntil(world_.elapsed() + seconds(30));
  }
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(job()->status.retryCount, 0);
}

TEST_F(VcJobControllerTest, AShrunkElasticJobKeepsItsLimitEvenWithARestartPolicy) {
  api::VcJob elastic = vcJob("j", 8, podTemplate(1), {policy("PodEvicted", "RestartJob")});
  elastic.spec.minAvailable = 1;
  start(elastic);
  annotate(names::kReplicasLimit, "3");
  for (const int index : {0, 2, 4, 6, 7}) remove(index);
  world_.runUntil(seconds(60));
  EXPECT_EQ(pods(), 3u);
  EXPECT_EQ(job()->status.retryCount, 0);
  annotate(names::kReplicasLimit, std::nullopt);
  world_.runUntil(seconds(80));
  EXPECT_EQ(pods(), 8u);
}

TEST_F(VcJobControllerTest, DeletingTheJobTakesPodsAndGroupAlong) {
  start(vcJob("j", 2, podTemplate(1)));
  world_.api().remove(refTo<api::VcJob>("default", "j"));
  world_.runUntil(seconds(60));
  EXPECT_EQ(pods(), 0u);
  EXPECT_TRUE(world_.store().all<api::PodGroup>().empty());
}

}  // namespace
}  // namespace tidegate::sim
