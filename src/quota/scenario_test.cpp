// Situations that users of other schedulers reported, and neighbours of them, as far as quota decides them.
#include <gtest/gtest.h>

#include "quota/legality.hpp"
#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

// Most one-GPU takings from `lender` that a claim of as many GPUs of `claimant` makes legal.
Amount mostTakings(const Tree& tree, std::string_view claimant, std::string_view lender) {
  std::vector<Taking> takings;
  for (Amount n = 1;; ++n) {
    takings.push_back({tree.find(lender), gpus(1)});
    if (!gpus(n).fitsIn(tree.used(tree.find(lender)))) return n - 1;
    if (illegal(tree, {tree.find(claimant), gpus(n), {kGpu}}, takings, false)) return n - 1;
  }
}

TEST(Scenario, WeightedQueueGetsWhatItAsksWithinItsShare) {  // Volcano 2787
  Tree tree(4, {queue("default").weight(1), queue("high").weight(3).capability(4)});
  tree.use("default", 4);
  tree.ask("high", 2);
  // shares 1 : 3, of which high wants 2: default keeps 2.
  EXPECT_EQ(tree.entitled("high"), 2);
  EXPECT_EQ(mostTakings(tree, "high", "default"), 2);
}

TEST(Scenario, WeightedQueueGetsNoMoreThanItsShare) {
  Tree tree(4, {queue("default").weight(1), queue("high").weight(3).capability(4)});
  tree.use("default", 4);
  tree.ask("high", 9);
  EXPECT_EQ(mostTakings(tree, "high", "default"), 3);
}

TEST(Scenario, EqualWeightsWithoutDeserved) {  // Volcano 3861
  Tree tree(3, {queue("q1"), queue("q2")});
  tree.use("q1", 3);
  tree.ask("q2", 1);
  EXPECT_EQ(mostTakings(tree, "q2", "q1"), 1);
  tree.ask("q2", 2);
  EXPECT_EQ(tree.entitled("q2"), 1.5);
  EXPECT_EQ(mostTakings(tree, "q2", "q1"), 1);
}

TEST(Scenario, GuaranteeOfAFullClusterIsClaimable) {  // Volcano 4817
  Tree tree(8, {queue("org1").capability(8), queue("org1-t").under("org1").capability(8),
                queue("org2").guarantee(4).deserved(4).capability(8),
                queue("org2-t").under("org2").guarantee(4).deserved(4).capability(8)});
  tree.use("org1-t", 8);
  tree.ask("org2-t", 4);
  const Claim claim = {tree.find("org2-t"), gpus(4), {kGpu}};
  EXPECT_EQ(tree.entitled("org1-t"), 4);
  EXPECT_EQ(backing(tree, claim, tree.find("org1-t")), Backing::Guarantee);
  EXPECT_EQ(illegal(tree, claim, {{tree.find("org1-t"), gpus(4)}}, false), std::nullopt);
}

TEST(Scenario, OneGpuNeededOneTaken) {  // Volcano 5984
  Tree tree(11, {queue("qa").weight(1), queue("qb").weight(10)});
  tree.use("qa", 11);
  tree.ask("qb", 1);
  EXPECT_EQ(tree.entitled("qa"), 10);
  EXPECT_EQ(mostTakings(tree, "qb", "qa"), 1);
}

TEST(Scenario, ParentsCapabilityBindsItsChildrenTogether) {  // Volcano 3932
  Tree tree(8, {queue("p").capability(4), queue("c1").under("p").capability(4),
                queue("c2").under("p").capability(4)});
  tree.use("c1", 2);
  EXPECT_TRUE(tree.refusal(tree.find("c2"), gpus(3)));
  EXPECT_FALSE(tree.refusal(tree.find("c2"), gpus(2)));
}

TEST(Scenario, AbsurdQueueLeavesTheOthersAlone) {  // Volcano 4076
  Tree tree(8, {queue("good").guarantee(1).deserved(4), queue("bad").guarantee(10000).deserved(10)});
  tree.ask("good", 1);
  EXPECT_FALSE(tree.refusal(tree.find("good"), gpus(1)));
  EXPECT_EQ(tree.guaranteed("good"), 1);
  EXPECT_EQ(tree.entitled("good"), 4);
  const auto problems = tree.problems(ResourceTable());
  ASSERT_FALSE(problems.empty());
  for (const Problem& problem : problems) EXPECT_EQ(problem.queue, "bad");
}

