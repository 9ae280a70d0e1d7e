#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

using ::testing::ElementsAre;

// The refusal of so many GPUs more, as "queue used+asked>limit", or "".
std::string refused(const Tree& tree, std::string_view name, Amount count) {
  const auto refusal = tree.refusal(tree.find(name), gpus(count));
  if (!refusal) return "";
  const std::string& at = tree.config(refusal->queue).name;
  if (refusal->closed) return at + " closed";
  if (refusal->undeclared) return at + " undeclared";
  return at + " " + std::to_string(refusal->used / kOne) + "+" + std::to_string(refusal->asked / kOne) + ">" +
         std::to_string(refusal->limit / kOne) + (refusal->lockedGuarantee ? " locked" : "");
}

TEST(Refusal, CapabilityBindsAtEveryLevel) {
  Tree tree(8, {queue("p").capability(4), queue("c1").under("p").capability(4),
                queue("c2").under("p").capability(4)});
  tree.use("c1", 2);
  EXPECT_EQ(refused(tree, "c2", 2), "");
  EXPECT_EQ(refused(tree, "c2", 3), "p 2+3>4");
  EXPECT_EQ(refused(tree, "c2", 5), "c2 0+5>4");
}

TEST(Refusal, TheClustersTotalIsForNodesToJudge) {
  Tree tree(8, {queue("a")});
  tree.use("a", 5);
  EXPECT_EQ(refused(tree, "a", 4), "");
  tree.upsert(queue("root").capability(6).config());
  EXPECT_EQ(refused(tree, "a", 4), "root 5+4>6");
}

TEST(Refusal, OnlyResourcesAskedForAreJudged) {
  Tree tree(8, {queue("a").capability(2)});
  tree.use("a", 3);  // the capability was lowered under it: a fact, no error
  EXPECT_EQ(refused(tree, "a", 1), "a 3+1>2");
  EXPECT_FALSE(tree.refusal(tree.find("a"), cpus(5)));
  EXPECT_FALSE(tree.refusal(tree.find("a"), amounts({{kGpu, 0}, {kCpu, 80}})));
}

TEST(Refusal, ClosedOrUndeclaredQueuesTakeNothing) {
  Tree tree(8, {queue("p").closed(), queue("c").under("p")});
  tree.use("ghost", 1);
  EXPECT_EQ(refused(tree, "c", 1), "p closed");
  EXPECT_EQ(refused(tree, "ghost", 1), "ghost undeclared");
}

TEST(Refusal, LentGuaranteeMayBeUsedByOthers) {
  Tree tree(10, {queue("a").guarantee(6), queue("b")});
  EXPECT_EQ(refused(tree, "b", 10), "");
}

TEST(Refusal, LockedGuaranteeIsKeptFree) {
  Tree tree(10, {queue("a").guarantee(6).locksGuarantee(), queue("b")});
  EXPECT_EQ(refused(tree, "b", 4), "");
  EXPECT_EQ(refused(tree, "b", 5), "root 0+5>4 locked");
  EXPECT_EQ(refused(tree, "a", 10), "");  // its own lock does not bind it
  tree.use("a", 5);
  // 1 of the guarantee is still unused: 5 used + 4 asked <= 10 - 1.
  EXPECT_EQ(refused(tree, "b", 4), "");
  EXPECT_EQ(refused(tree, "b", 5), "root 5+5>9 locked");
}

TEST(Refusal, LockedGuaranteeBindsSiblingsAndCousins) {
  Tree tree(20, {queue("p").capability(10), queue("p1").under("p").guarantee(4).locksGuarantee(),
                 queue("p2").under("p"), queue("q")});
  EXPECT_EQ(refused(tree, "p2", 6), "");
  EXPECT_EQ(refused(tree, "p2", 7), "p 0+7>6 locked");
  EXPECT_EQ(refused(tree, "q", 16), "");
  EXPECT_EQ(refused(tree, "q", 17), "root 0+17>16 locked");
}

TEST(Refusal, LockUnderAQueueWithoutLimitBindsAtTheRoot) {
  Tree tree(10, {queue("p"), queue("p1").under("p").guarantee(4).locksGuarantee(), queue("p2").under("p")});
  EXPECT_EQ(refused(tree, "p2", 6), "");
  EXPECT_EQ(refused(tree, "p2", 7), "root 0+7>6 locked");
}

TEST(Refusal, LockWithinALockIsCountedOnce) {
  Tree tree(20, {queue("p").guarantee(10).locksGuarantee(),
                 queue("p1").under("p").guarantee(6).locksGuarantee(), queue("p2").under("p"), queue("q")});
  EXPECT_EQ(refused(tree, "q", 10), "");
  EXPECT_EQ(refused(tree, "q", 11), "root 0+11>10 locked");
  tree.use("p2", 10);
  // p's guarantee is used up, but p1's 6 are still kept: 10 + 4 <= 20 - 6.
  EXPECT_EQ(refused(tree, "q", 4), "");
  EXPECT_EQ(refused(tree, "q", 5), "root 10+5>14 locked");
}

TEST(Ceilings, NearestFirstAndTheRootLast) {
  Tree tree(20, {queue("p").capability(10), queue("p1").under("p"), queue("p2").under("p").capability(3),
                 queue("q").guarantee(5).locksGuarantee()});
  EXPECT_THAT(tree.ceilings(tree.find("p2"), kGpu),
              ElementsAre(Ceiling{tree.find("p2"), 3 * kOne, false},
                          Ceiling{tree.find("p"), 10 * kOne, false}, Ceiling{kRoot, 15 * kOne, true}));
  EXPECT_THAT(tree.ceilings(tree.find("p1"), kGpu),
              ElementsAre(Ceiling{tree.find("p"), 10 * kOne, false}, Ceiling{kRoot, 15 * kOne, true}));
}

}  // namespace
}  // namespace tidegate::quota::testing
