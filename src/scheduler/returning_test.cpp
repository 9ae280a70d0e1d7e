// Recalled jobs keep their place: room is kept for them against what is served later, and for nobody else.
#include <gmock/gmock.h>

#include "scheduler/decide_fixture.hpp"

namespace tidegate::scheduler::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Returning : public DecideTest {
 protected:
  void suspend(const Gang& gang, bool insists = false, bool whole = true) {
    ReturningJob job;
    job.query.queue = gang.queue;
    job.query.minMember = gang.minimum == 0 ? gang.pods : gang.minimum;
    for (std::int32_t i = 0; i < gang.pods; ++i) job.query.pods.push_back(podOf(gang, i));
    for (api::Pod& pod : job.query.pods) pod.spec.nodeName.clear();
    job.priority = gang.priority;
    job.created = kStart + fromSeconds(gang.submitted);
    job.uid = "uid-group-" + gang.name;
    job.key = "default/" + gang.name;
    job.whole = whole;
    job.insists = insists;
    returning_.push_back(std::move(job));
  }
};

TEST_F(Returning, YoungerWorkDoesNotTakeTheRoomOfAnOlderRecalledJob) {
  nodes(1);
  queue("q", 8);
  put({.name = "young", .submitted = 100, .gpus = 8});
  EXPECT_THAT(bound(), ElementsAre("young-0"));
  suspend({.name = "old", .submitted = 0, .pods = 2, .gpus = 4});
  EXPECT_THAT(bound(), IsEmpty());
  EXPECT_THAT(fits(), ElementsAre(2));
  EXPECT_THAT(reason("young-0"),
              HasSubstr("room is kept for recalled work that is served first: default/old"));
}

TEST_F(Returning, OlderAndMoreImportantWorkGoesFirst) {
  nodes(1);
  queue("q", 8);
  suspend({.name = "back", .submitted = 50, .gpus = 8});
  put({.name = "young", .submitted = 100, .gpus = 8, .priority = 10});
  EXPECT_THAT(bound(), ElementsAre("young-0"));
  EXPECT_THAT(fits(), ElementsAre(0));
  returning_.front().priority = 10;
  EXPECT_THAT(bound(), IsEmpty());
  EXPECT_THAT(fits(), ElementsAre(1));
  put({.name = "old", .submitted = 10, .gpus = 8, .priority = 10});
  EXPECT_THAT(bound(), ElementsAre("old-0"));
  EXPECT_THAT(fits(), ElementsAre(0));
}

TEST_F(Returning, OneThatDoesNotFitKeepsNothing) {
  nodes(2);
  queue("q", 16);
  put({.name = "runs", .gpus = 8, .node = "n1"});
  suspend({.name = "big", .submitted = 0, .pods = 2, .gpus = 8});
  put({.name = "young", .submitted = 100, .gpus = 8});
  EXPECT_THAT(bound(), ElementsAre("young-0"));
  EXPECT_THAT(fits(), ElementsAre(0));
}

TEST_F(Returning, WhatFitsOnceLeavingPodsAreGoneIsPromised) {
  nodes(2);
  queue("q", 16);
  put({.name = "leaves", .gpus = 8, .node = "n1"});
  api::Pod leaving = podOf({.name = "leaves", .gpus = 8, .node = "n1"}, 0);
  leaving.metadata.deletionTimestamp = now_ + seconds(20);
  state_.apply(leaving);
  suspend({.name = "big", .submitted = 0, .pods = 2, .gpus = 8});
  put({.name = "young", .submitted = 100, .gpus = 8});
  EXPECT_THAT(bound(), IsEmpty());
  EXPECT_THAT(fits(), ElementsAre(0));
}

TEST_F(Returning, OneThatInsistsHasNodesKeptClearWhereLaterJobsRun) {
  nodes(3);
  queue("q", 24);
  suspend({.name = "big", .submitted = 50, .pods = 2, .gpus = 8}, true);
  put({.name = "service", .submitted = 60, .gpus = 8, .node = "n3", .ownerKind = "ReplicaSet"});
  put({.name = "later", .submitted = 100, .gpus = 8, .node = "n1"});
  put({.name = "waits", .submitted = 200, .gpus = 8});
  EXPECT_THAT(bound(), IsEmpty()) << "n2 and, when `later` has ended, n1 are for `big`";
  EXPECT_THAT(fits(), ElementsAre(0));
  EXPECT_THAT(reason("waits-0"), HasSubstr("default/big"));
  EXPECT_THAT(decided().recalls, IsEmpty());
  // An older job stands in its way: it may not end first, and so nobody waits for it.
  put({.name = "later", .submitted = 10, .gpus = 8, .node = "n1"});
  EXPECT_THAT(bound(), ElementsAre("waits-0"));
}

