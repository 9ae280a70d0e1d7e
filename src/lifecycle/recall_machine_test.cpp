// The recall machine, transition by transition: what the objects show, what is asked for.
#include "lifecycle/recall_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/recall_machine_fixture.hpp"

namespace tidegate::lifecycle::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class RecallMachine : public RecallMachineTest {};

JobShape saving() {
  return {.podAnnotations = {{names::kCheckpointPort, "8080"}, {names::kCheckpointPath, "/save"}}};
}

TEST_F(RecallMachine, JobThatDeclaresNothingIsHeldAndStoppedInOneStep) {
  given({});
  EXPECT_THAT(stepAt(0),
              UnorderedElementsAre("recall-1/mark/default/train-pg", "recall-1/stop/default/train"));
  EXPECT_EQ(phase(), "Stopping");
  EXPECT_EQ(overall(), "Stopping");
  EXPECT_EQ(record_.spec.victims[0].signalledAt, std::nullopt);
}

TEST_F(RecallMachine, DeclaredPortIsAskedOverHttpAndByAnnotation) {
  given(saving());
  EXPECT_THAT(stepAt(0), UnorderedElementsAre("recall-1/mark/default/train-pg", "recall-1/ask/uid-train-0-0",
                                              "recall-1/ask/uid-train-1-0", "recall-1/signal/uid-train-0-0",
                                              "recall-1/signal/uid-train-1-0"));
  EXPECT_EQ(phase(), "Signalled");
  EXPECT_EQ(record_.spec.victims[0].signalledAt, at(0));
  EXPECT_EQ(api_.find<api::Pod>("train-0")->metadata.annotations.at(names::kCheckpointRequested),
            "recall-1 " + formatTime(at(15)));
  const auto signals = actsAt<Signal>(1);
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].port, "8080");
  EXPECT_EQ(signals[0].path, "/save");
  EXPECT_EQ(signals[0].deadline, at(15));
}

TEST_F(RecallMachine, DeclaredDurationIsAskedByAnnotationOnly) {
  given({.podAnnotations = {{names::kCheckpointDuration, "2s"}}});
  EXPECT_THAT(stepAt(0), UnorderedElementsAre("recall-1/mark/default/train-pg", "recall-1/ask/uid-train-0-0",
                                              "recall-1/ask/uid-train-1-0"));
}

TEST_F(RecallMachine, GangStopsWhenItsLastPodHasAnswered) {
  given(saving());
  stepAt(0);
  answered_.insert("uid-train-0-0");
  EXPECT_THAT(stepAt(2), ElementsAre("recall-1/signal/uid-train-1-0"));
  EXPECT_EQ(phase(), "Signalled");
  api_.change<api::Pod>("train-1",
                        [](auto& pod) { pod.metadata.annotations[names::kCheckpointDone] = "recall-1"; });
  api_.show(state_);
  EXPECT_THAT(stepAt(4), ElementsAre("recall-1/stop/default/train"));
  EXPECT_EQ(phase(), "Stopping");
  EXPECT_EQ(record_.spec.victims[0].checkpointedAt, at(4));
  EXPECT_EQ(api_.find<api::VcJob>("train")->metadata.annotations.at(names::kLastCheckpoint),
            formatTime(at(4)));
}

TEST_F(RecallMachine, AnswerToAnotherRecallDoesNotCount) {
  given({.podAnnotations = {{names::kCheckpointDuration, "2s"}, {names::kCheckpointDone, "recall-0"}}});
  stepAt(0);
  EXPECT_EQ(phase(), "Signalled");
}

TEST_F(RecallMachine, UnansweredGangIsStoppedWhenItsShareOfTheDeadlineIsUsedUp) {
  JobShape shape = saving();
  given(shape);
  stepAt(0);
  EXPECT_EQ(wakeAt_, at(10));  // 15 s less 3 s to stop and 2 s until the devices are free
  stepAt(9.999);
  EXPECT_EQ(phase(), "Signalled");
  stepAt(10);
  EXPECT_EQ(phase(), "Stopping");
  EXPECT_EQ(record_.spec.victims[0].checkpointedAt, std::nullopt);
}

TEST_F(RecallMachine, DeclaredStopDurationIsKeptBackFromTheDeadline) {
  given(saving());
  api_.change<api::PodGroup>("train-pg",
                             [](auto& group) { group.metadata.annotations[names::kStopDuration] = "6s"; });
  api_.show(state_);
  stepAt(0);
  EXPECT_EQ(wakeAt_, at(7));
}

