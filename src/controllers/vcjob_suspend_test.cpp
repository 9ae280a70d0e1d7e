// Suspension, resuming and shrinking of a job by tidegate's marks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/vcjob_fake.hpp"

namespace tidegate::vcjob {
namespace {

namespace names = api::names;
using test::FakeCluster;
using test::jobText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kJob = "Job/default/j";
const std::string kRestarts = "policies: [{event: PodEvicted, action: RestartJob}],";

struct VcJobSuspendTest : testing::Test {
  void start(const std::string& text) {
    ASSERT_TRUE(cluster.create(text));
    cluster.settle();
    ASSERT_EQ(cluster.phase(), "Running");
  }
  void suspend(const std::string& by = "recall-1") {
    cluster.annotate(kJob, names::kSuspendedAt, "2026-01-01T00:00:00Z");
    cluster.annotate(kJob, names::kSuspend, json::string(by));
  }
  void resume() {
    cluster.annotate(kJob, names::kSuspend, nullptr);
    cluster.annotate(kJob, names::kSuspendedAt, nullptr);
    cluster.settle();
  }
  api::VcJobStatus status() { return cluster.job().status; }
  FakeCluster cluster;
};

TEST_F(VcJobSuspendTest, KeepsItsPodGroupAndNoPods) {
  start(jobText(3, kRestarts));
  suspend();
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), IsEmpty());
  EXPECT_TRUE(cluster.find<api::PodGroup>("j-" + cluster.job().metadata.uid));
  EXPECT_EQ(status().state.phase, "Pending");
  EXPECT_EQ(status().state.reason, "Recalled");
  EXPECT_EQ(status().state.message, "recalled by recall-1 since 2026-01-01T00:00:00Z");
  EXPECT_EQ(status().retryCount, 0);
  cluster.advance(seconds(3600));
  EXPECT_THAT(cluster.podNames(), IsEmpty());
}

TEST_F(VcJobSuspendTest, AUsersOwnSuspensionSaysSo) {
  start(jobText(1));
  cluster.annotate(kJob, names::kSuspend, "anna");
  cluster.settle();
  EXPECT_EQ(status().state.reason, "Suspended");
  EXPECT_THAT(status().state.message, HasSubstr("suspended by anna since 2023-11-14T22:13:20Z"));
}

TEST_F(VcJobSuspendTest, ComesBackWithItsCheckpoint) {
  start(jobText(2));
  suspend();
  cluster.settle();
  cluster.annotate(kJob, names::kLastCheckpoint, "2026-01-01T00:00:00Z");
  resume();
  EXPECT_EQ(status().state.phase, "Running");
  EXPECT_EQ(status().state.reason, "");
  EXPECT_EQ(status().retryCount, 0);
  const api::Pod pod = cluster.find<api::Pod>("j-worker-1").value();
  EXPECT_EQ(pod.metadata.annotations.at(names::kLastCheckpoint), "2026-01-01T00:00:00Z");
  EXPECT_THAT(pod.spec.containers.at(0).env,
              ElementsAre(api::EnvVar{.name = names::kResumeFromEnv, .value = "2026-01-01T00:00:00Z"}));
}

TEST_F(VcJobSuspendTest, NeverDeletesAPodThatIsTerminating) {
  start(jobText(2, kRestarts));
  cluster.stopsPods = false;
  cluster.evict("j-worker-0");
  cluster.evict("j-worker-1");
  suspend();
  cluster.settle();
  EXPECT_THAT(cluster.sent<DeletePod>(), IsEmpty());
}

TEST_F(VcJobSuspendTest, PodsThatEndWhileItIsSuspendedBurnNoRetry) {
  start(jobText(2, "policies: [{event: '*', action: RestartJob}],"));
  suspend();
  cluster.setPod("j-worker-0", "Failed", 143);
  cluster.settle();
  resume();
  EXPECT_EQ(status().state.phase, "Running");
  EXPECT_EQ(status().retryCount, 0);
  EXPECT_THAT(cluster.podNames(), SizeIs(2));
}

