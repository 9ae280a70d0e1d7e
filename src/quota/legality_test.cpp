#include "quota/legality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

using Rule = Violation::Rule;

Claim claimOf(const Tree& tree, std::string_view name, const ResourceVec& amount) {
  return {.queue = tree.find(name), .amount = amount, .judged = {kGpu}};
}
Taking takingFrom(const Tree& tree, std::string_view name, Amount count) {
  return {tree.find(name), gpus(count)};
}

// "" if legal, else "rule queue".
std::string verdict(const Tree& tree, const Claim& claim, const std::vector<Taking>& takings,
                    Straddle straddle = Straddle::Forbidden) {
  const auto wrong = judge(tree, claim, takings, straddle);
  if (!wrong) return "";
  constexpr const char* kRules[] = {"NoClaim",   "ClaimTooLarge", "OverLimit",
                                    "Protected", "NothingJudged", "LenderTooLow"};
  return std::string(kRules[static_cast<int>(wrong->rule)]) + " " + tree.config(wrong->queue).name;
}
double claimableOf(const Tree& tree, std::string_view name, std::string_view lender = "") {
  return Tree::whole(claimable(tree, tree.find(name), kGpu, lender.empty() ? kNoQueue : tree.find(lender)));
}
std::string slackOf(const Tree& tree, std::string_view lender, std::string_view claimant) {
  std::string text;
  for (const Slack& s : slack(tree, tree.find(lender), tree.find(claimant), kGpu)) {
    text += (text.empty() ? "" : ", ") + tree.config(s.queue).name + " " + std::to_string(s.amount / kOne);
  }
  return text;
}

// 16 GPUs in use: p (deserved 8) has p1 and p2 (4 each), q (deserved 8) has q1 (8) and q2 (0).
Tree twoTeams() {
  return Tree(
      16, {queue("p").deserved(8), queue("p1").under("p").deserved(4), queue("p2").under("p").deserved(4),
           queue("q").deserved(8), queue("q1").under("q").deserved(8), queue("q2").under("q").deserved(0)});
}

TEST(CommonAncestor, IsTheNearestQueueThatHoldsBoth) {
  const Tree tree = twoTeams();
  const auto common = [&](const char* a, const char* b) {
    return tree.config(commonAncestor(tree, tree.find(a), tree.find(b))).name;
  };
  EXPECT_EQ(common("p1", "p2"), "p");
  EXPECT_EQ(common("p1", "q1"), "root");
  EXPECT_EQ(common("p", "p1"), "p");
  EXPECT_EQ(common("p1", "p1"), "p1");
}

TEST(Claimable, StopsAtTheTightestQueueBelowTheCommonAncestor) {
  Tree tree = twoTeams();
  tree.use("p2", 7);
  tree.use("q2", 9);
  EXPECT_EQ(claimableOf(tree, "p1"), 1);        // p has 8 - 7 left
  EXPECT_EQ(claimableOf(tree, "p1", "q2"), 1);  // across p the same
  EXPECT_EQ(claimableOf(tree, "p1", "p2"), 4);  // within p its own 4 count
  EXPECT_EQ(claimableOf(tree, "q1", "q2"), 8);
  EXPECT_EQ(claimableOf(tree, "q1", "p2"), 0);  // q as a whole is over
}

TEST(Claimable, NothingForClosedUndeclaredOrContainingQueues) {
  Tree tree(8, {queue("a").deserved(4).closed(), queue("p").deserved(4), queue("c").under("p").deserved(2)});
  tree.use("ghost", 8);
  EXPECT_EQ(claimableOf(tree, "a"), 0);
  EXPECT_EQ(claimableOf(tree, "ghost"), 0);
  EXPECT_EQ(claimableOf(tree, "p", "c"), 0);  // p holds c
  EXPECT_EQ(claimableOf(tree, "p", "p"), 0);
  EXPECT_EQ(claimableOf(tree, "p"), 4);
}

TEST(SlackOf, OneEntryPerQueueBelowTheCommonAncestor) {
  Tree tree = twoTeams();
  tree.use("q1", 6);
  tree.use("q2", 5);
  tree.use("p2", 5);
  EXPECT_EQ(slackOf(tree, "q2", "p1"), "q2 5, q 3");
  EXPECT_EQ(slackOf(tree, "q2", "q1"), "q2 5");
  EXPECT_EQ(slackOf(tree, "q1", "p1"), "q1 0, q 3");
  EXPECT_EQ(slackOf(tree, "p2", "p1"), "p2 1");
}

