#include <gtest/gtest.h>

#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

// 200 GPUs; online: guarantee 128 of at most 192, weight 100; offline: none of at most 128, weight 10.
Tree promoTree() {
  return Tree(200, {queue("online").weight(100).guarantee(128).capability(192),
                    queue("offline").weight(10).capability(128)});
}

TEST(Entitlement, LentGuaranteeStaysClaimable) {
  Tree tree = promoTree();
  tree.use("online", 64);
  tree.ask("online", 64);
  tree.use("offline", 128);
  // left for shares: 200 - 128 = 72; online asks 128 = its guarantee, so it wants none of it; offline wants
  // 128.
  EXPECT_EQ(tree.entitled("online"), 128);
  EXPECT_EQ(tree.entitled("offline"), 72);
  EXPECT_EQ(tree.borrows("offline"), 56);
  EXPECT_EQ(tree.lends("online"), 56);  // 64 unused, 8 of them idle
}

TEST(Entitlement, GuaranteeIsAFloorWithoutRequest) {
  Tree tree = promoTree();
  tree.use("offline", 128);
  EXPECT_EQ(tree.entitled("online"), 128);
  EXPECT_EQ(tree.entitled("offline"), 72);
}

TEST(Entitlement, RequestBeyondGuaranteeSharesByWeight) {
  Tree tree = promoTree();
  tree.ask("online", 192);
  tree.ask("offline", 128);
  // left 72; weights 100:10; online wants 64 more and 72 * 100/110 = 65.45 >= 64, so it is filled; offline
  // gets 8.
  EXPECT_EQ(tree.entitled("online"), 192);
  EXPECT_EQ(tree.entitled("offline"), 8);
}

TEST(Entitlement, LoneQueueIsEntitledToAllItAsksFor) {
  Tree tree(8, {queue("a"), queue("b").weight(100)});
  tree.ask("a", 5);
  EXPECT_EQ(tree.entitled("a"), 5);
  tree.ask("a", 5);
  EXPECT_EQ(tree.entitled("a"), 8);
  EXPECT_EQ(tree.entitled("b"), 0);
}

TEST(Entitlement, DeservedIsAClaimWithoutRequest) {
  Tree tree(10, {queue("a").deserved(6), queue("b")});
  tree.use("b", 10);
  // b shares what a's promise leaves: 10 - 6 = 4.
  EXPECT_EQ(tree.entitled("a"), 6);
  EXPECT_EQ(tree.entitled("b"), 4);
  EXPECT_EQ(tree.borrows("b"), 6);
}

TEST(Entitlement, DeservedBeyondTheTotalStaysAClaim) {
  Tree tree(7, {queue("a").deserved(6), queue("b").deserved(4), queue("c")});
  tree.ask("c", 7);
  EXPECT_EQ(tree.entitled("a"), 6);
  EXPECT_EQ(tree.entitled("b"), 4);
  EXPECT_EQ(tree.entitled("c"), 0);
}

TEST(Entitlement, OneDeservedIsNoMoreThanTheParentHas) {
  Tree tree(20, {queue("p").deserved(8), queue("c").under("p").deserved(12)});
  EXPECT_EQ(tree.entitled("p"), 8);
  EXPECT_EQ(tree.entitled("c"), 8);
}

TEST(Entitlement, InnerQueueWithoutNumbersIsOwedWhatItsChildrenAre) {
  Tree tree(
      20, {queue("p"), queue("p1").under("p").deserved(6), queue("p2").under("p").guarantee(3), queue("q")});
  tree.use("q", 20);
  // deserved(p) = 6 + 3; q shares the 11 left.
  EXPECT_EQ(tree.owed("p"), 9);
  EXPECT_EQ(tree.guaranteed("p"), 3);
  EXPECT_EQ(tree.entitled("p"), 9);
  EXPECT_EQ(tree.entitled("q"), 11);
}

TEST(Entitlement, SharesAreDividedLevelByLevel) {
  Tree tree(12, {queue("p").weight(1), queue("p1").under("p").weight(1), queue("p2").under("p").weight(2),
                 queue("q").weight(3)});
  for (const char* name : {"p1", "p2", "q"}) tree.ask(name, 12);
  // p : q = 1 : 3 of 12; in p 1 : 2 of 3.
  EXPECT_EQ(tree.entitled("p"), 3);
  EXPECT_EQ(tree.entitled("q"), 9);
  EXPECT_EQ(tree.entitled("p1"), 1);
  EXPECT_EQ(tree.entitled("p2"), 2);
}

TEST(Entitlement, InnerQueueWantsNoMoreThanItsChildrenMayUse) {
  Tree tree(12, {queue("p"), queue("p1").under("p").capability(2), queue("q")});
  tree.ask("p1", 12);
  tree.ask("q", 12);
  // p1 can use 2, so p wants 2 although 12 are asked for in it.
  EXPECT_EQ(tree.entitled("p"), 2);
  EXPECT_EQ(tree.entitled("q"), 10);
}

TEST(Entitlement, UnusedGuaranteeOfAChildDoesNotShrinkItsSibling) {
  Tree tree(12, {queue("p"), queue("p1").under("p").guarantee(4), queue("p2").under("p"), queue("q")});
  tree.ask("p2", 3);
  tree.ask("q", 12);
  // p wants 4 (promised to p1) + 3, its guarantee is 4; of the 8 left p wants 3 and q 12.
  EXPECT_EQ(tree.entitled("p"), 7);
  EXPECT_EQ(tree.entitled("p2"), 3);
  EXPECT_EQ(tree.entitled("q"), 5);
}

