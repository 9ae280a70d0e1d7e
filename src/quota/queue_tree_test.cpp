#include "quota/queue_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const QueueTree& tree, const std::vector<QueueId>& queues) {
  std::vector<std::string> names;
  for (QueueId q : queues) names.push_back(tree.config(q).name);
  return names;
}
std::string parentName(const QueueTree& tree, std::string_view name) {
  return tree.config(tree.parent(tree.find(name))).name;
}

TEST(QueueTree, RootAndDefaultAreAlwaysThere) {
  QueueTree tree;
  EXPECT_EQ(tree.find("root"), kRoot);
  EXPECT_TRUE(tree.exists(tree.find("default")));
  EXPECT_EQ(tree.parent(kRoot), kNoQueue);
  EXPECT_EQ(parentName(tree, "default"), "root");
  EXPECT_EQ(tree.find("other"), kNoQueue);
}

TEST(QueueTree, RemovedDefaultIsReset) {
  QueueTree tree;
  tree.upsert(queue("default").weight(7).closed().config());
  tree.remove("default");
  EXPECT_EQ(tree.config(tree.find("default")), QueueConfig{.name = "default"});
  EXPECT_TRUE(tree.mayClaim(tree.find("default")));
}

TEST(QueueTree, ChildrenMayComeBeforeTheirParent) {
  Tree tree(8, {queue("c").under("p")});
  tree.use("c", 2);
  EXPECT_EQ(parentName(tree, "c"), "root");
  tree.upsert(queue("p").config());
  EXPECT_EQ(parentName(tree, "c"), "p");
  EXPECT_EQ(tree.used(tree.find("p")), gpus(2));
}

TEST(QueueTree, QueuesOnACycleStandUnderRoot) {
  // a -> b -> a; c hangs below the cycle and keeps its parent.
  Tree tree(
      8, {queue("a").under("b"), queue("b").under("a"), queue("c").under("a"), queue("self").under("self")});
  EXPECT_EQ(parentName(tree, "a"), "root");
  EXPECT_EQ(parentName(tree, "b"), "root");
  EXPECT_EQ(parentName(tree, "self"), "root");
  EXPECT_EQ(parentName(tree, "c"), "a");
}

TEST(QueueTree, AmountsGoUpToEveryAncestor) {
  Tree tree(8, {queue("p"), queue("c").under("p")});
  tree.use("c", 3);
  tree.ask("c", 2);
  tree.use("p", 1);
  EXPECT_EQ(tree.used(tree.find("c")), gpus(3));
  EXPECT_EQ(tree.used(tree.find("p")), gpus(4));
  EXPECT_EQ(tree.request(kRoot), gpus(6));
  tree.release("c", 3);
  tree.subtractPending(tree.find("c"), gpus(2));
  EXPECT_EQ(tree.request(kRoot), gpus(1));
}

TEST(QueueTree, AmountsMoveWithTheQueue) {
  Tree tree(8, {queue("p"), queue("q"), queue("c").under("p")});
  tree.use("c", 3);
  tree.upsert(queue("c").under("q").config());
  EXPECT_EQ(tree.used(tree.find("p")), gpus(0));
  EXPECT_EQ(tree.used(tree.find("q")), gpus(3));
  EXPECT_EQ(tree.used(kRoot), gpus(3));
}

TEST(QueueTree, UsageOfARemovedQueueStaysCountedAtTheRoot) {
  Tree tree(8, {queue("p"), queue("c").under("p")});
  tree.use("c", 3);
  tree.remove("c");
  EXPECT_FALSE(tree.exists(tree.find("c")));
  EXPECT_EQ(tree.used(tree.find("p")), gpus(0));
  EXPECT_EQ(tree.used(kRoot), gpus(3));
  EXPECT_THAT(names(tree, tree.sortedByName()), ElementsAre("c", "default", "p"));
  tree.release("c", 3);
  EXPECT_THAT(names(tree, tree.sortedByName()), ElementsAre("default", "p"));
}

TEST(QueueTree, ChildrenAreSortedByNameWhateverTheOrderOfArrival) {
  Tree tree(8, {queue("z").under("p"), queue("a").under("p"), queue("p"), queue("m").under("p")});
  EXPECT_THAT(names(tree, tree.children(tree.find("p"))), ElementsAre("a", "m", "z"));
}

TEST(QueueTree, ACopyIsIndependent) {
  Tree tree(8, {queue("a")});
  QueueTree copy = tree;
  copy.addUsed(copy.find("a"), gpus(5));
  EXPECT_EQ(tree.used(tree.find("a")), gpus(0));
  EXPECT_EQ(copy.entitlement(copy.find("a")), gpus(5));
  EXPECT_EQ(tree.entitlement(tree.find("a")), gpus(0));
}

TEST(QueueTree, ClosedAncestorMakesNoClaim) {
  Tree tree(8, {queue("p").closed(), queue("c").under("p"), queue("d")});
  EXPECT_FALSE(tree.mayClaim(tree.find("c")));
  EXPECT_TRUE(tree.mayClaim(tree.find("d")));
  EXPECT_FALSE(tree.mayClaim(tree.findOrAdd("undeclared")));
}

TEST(QueueTreeDeathTest, TakingBackMoreThanWasAddedIsABug) {
  Tree tree(8, {queue("a")});
  tree.use("a", 1);
  EXPECT_DEATH(tree.release("a", 2), "a never used that much");
}

}  // namespace
}  // namespace tidegate::quota::testing