TEST_F(Returning, ExtrasWaitForAWholeJobThatHasNoPlaceYet) {
  nodes(2);
  queue("q", 16);
  put({.name = "peak", .pods = 2, .gpus = 8, .node = "n1", .priority = 9, .queue = "online"});
  put({.name = "elastic", .submitted = 9, .pods = 4, .minimum = 1});
  suspend({.name = "recalled", .submitted = 5, .pods = 2, .gpus = 8});
  EXPECT_THAT(bound(), SizeIs(1));
  ASSERT_THAT(decided().pending, SizeIs(3));
  EXPECT_EQ(decided().pending.front().reason,
            "beyond what its gang needs: recalled work that is served first comes back before it: "
            "default/recalled");
  returning_.front().notYet = true;
  EXPECT_THAT(bound(), SizeIs(1)) << "also while it cools down, or its recall is under way";
  returning_.clear();
  EXPECT_THAT(bound(), SizeIs(4));
}

TEST_F(Returning, ExtrasDoNotWaitForAJobThatNoNodeCouldHost) {
  nodes(2);
  queue("q", 16);
  put({.name = "elastic", .submitted = 9, .pods = 4, .minimum = 1});
  suspend({.name = "recalled", .submitted = 5, .pods = 1, .gpus = 9});
  EXPECT_THAT(bound(), SizeIs(4));
}

TEST_F(Returning, ExtrasDoNotWaitForAGangThatTheClusterOrItsQueueIsTooSmallFor) {
  nodes(2);
  queue("q", 16);
  put({.name = "elastic", .submitted = 9, .pods = 4, .minimum = 1});
  suspend({.name = "recalled", .submitted = 5, .pods = 3, .gpus = 8});
  EXPECT_THAT(bound(), SizeIs(4)) << "three nodes are needed, there are two";
  returning_.front().query.pods.pop_back();
  returning_.front().query.minMember = 2;
  put({.name = "peak", .pods = 1, .gpus = 8, .node = "n1", .priority = 9, .queue = "online"});
  EXPECT_THAT(bound(), SizeIs(1));
  api::Queue capped;
  capped.metadata.name = "q";
  capped.metadata.uid = "uid-queue-q";
  capped.spec.capability["nvidia.com/gpu"] = Quantity::ofInteger(12);
  state_.apply(capped);
  EXPECT_THAT(bound(), SizeIs(4)) << "sixteen GPUs are needed, the queue may have twelve";
}

TEST_F(Returning, ExtrasOfAnotherQueueAndOfHigherPriorityDoNotWait) {
  nodes(3);
  queue("q", 16);
  queue("other", 8);
  put({.name = "peak", .pods = 2, .gpus = 8, .node = "n1", .priority = 9, .queue = "online"});
  put({.name = "elastic", .submitted = 9, .pods = 4, .queue = "other", .minimum = 1});
  put({.name = "urgent", .submitted = 9, .pods = 4, .priority = 5, .minimum = 1});
  suspend({.name = "recalled", .submitted = 5, .pods = 3, .gpus = 8});
  EXPECT_THAT(bound(), SizeIs(8));
}

TEST_F(Returning, AShrunkJobComesBackAfterAWholeOne) {
  nodes(2);
  queue("q", 16);
  put({.name = "elastic", .pods = 1, .gpus = 2, .node = "n1", .minimum = 1});
  suspend({.name = "recalled", .submitted = 5, .pods = 2, .gpus = 8});
  suspend({.name = "elastic", .pods = 3, .gpus = 2, .minimum = 1}, false, false);
  EXPECT_THAT(fits(), ElementsAre(0, 0));
  returning_.erase(returning_.begin());
  EXPECT_THAT(fits(), ElementsAre(3));
}