// 8 GPUs are open, the other 8 of the total are what off holds on a closed node.
TEST(Entitlement, WhatIsHeldOnClosedNodesEntitlesNobodyElseToMore) {
  Tree tree(16, {queue("on").guarantee(8), queue("mid").weight(100), queue("off")});
  tree.use("mid", 8);
  tree.useClosed("off", 8);
  tree.ask("on", 8);
  EXPECT_EQ(tree.entitled("on"), 8);
  EXPECT_EQ(tree.entitled("mid"), 0) << "all of the open 8 are guaranteed";
  EXPECT_EQ(tree.entitled("off"), 8);
  tree.subtractClosed(tree.find("off"), gpus(8));
  EXPECT_GT(tree.entitled("mid"), 7) << "the node is open again: off may lose some";
}

TEST(Entitlement, WhatIsHeldOnClosedNodesUsesUpPromiseThenShare) {
  Tree tree(16, {queue("a").guarantee(3), queue("b"), queue("c").deserved(2)});
  tree.useClosed("a", 2);
  tree.useClosed("b", 1);
  tree.useClosed("c", 3);
  for (const char* name : {"a", "b", "c"}) tree.ask(name, 16);
  // Promised: 3 to a, 3 held by c. Left 10, and each has its 5, b's one closed among them.
  EXPECT_EQ(tree.entitled("a"), 8);
  EXPECT_EQ(tree.entitled("b"), 5);
  EXPECT_EQ(tree.entitled("c"), 3);
}

TEST(Entitlement, ASiblingOnAClosedNodeUsesUpNoOtherPromiseOfTheParent) {
  Tree tree(16, {queue("p").guarantee(8), queue("on").under("p").guarantee(8), queue("off").under("p"),
                 queue("mid").weight(100)});
  tree.use("mid", 8);
  tree.useClosed("off", 8);
  EXPECT_EQ(tree.entitled("p"), 16);
  EXPECT_EQ(tree.entitled("on"), 8);
  EXPECT_EQ(tree.entitled("off"), 8);
  EXPECT_EQ(tree.entitled("mid"), 0);
}

TEST(Entitlement, WhatUndeclaredQueuesHoldOnClosedNodesIsNotShared) {
  Tree tree(16, {queue("a")});
  tree.useClosed("nobody", 6);
  tree.useClosed("root", 2);
  tree.ask("a", 16);
  EXPECT_EQ(tree.entitled("a"), 8);
}

TEST(Entitlement, ClosedQueueHoldsWhatItUsesAndWantsNoMore) {
  Tree tree(10, {queue("a").closed(), queue("b")});
  tree.use("a", 3);
  tree.ask("a", 5);
  tree.ask("b", 10);
  EXPECT_EQ(tree.entitled("a"), 3);
  EXPECT_EQ(tree.entitled("b"), 7);
}

TEST(Entitlement, UndeclaredQueueIsEntitledToNothing) {
  Tree tree(10, {queue("a")});
  tree.use("ghost", 4);
  EXPECT_EQ(tree.entitled("ghost"), 0);
  EXPECT_EQ(tree.borrows("ghost"), 4);
  EXPECT_FALSE(tree.exists(tree.find("ghost")));
}

TEST(Entitlement, StartingAPodChangesNoEntitlement) {
  Tree tree(10, {queue("a"), queue("b")});
  tree.ask("a", 8);
  tree.ask("b", 8);
  EXPECT_EQ(tree.entitled("a"), 5);
  tree.subtractPending(tree.find("a"), gpus(5));
  tree.use("a", 5);
  EXPECT_EQ(tree.entitled("a"), 5);
  EXPECT_EQ(tree.entitled("b"), 5);
}

TEST(Entitlement, ResourcesAreJudgedApart) {
  Tree tree(10, {queue("a").deserved(4), queue("b").deserved(90, kCpu)});
  tree.addUsed(tree.find("a"), amounts({{kGpu, 8}, {kCpu, 5}}));
  tree.addUsed(tree.find("b"), amounts({{kGpu, 2}, {kCpu, 80}}));
  const ResourceVec& a = tree.entitlement(tree.find("a"));
  const ResourceVec& b = tree.entitlement(tree.find("b"));
  EXPECT_EQ(a, amounts({{kGpu, 4}, {kCpu, 5}}));  // of the 10 CPUs that b's promise leaves it wants 5
  EXPECT_EQ(b, amounts({{kGpu, 2}, {kCpu, 90}}));
}

TEST(Share, IsTheDominantPartOfTheEntitlement) {
  Tree tree(10, {queue("a").deserved(8).deserved(20, kCpu), queue("b").deserved(0)});
  tree.addUsed(tree.find("a"), amounts({{kGpu, 2}, {kCpu, 10}}));
  EXPECT_DOUBLE_EQ(tree.share(tree.find("a")), 0.5);
  EXPECT_DOUBLE_EQ(tree.share(tree.find("b")), 0);
  tree.use("b", 1);
  EXPECT_GT(tree.share(tree.find("b")), 1e6);
}

}  // namespace
}  // namespace tidegate::quota::testing