TEST_F(VcJobSuspendTest, ARecalledPodsEvictionBurnsNoRetry) {
  start(jobText(2, kRestarts));
  cluster.annotate("Pod/default/j-worker-0", names::kRecalledBy, "recall-1");
  cluster.evict("j-worker-0");
  cluster.settle();
  EXPECT_EQ(status().retryCount, 0);
  EXPECT_THAT(cluster.podNames(), SizeIs(2));
}

TEST_F(VcJobSuspendTest, FiveSuspensionsLeaveTheRetryBudgetAlone) {
  start(jobText(2, kRestarts));
  for (int i = 0; i < 5; ++i) {
    suspend("recall-" + std::to_string(i));
    cluster.settle();
    resume();
  }
  EXPECT_EQ(status().state.phase, "Running");
  EXPECT_EQ(status().retryCount, 0);
}

TEST_F(VcJobSuspendTest, DoneSinglePodsAreNotDoneAgainAndGangsStartWhole) {
  start(jobText(3, "minAvailable: 1,"));
  cluster.setPod("j-worker-0", "Succeeded");
  const std::string done = cluster.find<api::Pod>("j-worker-0")->metadata.uid;
  suspend();
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-worker-0"));
  resume();
  EXPECT_EQ(cluster.find<api::Pod>("j-worker-0")->metadata.uid, done);
  EXPECT_THAT(cluster.podNames(), SizeIs(3));
}

TEST_F(VcJobSuspendTest, AGangsDonePodsStartAgainWithTheOthers) {
  start(jobText(3));
  cluster.setPod("j-worker-0", "Succeeded");
  suspend();
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), IsEmpty());
  resume();
  EXPECT_THAT(cluster.podNames(), SizeIs(3));
}

TEST_F(VcJobSuspendTest, AJobThatEndsWhenItIsSuspendedHasEnded) {
  start(jobText(2));
  cluster.setPod("j-worker-0", "Succeeded");
  cluster.setPod("j-worker-1", "Succeeded");
  suspend();
  cluster.settle();
  EXPECT_EQ(status().state.phase, "Completed");
}

TEST_F(VcJobSuspendTest, ANewJobMayBeSuspended) {
  ASSERT_TRUE(cluster.create(jobText(2)));
  cluster.annotate(kJob, names::kSuspend, "anna");
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), IsEmpty());
  resume();
  EXPECT_THAT(cluster.podNames(), SizeIs(2));
}

TEST_F(VcJobSuspendTest, ASuspendedJobCanBeAbortedAndResumedByOrders) {
  start(jobText(1));
  suspend();
  cluster.settle();
  cluster.create(
      "{apiVersion: bus.volcano.sh/v1alpha1, kind: Command, metadata: {name: c, namespace: default}, action: "
      "AbortJob, target: {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j}}");
  cluster.settle();
  EXPECT_EQ(status().state.phase, "Aborted");
  resume();
  EXPECT_EQ(status().state.phase, "Aborted");
}

TEST_F(VcJobSuspendTest, AShrunkJobKeepsItsLimitEvenWithARestartPolicy) {
  start(jobText(8, kRestarts + " minAvailable: 1,"));
  cluster.annotate(kJob, names::kReplicasLimit, "3");
  for (const char* index : {"0", "2", "4", "6", "7"}) cluster.evict(std::string("j-worker-") + index);
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-worker-1", "j-worker-3", "j-worker-5"));
  EXPECT_EQ(status().retryCount, 0);
  EXPECT_EQ(status().state.phase, "Running");
  cluster.annotate(kJob, names::kReplicasLimit, nullptr);
  cluster.settle();
  EXPECT_THAT(cluster.podNames(), SizeIs(8));
}

TEST_F(VcJobSuspendTest, AShrunkJobCompletesWithThePodsItHas) {
  start(jobText(4, "minAvailable: 1,"));
  cluster.annotate(kJob, names::kReplicasLimit, "1");
  for (const char* index : {"1", "2", "3"}) cluster.evict(std::string("j-worker-") + index);
  cluster.settle();
  cluster.setPod("j-worker-0", "Succeeded");
  cluster.settle();
  EXPECT_EQ(status().state.phase, "Completed");
  EXPECT_THAT(cluster.podNames(), ElementsAre("j-worker-0"));
}

}  // namespace
}  // namespace tidegate::vcjob
