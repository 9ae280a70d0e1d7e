// What is learned from a recall, and how it is mixed with what was known.
#include "lifecycle/learned_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/recall_machine_fixture.hpp"

namespace tidegate::lifecycle::test {
namespace {

class LearnedTimes : public RecallMachineTest {
 protected:
  // Asked at 0, saved at 2, gone at `gone`.
  void recall(double gone) {
    given({.podAnnotations = {{names::kCheckpointDuration, "2s"}}});
    stepAt(0);
    for (const char* name : {"train-0", "train-1"}) {
      api_.change<api::Pod>(name,
                            [](auto& pod) { pod.metadata.annotations[names::kCheckpointDone] = "recall-1"; });
    }
    api_.show(state_);
    stepAt(2);
    stepAt(2.1);
    podsGo({});
    stepAt(gone);
  }
  const api::StringMap& owner() { return api_.find<api::VcJob>("train")->metadata.annotations; }
  const api::StringMap& group() { return api_.find<api::PodGroup>("train-pg")->metadata.annotations; }
};

TEST_F(LearnedTimes, FirstRecallIsTakenAsItWas) {
  recall(5.25);
  for (const auto* annotations : {&owner(), &group()}) {
    EXPECT_EQ(annotations->at(names::kCheckpointDuration), "2s");
    EXPECT_EQ(parseDuration(annotations->at(names::kStopDuration)), milliseconds(3300)) << "rounded up";
    EXPECT_EQ(annotations->at(names::kMeasuredBy), "recall-1");
  }
  EXPECT_EQ(state_.gang(state_.findGang("default/train-pg")).stopDuration, milliseconds(3300));
}

TEST_F(LearnedTimes, AreMixedButNeverBelowTheLast) {
  JobShape shape;
  api_.putJob(shape);
  api_.change<api::VcJob>("train", [](auto& job) { job.metadata.annotations[names::kStopDuration] = "9s"; });
  api_.show(state_);
  record_ = recallOf({shape});
  auto& victim = record_.spec.victims[0];
  victim.signalledAt = at(0);
  victim.checkpointedAt = at(4);
  victim.stoppingAt = at(4);
  victim.releasedAt = at(7);
  Acts acts;
  learn(victim, {.state = state_, .recall = record_, .options = options_, .now = at(7)}, acts);
  const auto& patch = std::get<Patch>(acts.list.at(0).action);
  EXPECT_EQ(patch.annotations.at(names::kStopDuration), "7s");        // 9 less a third of 6
  EXPECT_EQ(patch.annotations.at(names::kCheckpointDuration), "4s");  // nothing was known
}

TEST_F(LearnedTimes, AreLearnedOnce) {
  recall(5);
  for (const auto& patch : actsAt<Patch>(6)) EXPECT_FALSE(patch.annotations.contains(names::kMeasuredBy));
}

TEST_F(LearnedTimes, AStopThatTheDeadlineCutTeachesNothing) {
  recall(13.5);
  EXPECT_FALSE(owner().contains(names::kStopDuration));
  EXPECT_EQ(owner().at(names::kCheckpointDuration), "2s");
}

}  // namespace
}  // namespace tidegate::lifecycle::test
