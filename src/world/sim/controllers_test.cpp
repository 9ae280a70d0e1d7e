#include <gtest/gtest.h>

#include <algorithm>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

namespace names = api::names;
using test::batchJob;
using test::countOf;
using test::deployment;
using test::exactOptions;
using test::FirstFitBrain;
using test::node;
using test::podTemplate;

class ControllersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2"}) ASSERT_TRUE(world_.api().create(node(name)).ok());
  }
  std::vector<PodPtr> active() {
    std::vector<PodPtr> out;
    for (const PodPtr& pod : world_.store().all<api::Pod>()) {
      if (isActive(*pod)) out.push_back(pod);
    }
    return out;
  }
  void remove(const PodPtr& pod, std::int64_t grace = 30) {
    ASSERT_TRUE(world_.api()
                    .remove(refTo<api::Pod>("default", pod->metadata.name),
                            {.uid = pod->metadata.uid, .graceSeconds = grace})
                    .ok());
  }
  std::shared_ptr<const api::BatchJob> job() { return world_.store().find<api::BatchJob>("default/j"); }
  bool holds(const char* type) {
    const api::Condition* found = findCondition(job()->status.conditions, type);
    return found && found->status == "True";
  }
  void suspend(bool value) {
    world_.api().modify<api::BatchJob>("default/j", "", [&](api::BatchJob& it) { it.spec.suspend = value; });
  }

  FirstFitBrain brain_;
  SimWorld world_{exactOptions(), &brain_};
};

TEST_F(ControllersTest, ADeploymentReplacesWhatIsDeletedAtOnce) {
  world_.api().create(deployment("web", 3, podTemplate(1)));
  world_.runUntil(seconds(20));
  ASSERT_EQ(active().size(), 3u);
  EXPECT_EQ(world_.store().find<api::Deployment>("default/web")->status.readyReplicas, 3);
  remove(active().front());
  world_.runUntil(fromSeconds(20.05));
  EXPECT_EQ(active().size(), 3u) << "the old one is still leaving";
  EXPECT_EQ(world_.store().all<api::Pod>().size(), 4u);
}

TEST_F(ControllersTest, ScalingADeploymentDownTakesTheUnboundTheCheapAndTheYoungFirst) {
  world_.api().create(deployment("web", 3, podTemplate(8)));  // two fit
  world_.runUntil(seconds(20));
  const auto scale = [&](std::int32_t replicas) {
    world_.api().modify<api::Deployment>("default/web", "",
                                         [&](api::Deployment& it) { it.spec.replicas = replicas; });
  };
  scale(2);
  world_.runUntil(seconds(21));
  ASSERT_EQ(active().size(), 2u);
  EXPECT_TRUE(std::ranges::all_of(active(), [](const PodPtr& pod) { return !pod->spec.nodeName.empty(); }));
  const std::string cheap = active().back()->metadata.name;
  world_.api().modify<api::Pod>("default/" + cheap, "", [](api::Pod& it) {
    it.metadata.annotations[names::kPodDeletionCost] = "-1000";
  });
  scale(1);
  world_.runUntil(seconds(22));
  ASSERT_EQ(active().size(), 1u);
  EXPECT_NE(active().front()->metadata.name, cheap);
}

TEST_F(ControllersTest, ABatchJobRunsToCompletion) {
  world_.api().create(batchJob("j", 4, podTemplate(1, {{annotations::kRun, "60"}})));
  world_.runUntil(seconds(40));
  EXPECT_EQ(job()->status.active, 4);
  world_.runUntil(seconds(100));
  EXPECT_TRUE(holds("Complete"));
  EXPECT_EQ(job()->status.succeeded, 4);
}

TEST_F(ControllersTest, FailuresOfABatchJobBackOffAndThenFailIt) {
  api::BatchJob failing = batchJob("j", 1,
                                   podTemplate(1, {{annotations::kFailAfter, "1"},
                                                   {annotations::kStart, "1"},
                                                   {annotations::kReady, "0"},
                                                   {annotations::kTeardown, "0"}}));
  failing.spec.backoffLimit = 3;
  world_.api().create(failing);
  world_.runUntil(seconds(600));
  std::vector<double> created;
  for (const TraceEntry& entry : world_.trace().entries()) {
    if (entry.kind == TraceKind::PodCreated) created.push_back(toSeconds(entry.at - world_.start()));
  }
  ASSERT_EQ(created.size(), 4u) << "more than 3 failures fail the Job";
  const double life = 2.5;  // about: start, one second, statuses
  EXPECT_NEAR(created[1] - created[0], 10 + life, 1);
  EXPECT_NEAR(created[2] - created[1], 20 + life, 1);
  EXPECT_NEAR(created[3] - created[2], 40 + life, 1);
  EXPECT_TRUE(holds("Failed"));
}

TEST_F(ControllersTest, SuspendingABatchJobDeletesItsPodsAndCountsNothing) {
  world_.api().create(batchJob("j", 8, podTemplate(1)));
  world_.runUntil(seconds(20));
  suspend(true);
  world_.runUntil(seconds(60));
  EXPECT_TRUE(world_.store().all<api::Pod>().empty());
  EXPECT_TRUE(holds("Suspended"));
  EXPECT_EQ(job()->status.failed, 0);
  EXPECT_EQ(countOf(world_, TraceKind::PodCreated), 8u) << "no pod of a suspended job is created";
  suspend(false);
  world_.runUntil(seconds(80));
  EXPECT_EQ(active().size(), 8u);
  EXPECT_FALSE(holds("Suspended"));
}

TEST_F(ControllersTest, PodsDeletedBySomebodyElseCountAgainstTheBackoffLimit) {
  world_.api().create(batchJob("j", 8, podTemplate(1)));
  world_.runUntil(seconds(20));
  remove(active().front());
  world_.runUntil(seconds(25));
  EXPECT_EQ(job()->status.failed, 1);
  EXPECT_EQ(active().size(), 7u) << "its successor waits for the back-off";
  world_.runUntil(seconds(40));
  EXPECT_EQ(active().size(), 8u);
  for (const PodPtr& pod : active()) remove(pod);
  world_.runUntil(seconds(60));
  EXPECT_TRUE(holds("Failed")) << "8 more are over the limit of 6";
}

TEST_F(ControllersTest, DeletedOwnersTakeTheirPodsAlong) {
  world_.api().create(batchJob("j", 2, podTemplate(1)));
  world_.api().create(deployment("web", 2, podTemplate(1)));
  world_.runUntil(seconds(20));
  world_.api().remove(refTo<api::BatchJob>("default", "j"));
  world_.api().remove(refTo<api::Deployment>("default", "web"));
  world_.runUntil(seconds(60));
  EXPECT_TRUE(world_.store().all<api::Pod>().empty());
}

TEST_F(ControllersTest, BarePodsAreNeverRecreated) {
  world_.api().create(test::pod("a", 1));
  world_.runUntil(seconds(20));
  ASSERT_EQ(active().size(), 1u);
  remove(active().front());
  world_.runUntil(seconds(100));
  EXPECT_TRUE(world_.store().all<api::Pod>().empty());
}

}  // namespace
}  // namespace tidegate::sim
