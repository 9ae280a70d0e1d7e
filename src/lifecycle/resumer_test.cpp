// When a recalled job comes back, and when not yet.
#include "lifecycle/resumer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/lifecycle_fixture.hpp"

namespace tidegate::lifecycle::test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class ResumerTest : public testing::Test {
 protected:
  ResumerTest() {
    api_.put(nodeOf("n1"));
    api::Queue queue;
    queue.metadata.name = "offline";
    queue.metadata.uid = "uid-offline";
    api_.put(queue);
  }

  // A vcjob of two pods with four GPUs each, suspended at `t` by recall-1.
  void suspended(const std::string& name, double t, api::StringMap more = {}) {
    api::Object owner = ownerObject(JobShape{.name = name});
    auto& annotations = api::metadataOf(owner).annotations;
    annotations = std::move(more);
    annotations[names::kSuspend] = "recall-1";
    annotations[names::kSuspendedAt] = formatTime(at(t));
    annotations.try_emplace(names::kEvictions, "1");
    api_.put(owner);
    api::PodGroup group = groupOf(JobShape{.name = name});
    group.metadata.annotations[names::kRecalledBy] = "recall-1";
    api_.put(group);
  }
  void recall(const char* phase) {
    api::Recall record = recallOf({});
    record.metadata.uid = "uid-recall-1";
    record.status.phase = phase;
    api_.put(record);
  }

  // The owners and groups that are patched.
  std::vector<std::string> planAt(double t) {
    api_.show(state_);
    const Acts acts = resumer_.plan(state_, {}, at(t));
    wakeAt_ = acts.wakeAt;
    std::vector<std::string> patched;
    for (const auto& act : acts.list) {
      api_.carryOut(act.action, at(t));
      if (const auto* patch = std::get_if<Patch>(&act.action)) patched.push_back(patch->target.name);
    }
    return patched;
  }
  bool isSuspended(const std::string& name) {
    return api_.find<api::VcJob>(name)->metadata.annotations.contains(names::kSuspend);
  }

  TinyApi api_;
  ClusterState state_;
  Resumer resumer_{ResumeOptions{}};
  std::optional<Time> wakeAt_;
};

TEST_F(ResumerTest, WaitsForItsCooldownThenTakesAllMarksOff) {
  suspended("train", 0);
  recall(recall_phase::kHandedOver);
  EXPECT_THAT(planAt(29), IsEmpty());
  EXPECT_EQ(wakeAt_, at(30));
  EXPECT_THAT(planAt(30), testing::UnorderedElementsAre("train", "train-pg"));
  EXPECT_FALSE(isSuspended("train"));
  const auto& group = api_.find<api::PodGroup>("train-pg")->metadata.annotations;
  EXPECT_FALSE(group.contains(names::kRecalledBy));
  EXPECT_EQ(group.at(names::kResumedAt), formatTime(at(30)));
}

TEST_F(ResumerTest, NotWhileGpusComeFreeOneAfterAnother) {
  suspended("train", 0);
  recall(recall_phase::kHandedOver);
  const JobShape peak{.name = "peak", .pods = 3, .owner = OwnerKind::Pod, .group = false};
  for (int i = 0; i < 3; ++i) api_.put(podOf(peak, i));
  EXPECT_THAT(planAt(10), IsEmpty());
  for (int i = 0; i < 3; ++i) {
    api_.drop(api::refOf(podOf(peak, i)));
    EXPECT_THAT(planAt(29 + i), IsEmpty()) << "one more has just ended";
    EXPECT_EQ(wakeAt_, i == 0 ? at(30) : at(31 + i));
  }
  EXPECT_THAT(planAt(33), Contains("train"));
}

TEST(FreeingWatch, WorkThatEndsAllTheTimePutsNothingOffForEver) {
  FreeingWatch watch;
  EXPECT_LE(watch.settledAt(), at(0));
  watch.note(100, at(0));
  for (int t = 1; t <= 40; ++t) watch.note(100 - t, at(t));
  EXPECT_EQ(watch.settledAt(), at(16)) << "fifteen seconds after the first";
  watch.note(200, at(41));
  EXPECT_EQ(watch.settledAt(), at(16)) << "work that begins frees nothing";
  watch.note(199, at(50));
  EXPECT_EQ(watch.settledAt(), at(52)) << "it was quiet before";
}

TEST_F(ResumerTest, NeverWhileItsRecallIsActive) {
  suspended("train", 0);
  for (const char* phase : {recall_phase::kPlanned, recall_phase::kStopping, recall_phase::kReleased}) {
    recall(phase);
    EXPECT_THAT(planAt(1000), IsEmpty()) << phase;
  }
  recall(recall_phase::kAbandoned);
  EXPECT_THAT(planAt(1000), Contains("train"));
}

TEST_F(ResumerTest, NeverWhileTheDemandThatTookItsGpusWaits) {
  suspended("train", 0);
  recall(recall_phase::kHandedOver);
  api_.putJob(demandShape());
  EXPECT_THAT(planAt(1000), IsEmpty());
  api_.change<api::Pod>("web-0", [](auto& pod) { pod.spec.nodeName = "elsewhere"; });
  EXPECT_THAT(planAt(1001), Contains("train"));
}