TEST(Exposed, NeedsEveryLevelAboveItsEntitlement) {
  Tree tree = twoTeams();
  tree.use("q1", 3);
  tree.use("q2", 5);
  const auto isExposed = [&](const char* lender, const char* claimant) {
    return exposed(tree, tree.find(lender), tree.find(claimant), gpus(1), {kGpu});
  };
  EXPECT_FALSE(isExposed("q2", "p1"));  // q stands at its 8
  EXPECT_TRUE(isExposed("q2", "q1"));
  tree.use("q2", 1);
  EXPECT_TRUE(isExposed("q2", "p1"));
  EXPECT_FALSE(isExposed("q1", "p1"));  // q1 is below its own
  EXPECT_FALSE(isExposed("q2", "q2"));
  EXPECT_FALSE(isExposed("q2", "q"));
}

TEST(Exposed, CpuExcessExposesNoGpuPod) {
  Tree tree(8, {queue("a").deserved(4).deserved(10, kCpu), queue("b").deserved(4)});
  tree.addUsed(tree.find("a"), amounts({{kGpu, 4}, {kCpu, 50}}));
  const ResourceVec pod = amounts({{kGpu, 1}, {kCpu, 8}});
  EXPECT_FALSE(exposed(tree, tree.find("a"), tree.find("b"), pod, {kGpu}));
  EXPECT_FALSE(exposed(tree, tree.find("a"), tree.find("b"), pod, {kCpu, kGpu}));
  EXPECT_TRUE(exposed(tree, tree.find("a"), tree.find("b"), pod, {kCpu}));
  EXPECT_FALSE(exposed(tree, tree.find("a"), tree.find("b"), gpus(0), {kCpu}));  // holds nothing that blocks
}

TEST(Exposed, NotReclaimableProtectsTheWholeSubtree) {
  Tree tree(8, {queue("p").notReclaimable(), queue("c").under("p"), queue("q").deserved(8)});
  tree.use("c", 8);
  EXPECT_FALSE(exposed(tree, tree.find("c"), tree.find("q"), gpus(1), {kGpu}));
  tree.upsert(queue("p").config());
  EXPECT_TRUE(exposed(tree, tree.find("c"), tree.find("q"), gpus(1), {kGpu}));
}

TEST(Exposed, OwnPodsOfAnInnerQueueYieldToItsChildren) {
  Tree tree(8, {queue("p").deserved(8), queue("c").under("p").deserved(4)});
  tree.use("p", 8);
  EXPECT_TRUE(exposed(tree, tree.find("p"), tree.find("c"), gpus(1), {kGpu}));
  EXPECT_EQ(verdict(tree, claimOf(tree, "c", gpus(4)), {takingFrom(tree, "p", 4)}), "");
  EXPECT_EQ(verdict(tree, claimOf(tree, "c", gpus(5)), {takingFrom(tree, "p", 5)}), "ClaimTooLarge c");
}

TEST(Backing, NamesTheWeakestLevel) {
  Tree tree(20, {queue("g").guarantee(4).deserved(6), queue("w"), queue("p").deserved(3),
                 queue("c").under("p").guarantee(3).deserved(3)});
  tree.ask("w", 20);
  const auto of = [&](const char* name, Amount n) { return backing(tree, claimOf(tree, name, gpus(n))); };
  EXPECT_EQ(of("g", 4), Backing::Guarantee);
  EXPECT_EQ(of("g", 5), Backing::Deserved);
  EXPECT_EQ(of("g", 7), Backing::None);
  EXPECT_EQ(of("w", 11), Backing::Weight);  // 20 - 6 - 3
  EXPECT_EQ(of("w", 12), Backing::None);
  EXPECT_EQ(of("c", 3), Backing::Guarantee);
  tree.use("p", 1);  // own pods of p use up part of what stands behind c
  EXPECT_EQ(of("c", 3), Backing::None);
  EXPECT_EQ(backing(tree, claimOf(tree, "c", gpus(3)), tree.find("p")), Backing::Guarantee);
}

TEST(Backing, CpuHeadroomGivesNoRightToGpus) {
  Tree tree(8, {queue("a").deserved(2).deserved(80, kCpu), queue("b")});
  tree.use("a", 2);
  tree.use("b", 6);
  const ResourceVec demand = amounts({{kGpu, 1}, {kCpu, 4}});
  EXPECT_EQ(backing(tree, {tree.find("a"), demand, {kGpu}}), Backing::None);
  EXPECT_EQ(backing(tree, {tree.find("a"), demand, {kCpu}}), Backing::Deserved);
  EXPECT_EQ(backing(tree, {tree.find("a"), cpus(4), {kGpu}}),
            Backing::None);  // asks for nothing that is judged
}

