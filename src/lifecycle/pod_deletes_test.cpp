// Whose turn it is to delete the pods of a stopped job, and with which grace.
#include "lifecycle/pod_deletes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lifecycle/recall_machine_fixture.hpp"

namespace tidegate::lifecycle::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PodDeletes : public RecallMachineTest {};

JobShape bare() {
  return {.owner = OwnerKind::Pod};
}

TEST_F(PodDeletes, PodsThatNothingOwnsAreDeletedAtOnce) {
  given(bare());
  EXPECT_THAT(stepAt(0),
              UnorderedElementsAre("recall-1/mark/default/train-pg", "recall-1/delete/uid-train-0-0",
                                   "recall-1/delete/uid-train-1-0"));
}

TEST_F(PodDeletes, PodsAreLeftToTheirControllerAndTheirEndIsBroughtForward) {
  for (const OwnerKind owner : {OwnerKind::VcJob, OwnerKind::BatchJob, OwnerKind::Deployment}) {
    SCOPED_TRACE(text(owner));
    const JobShape shape{.name = fmt::format("job{}", static_cast<int>(owner)), .owner = owner};
    given(shape);
    const std::string name = "default/" + shape.name;
    EXPECT_THAT(stepAt(0), UnorderedElementsAre("recall-1/mark/" + name + "-pg", "recall-1/stop/" + name));
    EXPECT_THAT(stepAt(0.05), ElementsAre("recall-1/tell/" + name + "-pg"));
    EXPECT_EQ(wakeAt_, at(3));
    controllersActAt(0.1);
    EXPECT_THAT(stepAt(0.1), UnorderedElementsAre("recall-1/shorten/uid-" + shape.name + "-0-0",
                                                  "recall-1/shorten/uid-" + shape.name + "-1-0"));
    EXPECT_THAT(stepAt(4), IsEmpty());
    EXPECT_FALSE(warned("ControllerTooSlow"));
  }
}

TEST_F(PodDeletes, PodsOfADeadControllerAreDeletedPastIt) {
  given({});
  stepAt(0);
  EXPECT_THAT(stepAt(2.9), ElementsAre("recall-1/tell/default/train-pg"));
  EXPECT_FALSE(warned("ControllerTooSlow"));
  EXPECT_THAT(stepAt(3),
              UnorderedElementsAre("recall-1/delete/uid-train-0-0", "recall-1/delete/uid-train-1-0"));
  EXPECT_TRUE(warned("ControllerTooSlow"));
}

TEST_F(PodDeletes, ControllerGetsAThirdOfAShortDeadline) {
  given({});
  record_.spec.deadline = at(6);
  stepAt(0);
  stepAt(0.1);
  EXPECT_EQ(wakeAt_, at(2));
}

TEST_F(PodDeletes, PatienceBeginsAnewWhenTheOrderWasLostInACrash) {
  given({});
  record_ = asked(0).record;  // stored, and then nothing of the step was sent
  EXPECT_THAT(stepAt(20), testing::Contains("recall-1/stop/default/train"));
  EXPECT_EQ(api_.find<api::Pod>("train-0")->metadata.deletionTimestamp, std::nullopt);
}

TEST_F(PodDeletes, NoPodIsDeletedBeforeItsOwnerShowsTheOrder) {
  given({.owner = OwnerKind::BatchJob});
  for (const double t : {0.0, 3.0, 14.0, 16.0}) {
    EXPECT_THAT(loseStepAt(t), testing::Contains("recall-1/stop/default/train"));
  }
  EXPECT_EQ(phase(), "Stopping");
  EXPECT_THAT(loseStepAt(60), testing::Contains("recall-1/stop/default/train"));
  EXPECT_EQ(phase(), "Stuck");
  for (const char* name : {"train-0", "train-1"}) {
    EXPECT_EQ(api_.find<api::Pod>(name)->metadata.deletionTimestamp, std::nullopt);
  }
}

TEST_F(PodDeletes, PodsThatASuspendedBatchJobHasLeftOverAreDeleted) {
  given({.owner = OwnerKind::BatchJob});
  stepAt(0);
  api_.change<api::BatchJob>("train", [](auto& job) {
    job.status.conditions.push_back(
        {.type = "Suspended", .status = "True", .reason = "", .message = "", .lastTransitionTime = {}});
  });
  api_.show(state_);
  EXPECT_THAT(stepAt(0.2),
              testing::IsSupersetOf({"recall-1/delete/uid-train-0-0", "recall-1/delete/uid-train-1-0"}));
}