TEST_F(RecallMachine, GpusCountAsReleasedOnlyWhenTheLastPodIsGone) {
  const JobShape shape;
  given(shape);
  stepAt(0);
  api_.drop(api::refOf(podOf(shape, 0)));
  api_.show(state_);
  stepAt(5);
  EXPECT_EQ(phase(), "Stopping");
  api_.drop(api::refOf(podOf(shape, 1)));
  api_.show(state_);
  stepAt(7);
  EXPECT_EQ(phase(), "Released");
  EXPECT_EQ(record_.spec.victims[0].releasedAt, at(7));
  EXPECT_EQ(overall(), "Released");
}

TEST_F(RecallMachine, PodThatExitsOnTheSignalCountsAsStoppedWhateverItsExitCode) {
  given({});
  stepAt(0);
  for (const char* name : {"train-0", "train-1"}) {
    api_.change<api::Pod>(name, [](auto& pod) { pod.status.phase = "Succeeded"; });
  }
  api_.show(state_);
  stepAt(3);
  EXPECT_EQ(phase(), "Released");
  EXPECT_EQ(api_.find<api::VcJob>("train")->metadata.annotations.at(names::kSuspend), "recall-1");
}

TEST_F(RecallMachine, HandedOverWhenTheDemandIsReady) {
  const JobShape shape;
  given(shape);
  stepAt(0);
  podsGo(shape);
  stepAt(5);
  EXPECT_EQ(wakeAt_, at(125));
  api_.change<api::Pod>("web-0", [](auto& pod) {
    pod.spec.nodeName = "n1";
    pod.status.phase = "Running";
    pod.status.conditions.push_back(
        {.type = "Ready", .status = "True", .reason = "", .message = "", .lastTransitionTime = {}});
  });
  api_.show(state_);
  EXPECT_THAT(stepAt(8), IsEmpty());
  EXPECT_EQ(overall(), "HandedOver");
  EXPECT_EQ(record_.status.handedOverAt, at(8));
}

TEST_F(RecallMachine, HandedOverWhenTheHoldRunsOut) {
  const JobShape shape;
  given(shape);
  stepAt(0);
  podsGo(shape);
  stepAt(5);
  stepAt(124.9);
  EXPECT_EQ(overall(), "Released");
  stepAt(125);
  EXPECT_EQ(overall(), "HandedOver");
}

TEST_F(RecallMachine, NotHandedOverBeforeTheOwnerIsSeenSuspended) {
  const JobShape shape;
  given(shape);
  record_ = asked(0).record;  // decided, and every command of that step lost
  podsGo(shape);
  record_.spec.placements.clear();  // nobody waits: only the owner is missing
  EXPECT_THAT(stepAt(500), testing::Contains("recall-1/stop/default/train"));
  EXPECT_EQ(overall(), "Released");
  stepAt(501);
  EXPECT_EQ(overall(), "HandedOver");
}

TEST_F(RecallMachine, CancelledWhileNothingIsStoppedIfTheDemandIsPlacedElsewhere) {
  given(saving());
  stepAt(0);
  api_.change<api::Pod>("web-0", [](auto& pod) { pod.spec.nodeName = "n2"; });
  api_.show(state_);
  EXPECT_THAT(stepAt(1), ElementsAre("recall-1/unmark/default/train-pg"));
  EXPECT_EQ(phase(), "Cancelled");
  stepAt(2);
  EXPECT_EQ(overall(), "Abandoned");
  EXPECT_FALSE(api_.find<api::PodGroup>("train-pg")->metadata.annotations.contains(names::kRecalledBy));
}

TEST_F(RecallMachine, StoppedJobIsNotCancelled) {
  given({});
  stepAt(0);
  api_.drop(api::refOf(podOf(demandShape(), 0)));
  api_.show(state_);
  stepAt(1);
  EXPECT_EQ(phase(), "Stopping");
}

TEST_F(RecallMachine, StuckOnlyPastItsOwnDeadlineAndMargin) {
  given({});
  stepAt(0);
  stepAt(3);     // past its controller
  stepAt(17.9);  // killed at 13
  EXPECT_EQ(phase(), "Stopping");
  stepAt(18);
  EXPECT_EQ(phase(), "Stuck");
  EXPECT_THAT(record_.status.message, testing::HasSubstr("default/train-0 on n1"));
  podsGo({});
  stepAt(60);
  EXPECT_EQ(phase(), "Released");
  EXPECT_EQ(record_.status.message, "");
}

TEST_F(RecallMachine, FinishedJobIsNotSuspended) {
  const JobShape shape;
  given(shape);
  api_.change<api::VcJob>("train", [](auto& job) { job.status.state.phase = "Completed"; });
  podsGo(shape);
  stepAt(0);
  EXPECT_FALSE(api_.find<api::VcJob>("train")->metadata.annotations.contains(names::kSuspend));
  EXPECT_EQ(phase(), "Released");
}

}  // namespace
}  // namespace tidegate::lifecycle::test