TEST(Judge, LegalWhenBothSidesEndOnTheRightSide) {
  Tree tree(8, {queue("a").deserved(4), queue("b").deserved(4)});
  tree.use("b", 8);
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(4)), {takingFrom(tree, "b", 4)}), "");
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(5)), {takingFrom(tree, "b", 5)}), "ClaimTooLarge a");
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(4)), {takingFrom(tree, "b", 5)}), "LenderTooLow b");
  EXPECT_EQ(verdict(tree, claimOf(tree, "b", gpus(1)), {takingFrom(tree, "b", 1)}), "NoClaim b");
}

TEST(Judge, EveryAncestorOfALenderCounts) {
  Tree tree = twoTeams();
  tree.use("q1", 6);
  tree.use("q2", 5);
  // q2 could give 5, q as a whole only 3.
  EXPECT_EQ(verdict(tree, claimOf(tree, "p1", gpus(3)), {takingFrom(tree, "q2", 3)}), "");
  EXPECT_EQ(
      verdict(tree, claimOf(tree, "p1", gpus(4)), {takingFrom(tree, "q2", 2), takingFrom(tree, "q2", 2)}),
      "LenderTooLow q");
  EXPECT_EQ(verdict(tree, claimOf(tree, "q1", gpus(2)), {takingFrom(tree, "q2", 5)}), "");
}

TEST(Judge, StraddlingGangGoesWholeWhereAllowed) {
  Tree tree(20, {queue("a").deserved(10), queue("b").deserved(10)});
  tree.use("a", 12);
  tree.use("b", 8);
  const Claim claim = claimOf(tree, "b", gpus(2));
  EXPECT_EQ(verdict(tree, claim, {takingFrom(tree, "a", 12)}), "LenderTooLow a");
  EXPECT_EQ(verdict(tree, claim, {takingFrom(tree, "a", 12)}, Straddle::Allowed), "");
  // 12 - 1 - 6 = 5 < 10, and still 11 > 10 without the 6.
  EXPECT_EQ(verdict(tree, claim, {takingFrom(tree, "a", 1), takingFrom(tree, "a", 6)}, Straddle::Allowed),
            "");
  // Without the 6 a would stand at 10: it has nothing more to give, so the 6 may not be touched.
  EXPECT_EQ(verdict(tree, claim, {takingFrom(tree, "a", 2), takingFrom(tree, "a", 6)}, Straddle::Allowed),
            "LenderTooLow a");
}

TEST(Judge, TakingsWithinAnAncestorMakeRoomInIt) {
  Tree tree = twoTeams();
  tree.use("p2", 6);
  tree.use("q2", 10);
  // p: 6 - 2 of p2 + 4 = 8, its entitlement; without p2's share it would end at 10.
  EXPECT_EQ(
      verdict(tree, claimOf(tree, "p1", gpus(4)), {takingFrom(tree, "p2", 2), takingFrom(tree, "q2", 2)}),
      "");
  EXPECT_EQ(verdict(tree, claimOf(tree, "p1", gpus(4)), {takingFrom(tree, "q2", 4)}), "ClaimTooLarge p");
}

TEST(Judge, QuotaLimitsHoldAfterThePlan) {
  Tree tree(8, {queue("a").deserved(4), queue("b").deserved(2), queue("e").guarantee(2).locksGuarantee()});
  tree.use("b", 8);
  // 8 - 6 + 4 leaves 2 free: e's locked guarantee. One GPU less taken would eat into it.
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(4)), {takingFrom(tree, "b", 6)}), "");
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(4)), {takingFrom(tree, "b", 5)}), "OverLimit root");
}

TEST(Judge, NothingIsTakenInVain) {
  Tree tree(8, {queue("a").deserved(4), queue("b").deserved(4)});
  tree.use("b", 8);
  tree.addUsed(tree.find("b"), cpus(70));
  const std::vector<Taking> cpuOnly = {{tree.find("b"), cpus(10)}};
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(1)), cpuOnly), "NothingJudged b");
}

TEST(Judge, ProtectedAndClosedQueues) {
  Tree tree(8, {queue("a").deserved(4), queue("b").notReclaimable(), queue("c").deserved(4).closed()});
  tree.use("b", 8);
  EXPECT_EQ(verdict(tree, claimOf(tree, "a", gpus(1)), {takingFrom(tree, "b", 1)}), "Protected b");
  EXPECT_EQ(verdict(tree, claimOf(tree, "c", gpus(1)), {takingFrom(tree, "b", 1)}), "NoClaim c");
  EXPECT_EQ(illegal(tree, claimOf(tree, "a", gpus(1)), {takingFrom(tree, "b", 1)}, false),
            "queue b is not reclaimable");
}

}  // namespace
}  // namespace tidegate::quota::testing