TEST(Scenario, BorrowerOfTheOwnTeamPaysFirst) {  // Kueue 10131
  Tree tree(12, {queue("a").deserved(2), queue("b").deserved(2), queue("c").deserved(8),
                 queue("a-borrow").under("a").deserved(0), queue("b-borrow").under("b").deserved(0),
                 queue("c-borrow").under("c").deserved(0), queue("c-own").under("c").deserved(8)});
  for (const char* name : {"a-borrow", "b-borrow", "c-borrow"}) tree.use(name, 4);
  tree.ask("c-own", 4);
  const Claim claim = {tree.find("c-own"), gpus(4), {kGpu}};
  EXPECT_EQ(illegal(tree, claim, {{tree.find("c-borrow"), gpus(4)}}, false), std::nullopt);
  // Team a stands at 4 and owes 2: its one job of 4 straddles the line.
  EXPECT_EQ(illegal(tree, claim, {{tree.find("a-borrow"), gpus(4)}}, false),
            "queue a would fall below its entitlement");
  EXPECT_EQ(illegal(tree, claim, {{tree.find("a-borrow"), gpus(4)}}, true), std::nullopt);
}

TEST(Scenario, QueueThatOwesNothingIsNotExposed) {  // KAI-Scheduler 1750
  Tree tree(7, {queue("org").deserved(6), queue("reclaimer").under("org").deserved(4),
                queue("batch").under("org").deserved(0), queue("protected").deserved(4)});
  tree.use("batch", 4);
  tree.use("protected", 2);
  tree.ask("reclaimer", 2);
  const QueueId claimant = tree.find("reclaimer");
  EXPECT_FALSE(exposed(tree, tree.find("protected"), claimant, gpus(1), {kGpu}));
  EXPECT_TRUE(exposed(tree, tree.find("batch"), claimant, gpus(1), {kGpu}));
  // One is idle, so one taking makes room for the claim of two.
  EXPECT_EQ(illegal(tree, {claimant, gpus(2), {kGpu}}, {{tree.find("batch"), gpus(1)}}, false), std::nullopt);
}

TEST(Scenario, SiblingsMoveOnceThenRest) {  // YuniKorn 937
  Tree tree(6, {queue("p").guarantee(6).deserved(6).capability(6), queue("c1").under("p").capability(6),
                queue("c2").under("p").capability(6)});
  tree.use("c1", 6);
  tree.ask("c2", 2);
  const Claim claim = {tree.find("c2"), gpus(2), {kGpu}};
  EXPECT_EQ(illegal(tree, claim, {{tree.find("c1"), gpus(2)}}, false), std::nullopt);
  tree.release("c1", 2);  // the victim waits again
  tree.ask("c1", 2);
  tree.subtractPending(tree.find("c2"), gpus(2));
  tree.use("c2", 2);
  EXPECT_EQ(claimable(tree, tree.find("c1"), kGpu, tree.find("c2")), 0);
  EXPECT_EQ(claimable(tree, tree.find("c2"), kGpu, tree.find("c1")), 0);
}

TEST(Scenario, QueuesWithoutDemandDoNotDiluteShares) {  // KAI-Scheduler 2057
  Tree tree(16, {queue("big"), queue("s1"), queue("s2"), queue("idle1"), queue("idle2")});
  tree.use("big", 14);
  tree.ask("s1", 4);
  // Five equal shares of 16 would be 3.2 each; only two want any.
  EXPECT_EQ(tree.entitled("s1"), 4);
  EXPECT_EQ(tree.entitled("big"), 12);
  // Two are idle: two of big's pay for the rest.
  EXPECT_EQ(illegal(tree, {tree.find("s1"), gpus(4), {kGpu}}, {{tree.find("big"), gpus(2)}}, false),
            std::nullopt);
}

TEST(Scenario, OverFedQueueMovesNobody) {  // KAI-Scheduler 1565
  Tree tree(32, {queue("pre").deserved(8).capability(32), queue("mid").deserved(24).capability(32)});
  tree.use("pre", 16);
  tree.use("mid", 14);
  tree.ask("pre", 2);
  EXPECT_EQ(claimable(tree, tree.find("pre"), kGpu), 0);
  EXPECT_FALSE(exposed(tree, tree.find("mid"), tree.find("pre"), gpus(1), {kGpu}));
}

TEST(Scenario, DeviceThatFailsUnderAPodRefusesNobodyElse) {  // Volcano 5911
  Tree tree(32, {queue("q").capability(32)});
  tree.use("q", 16);
  tree.setTotal(gpus(31));  // the pod on the broken node still holds 8 of its 7
  EXPECT_FALSE(tree.refusal(tree.find("q"), gpus(16)));
  EXPECT_TRUE(tree.refusal(tree.find("q"), gpus(17)));
}

TEST(Scenario, IndivisiblePodsSettleOnOneSide) {  // Volcano 3729
  Tree tree(11, {queue("a").deserved(5).capability(10), queue("b").deserved(5).capability(10)});
  tree.use("a", 10);
  tree.ask("b", 10);
  const auto taken = [&](int pods) {
    const std::vector<Taking> takings(pods, Taking{tree.find("a"), gpus(2)});
    return illegal(tree, {tree.find("b"), gpus(2 * pods), {kGpu}}, takings, true);
  };
  EXPECT_EQ(taken(2), std::nullopt);
  EXPECT_EQ(taken(3), "queue b would use more than it is entitled to");
}

}  // namespace
}  // namespace tidegate::quota::testing