TEST_F(ResumerTest, NeverBesideAPodOfItsFormerLife) {
  suspended("train", 0);
  api_.put(podOf({.name = "train"}, 0));
  EXPECT_THAT(planAt(1000), IsEmpty());
  api_.drop(api::refOf(podOf({.name = "train"}, 0)));
  EXPECT_THAT(planAt(1001), IsEmpty()) << "more may come free";
  EXPECT_THAT(planAt(1003), Contains("train"));
}

TEST_F(ResumerTest, OnlyWhenTheWholeGangFits) {
  suspended("train", 0);
  api_.putJob({.name = "other", .pods = 1, .minMember = 1});  // leaves room for one of two
  EXPECT_THAT(planAt(1000), IsEmpty());
  api_.drop(api::refOf(podOf({.name = "other"}, 0)));
  EXPECT_THAT(planAt(1001), IsEmpty()) << "more may come free";
  EXPECT_THAT(planAt(1003), Contains("train"));
}

TEST_F(ResumerTest, OneAtATimeAndNotIntoTheRoomOfTheOneBefore) {
  suspended("a", 0);
  suspended("b", 0);
  EXPECT_THAT(planAt(100), Contains("a"));
  EXPECT_EQ(wakeAt_, at(100.5));
  EXPECT_THAT(planAt(100.2), Not(Contains("b")));
  EXPECT_THAT(planAt(100.5), Not(Contains("b"))) << "the pods of a are still to come";
  api_.put(nodeOf("n2"));
  EXPECT_THAT(planAt(101), Contains("b"));
}

TEST_F(ResumerTest, AWaitingPodThatIsYoungerDoesNotCountAgainstIt) {
  suspended("train", 0);
  api_.putJob({.name = "young", .pods = 1, .minMember = 1, .node = ""});
  api_.change<api::PodGroup>("young-pg", [](auto& group) { group.metadata.creationTimestamp = at(10); });
  EXPECT_THAT(planAt(100), Contains("train"));
}

TEST_F(ResumerTest, AWaitingPodThatIsOlderGoesFirst) {
  suspended("train", 0);
  api_.putJob({.name = "old", .pods = 1, .minMember = 1, .node = ""});
  api_.change<api::PodGroup>("old-pg", [](auto& group) { group.metadata.creationTimestamp = at(-10); });
  EXPECT_THAT(planAt(100), IsEmpty());
}

TEST_F(ResumerTest, TellsTheSchedulerWhoMayComeBackAndWhoseRoomIsTakenAlready) {
  suspended("a", 0);
  suspended("b", 60);
  api_.show(state_);
  auto jobs = resumer_.returning(state_, at(10));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].key, "default/a");
  EXPECT_FALSE(jobs[0].notYet) << "a cools down, and keeps its place meanwhile";
  EXPECT_TRUE(jobs[1].notYet) << "b's turn is far off";
  EXPECT_THAT(planAt(10), IsEmpty());
  jobs = resumer_.returning(state_, at(50));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].key, "default/a");
  EXPECT_EQ(jobs[0].created, kStart) << "when it was submitted, not when it was recalled";
  EXPECT_FALSE(jobs[0].underWay || jobs[0].insists);
  EXPECT_THAT(planAt(50), Contains("a"));
  jobs = resumer_.returning(state_, at(51));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_TRUE(jobs[0].underWay);
  EXPECT_EQ(jobs[0].query.pods.size(), 2u);
  // Its first pod is there, unbound: a gang needs all its room. With the second nothing is missing.
  api_.put(podOf({.name = "a", .node = ""}, 0));
  api_.show(state_);
  EXPECT_EQ(resumer_.returning(state_, at(51))[0].query.pods.size(), 2u);
  api_.put(podOf({.name = "a", .node = ""}, 1));
  api_.show(state_);
  EXPECT_THAT(resumer_.returning(state_, at(51))[0].query.pods, IsEmpty());
  jobs = resumer_.returning(state_, at(700));
  ASSERT_EQ(jobs.size(), 1u) << "the claim of a is over";
  EXPECT_EQ(jobs[0].key, "default/b");
  EXPECT_TRUE(jobs[0].insists) << "it could have come back ten minutes ago";
}

TEST_F(ResumerTest, JobRecalledAgainSoonAfterAResumeWaitsTwiceAsLongEachTime) {
  SuspendedJob job;
  const ResumeOptions options;
  job.evictions = 3;
  job.suspendedAt = at(1000);
  EXPECT_EQ(cooldownOf(job, options), seconds(30));
  job.resumedAt = at(900);
  EXPECT_EQ(cooldownOf(job, options), seconds(120));
  job.resumedAt = at(100);  // it had run for long
  EXPECT_EQ(cooldownOf(job, options), seconds(30));
  job.resumedAt = at(900);
  job.evictions = 99;
  EXPECT_EQ(cooldownOf(job, options), seconds(30 * 32));
}

TEST_F(ResumerTest, MarkOfARecallThatIsGoneIsSwept) {
  api_.put(ownerObject(JobShape{}));
  api::PodGroup group = groupOf({});
  group.metadata.annotations[names::kRecalledBy] = "recall-0";
  api_.put(group);
  EXPECT_THAT(planAt(10), testing::ElementsAre("train-pg"));
  EXPECT_FALSE(api_.find<api::PodGroup>("train-pg")->metadata.annotations.contains(names::kRecalledBy));
  EXPECT_THAT(planAt(11), IsEmpty());
}

}  // namespace
}  // namespace tidegate::lifecycle::test