TEST_F(Returning, WhatAGangNeedsDoesNotWaitForAJobThatHasNoPlace) {
  nodes(2);
  queue("q", 16);
  put({.name = "small", .submitted = 9, .pods = 4, .gpus = 2});
  suspend({.name = "recalled", .submitted = 5, .pods = 3, .gpus = 8});
  EXPECT_THAT(bound(), SizeIs(4));
}

TEST_F(Returning, OneThatCanNeverFitBlocksNobody) {
  nodes(2);
  queue("q", 24);
  suspend({.name = "huge", .submitted = 0, .pods = 3, .gpus = 8}, true);
  put({.name = "waits", .submitted = 200, .gpus = 8});
  EXPECT_THAT(bound(), ElementsAre("waits-0"));
}

TEST_F(Returning, ShrunkJobGetsBackWhatFits) {
  nodes(1);
  queue("q", 8);
  put({.name = "runs", .gpus = 5, .node = "n1"});
  suspend({.name = "elastic", .submitted = 0, .pods = 7}, false, false);
  EXPECT_THAT(fits(), ElementsAre(3));
}

TEST_F(Returning, PodsOfAJobThatIsUnderWayTakeItsPlace) {
  nodes(1);
  queue("q", 8);
  put({.name = "other", .submitted = 100, .gpus = 8});
  put({.name = "back", .submitted = 500, .gpus = 8});  // its PodGroup was made anew
  EXPECT_THAT(bound(), ElementsAre("other-0"));
  suspend({.name = "back", .submitted = 0, .gpus = 8});
  returning_.front().underWay = true;
  returning_.front().gang = state_.findGang("default/back");
  returning_.front().query.pods.clear();  // all there
  EXPECT_THAT(bound(), ElementsAre("back-0"));
}

TEST_F(Returning, NothingIsStoppedWhileRoomIsKeptForABorrower) {
  nodes(2);
  queue("lender", 8, 8);
  queue("q", 8);
  put({.name = "runs", .submitted = 0, .gpus = 8, .node = "n1"});
  suspend({.name = "back", .submitted = 10, .gpus = 8});  // would borrow
  put({.name = "claim", .submitted = 9000, .gpus = 8, .queue = "lender"});
  const Decisions decisions = decided();
  EXPECT_THAT(decisions.binds, SizeIs(1));
  EXPECT_THAT(decisions.recalls, IsEmpty());
  EXPECT_THAT(fits(), ElementsAre(0));
}

// A gang that an idle node does not hold alone recalls the other, and takes the idle one before it stops
// more.
TEST_F(Returning, ClaimantUsesTheRoomKeptForABorrowerBeforeItStopsAnybody) {
  nodes(3);
  queue("lender", 16, 16);
  queue("q", 8);
  put({.name = "one", .submitted = 0, .gpus = 8, .node = "n1"});
  put({.name = "two", .submitted = 1, .gpus = 8, .node = "n2"});
  suspend({.name = "back", .submitted = 10, .gpus = 8});
  put({.name = "claim", .submitted = 9000, .pods = 2, .gpus = 8, .queue = "lender"});
  const Decisions decisions = decided();
  ASSERT_THAT(decisions.recalls, SizeIs(1));
  EXPECT_EQ(decisions.recalls[0].cost.gpusStopped, 8);
}

TEST_F(Returning, YoungerClaimantOfTheSameQueueDoesNotPlanOnTheRoomKept) {
  nodes(3);
  queue("lender", 8);
  queue("q", 16);
  put({.name = "one", .submitted = 0, .gpus = 8, .node = "n1", .queue = "lender"});
  put({.name = "two", .submitted = 0, .gpus = 8, .node = "n2", .queue = "lender"});
  suspend({.name = "back", .submitted = 10, .gpus = 8});
  put({.name = "young", .submitted = 100, .pods = 2, .gpus = 8});
  // Entitled to 16: 8 of them are those of the job that comes back, so a gang of 16 may not be claimed.
  const Decisions decisions = decided();
  EXPECT_THAT(decisions.binds, IsEmpty());
  EXPECT_THAT(decisions.recalls, IsEmpty());
  EXPECT_THAT(fits(), ElementsAre(1));
}

}  // namespace
}  // namespace tidegate::scheduler::test
