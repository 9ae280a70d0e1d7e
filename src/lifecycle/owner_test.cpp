// How each kind of owner is told to stop, to shrink, and to come back.
#include "lifecycle/owner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/lifecycle_fixture.hpp"
#include "lifecycle/suspended_jobs.hpp"

namespace tidegate::lifecycle::test {
namespace {

class OwnerTest : public testing::TestWithParam<OwnerKind> {
 protected:
  void given(JobShape shape) {
    shape.owner = GetParam();
    owner_ = {.kind = GetParam(), .key = "default/train"};
    api_.putJob(shape);
    api_.show(state_);
  }
  void stop(const StopOrder& order) {
    auto patch = stopPatch(state_, owner_, order);
    ASSERT_TRUE(patch);
    api_.carryOut(*patch, order.now);
    api_.show(state_);
    EXPECT_TRUE(isStopped(state_, owner_, order));
    EXPECT_FALSE(stopPatch(state_, owner_, order)) << "asked twice";
  }
  void resumeAll(double t, std::int32_t count) {
    const auto jobs = suspendedJobs(state_);
    ASSERT_EQ(jobs.size(), 1u);
    Acts acts;
    resume(state_, jobs[0], count, at(t), acts);
    for (const auto& act : acts.list) api_.carryOut(act.action, at(t));
    api_.show(state_);
  }
  const api::StringMap& annotations() { return ownerMetadata(state_, owner_)->annotations; }
  // Pods the owner would keep, as its controller reads it.
  std::int32_t wanted() {
    if (GetParam() == OwnerKind::VcJob) {
      if (annotations().contains(names::kSuspend)) return 0;
      auto limit = annotations().find(names::kReplicasLimit);
      return limit == annotations().end() ? 8 : std::stoi(limit->second);
    }
    if (GetParam() == OwnerKind::BatchJob) {
      const auto& spec = api_.find<api::BatchJob>("train")->spec;
      return spec.suspend.value_or(false) ? 0 : *spec.parallelism;
    }
    if (GetParam() == OwnerKind::StatefulSet) return *api_.find<api::StatefulSet>("train")->spec.replicas;
    return *api_.find<api::Deployment>("train")->spec.replicas;
  }

  TinyApi api_;
  ClusterState state_;
  Owner owner_;
};

StopOrder order(const std::string& recall, bool whole = true, std::int32_t keep = 0) {
  return {.recall = recall, .whole = whole, .keep = keep, .now = at(10), .checkpoint = at(4)};
}

TEST_P(OwnerTest, WholeStopAndResumeGiveEverythingBack) {
  given({.pods = 8, .minMember = 1});
  stop(order("recall-1"));
  EXPECT_EQ(wanted(), 0);
  EXPECT_EQ(annotations().at(names::kEvictions), "1");
  EXPECT_EQ(annotations().at(names::kLastCheckpoint), formatTime(at(4)));
  EXPECT_EQ(suspendedJobs(state_).at(0).query.pods.size(), 8u);
  EXPECT_EQ(suspendedJobs(state_).at(0).suspendedAt, at(10));
  resumeAll(50, 8);
  EXPECT_EQ(wanted(), 8);
  EXPECT_TRUE(suspendedJobs(state_).empty());
  EXPECT_EQ(annotations().at(names::kResumedAt), formatTime(at(50)));
  EXPECT_EQ(annotations().at(names::kLastCheckpoint), formatTime(at(4)));  // what it resumes from
}

TEST_P(OwnerTest, ShrunkJobGrowsPodByPodOrWhole) {
  given({.pods = 8, .minMember = 1});
  stop(order("recall-1", false, 5));
  EXPECT_EQ(wanted(), 5);
  EXPECT_EQ(suspendedJobs(state_).at(0).query.pods.size(), 3u);
  resumeAll(50, 1);
  EXPECT_EQ(wanted(), 6);
  EXPECT_EQ(suspendedJobs(state_).at(0).query.pods.size(), 2u);
  resumeAll(60, 2);
  EXPECT_EQ(wanted(), 8);
  EXPECT_TRUE(suspendedJobs(state_).empty());
}

TEST_P(OwnerTest, JobShrunkTwiceAndThenStoppedComesBackComplete) {
  given({.pods = 8, .minMember = 1});
  stop(order("recall-1", false, 5));
  stop(order("recall-2", false, 3));
  stop(order("recall-3"));
  EXPECT_EQ(wanted(), 0);
  EXPECT_EQ(annotations().at(names::kEvictions), "3");
  resumeAll(90, 8);
  EXPECT_EQ(wanted(), 8);
  EXPECT_TRUE(suspendedJobs(state_).empty());
}

INSTANTIATE_TEST_SUITE_P(Kinds, OwnerTest,
                         testing::Values(OwnerKind::VcJob, OwnerKind::BatchJob, OwnerKind::Deployment,
                                         OwnerKind::StatefulSet),
                         [](const auto& kind) {
                           return std::string(text(kind.param)).substr(0, 3) +
                                  std::to_string(static_cast<int>(kind.param));
                         });

TEST(Owner, PodsOfADeploymentAreFollowedPastTheirReplicaSet) {
  TinyApi api;
  ClusterState state;
  api.putJob({.name = "web-app", .owner = OwnerKind::Deployment, .group = false});
  api.show(state);
  const GangId gang = state.pod(state.findPod("default/web-app-0")).gang;
  const Owner owner = ownerOf(state, state.gang(gang));
  EXPECT_EQ(owner.kind, OwnerKind::Deployment);
  EXPECT_EQ(owner.key, "default/web-app");
}

TEST(Owner, BarePodAndUnknownControllerCannotBeSuspended) {
  TinyApi api;
  ClusterState state;
  api.putJob({.name = "bare", .owner = OwnerKind::Pod, .group = false});
  api.show(state);
  const Owner bare = ownerOf(state, state.gang(state.pod(state.findPod("default/bare-0")).gang));
  EXPECT_EQ(bare.kind, OwnerKind::Pod);
  EXPECT_EQ(ownerMetadata(state, bare), nullptr);
  EXPECT_TRUE(isStopped(state, bare, order("recall-1")));
  GangInfo odd;
  odd.key = "default/odd";
  odd.owner = {.apiVersion = "example.com/v1", .kind = "OddJob", .name = "o", .uid = "u", .controller = true};
  EXPECT_EQ(ownerOf(state, odd).kind, OwnerKind::Other);
}

TEST(SuspendedJobs, StandInQueueOrder) {
  TinyApi api;
  ClusterState state;
  api::PriorityClass high;
  high.metadata.name = "high";
  high.metadata.uid = "uid-high";
  high.value = 100;
  api.put(high);
  for (const char* name : {"c", "b", "a"}) {
    api::Object owner = ownerObject(JobShape{.name = name});
    auto& job = std::get<api::VcJob>(owner);
    job.metadata.annotations[names::kSuspend] = "recall-1";
    if (std::string_view(name) == "c") job.spec.priorityClassName = "high";
    if (std::string_view(name) == "a") job.metadata.creationTimestamp = at(5);
    api.put(owner);
  }
  api.show(state);
  std::vector<std::string> order;
  for (const auto& job : suspendedJobs(state)) order.push_back(job.owner.key);
  EXPECT_THAT(order, testing::ElementsAre("default/c", "default/b", "default/a"));
}

}  // namespace
}  // namespace tidegate::lifecycle::test