TEST_F(PodDeletes, ADeploymentIsShrunkOnceItsChosenPodsAreTheCheapest) {
  JobShape shape{.pods = 4, .minMember = 1, .owner = OwnerKind::Deployment};
  given(shape);
  auto& victim = record_.spec.victims[0];
  victim.whole = false;
  victim.pods = {victim.pods[1], victim.pods[3]};
  EXPECT_THAT(stepAt(0), UnorderedElementsAre("recall-1/mark/uid-train-1-0", "recall-1/mark/uid-train-3-0"));
  EXPECT_THAT(stepAt(0.1), ElementsAre("recall-1/stop/default/train"));
  EXPECT_EQ(api_.find<api::Deployment>("train")->spec.replicas, 2);
  controllersActAt(0.2);
  EXPECT_THAT(stepAt(0.2),
              UnorderedElementsAre("recall-1/tell/default/train-pg", "recall-1/shorten/uid-train-1-0",
                                   "recall-1/shorten/uid-train-3-0"));
}

TEST_F(PodDeletes, TwoRecallsThatShrinkOneDeploymentAddUp) {
  given({.pods = 6, .minMember = 1, .owner = OwnerKind::Deployment});
  record_.spec.victims[0].whole = false;
  api::Recall first = record_, second = record_;
  second.metadata.name = "recall-2";
  first.spec.victims[0].pods.resize(2);
  second.spec.victims[0].pods.erase(second.spec.victims[0].pods.begin(),
                                    second.spec.victims[0].pods.begin() + 5);
  for (const double t : {0.0, 0.1, 0.2}) {
    for (api::Recall* recall : {&first, &second}) {
      record_ = *recall;
      stepAt(t);
      *recall = record_;
    }
  }
  EXPECT_EQ(api_.find<api::Deployment>("train")->spec.replicas, 3);
}

TEST_F(PodDeletes, ADeploymentThatAnotherRecallStopsWholeIsNotShrunk) {
  given({.pods = 4, .minMember = 1, .owner = OwnerKind::Deployment});
  api::Recall other = record_;
  other.metadata.name = "recall-2";
  other.metadata.uid = "uid-recall-2";
  state_.apply(other);
  record_.spec.victims[0].whole = false;
  record_.spec.victims[0].pods.resize(2);
  stepAt(0);
  EXPECT_THAT(stepAt(0.1), IsEmpty());
  api_.change<api::Deployment>("train", [](auto& it) {
    it.spec.replicas = 0;
    it.metadata.annotations[names::kSuspend] = "recall-2";
  });
  api_.show(state_);
  stepAt(0.2);
  EXPECT_EQ(api_.find<api::Deployment>("train")->spec.replicas, 0);
}

TEST_F(PodDeletes, ADeploymentThatIsShrunkGivesUpWhatItsControllerTakesFirst) {
  JobShape shape{.pods = 4, .minMember = 1, .owner = OwnerKind::Deployment};
  given(shape);
  api_.change<api::Pod>("train-0", [](auto& pod) {  // waits for a place
    pod.spec.nodeName = "";
    pod.status.phase = "Pending";
  });
  api_.show(state_);
  auto& victim = record_.spec.victims[0];
  victim.whole = false;
  victim.pods = {victim.pods[3]};
  stepAt(0);
  stepAt(0.1);
  EXPECT_EQ(api_.find<api::Deployment>("train")->spec.replicas, 2);
}

TEST_F(PodDeletes, GraceIsThePodsOwnCutToWhatTheDeadlineLeaves) {
  given(bare());
  for (const auto& order : actsAt<DeletePod>(0)) EXPECT_EQ(order.graceSeconds, 13);
  for (const auto& order : actsAt<DeletePod>(4.5)) EXPECT_EQ(order.graceSeconds, 8);
  for (const auto& order : actsAt<DeletePod>(99))
    EXPECT_EQ(order.graceSeconds, 1);  // 0 would not wait for the kubelet
  api_.change<api::Pod>("train-0", [](auto& pod) { pod.spec.terminationGracePeriodSeconds = 5; });
  api_.show(state_);
  EXPECT_EQ(actsAt<DeletePod>(0)[0].graceSeconds, 5);
}

TEST_F(PodDeletes, GraceOfAForeignDeleteIsCutNeverLengthened) {
  given({});
  api_.change<api::Pod>("train-0", [](auto& pod) { pod.metadata.deletionTimestamp = at(600); });
  api_.change<api::Pod>("train-1", [](auto& pod) { pod.metadata.deletionTimestamp = at(3); });
  api_.show(state_);
  EXPECT_THAT(stepAt(0), UnorderedElementsAre("recall-1/mark/default/train-pg", "recall-1/stop/default/train",
                                              "recall-1/shorten/uid-train-0-0"));
  EXPECT_EQ(api_.find<api::Pod>("train-0")->metadata.deletionTimestamp, at(13));
}

TEST_F(PodDeletes, OnlyAGuaranteePastBudgetsSkipsTheEvictionApi) {
  given(bare());
  EXPECT_FALSE(actsAt<DeletePod>(0)[0].viaEviction);
  options_.overrideBudgets = false;
  EXPECT_TRUE(actsAt<DeletePod>(0)[0].viaEviction);
  options_.overrideBudgets = true;
  record_.spec.guaranteeBacked = false;
  EXPECT_TRUE(actsAt<DeletePod>(0)[0].viaEviction);
}

}  // namespace
}  // namespace tidegate::lifecycle::test
