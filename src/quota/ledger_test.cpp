#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/tree_builder.hpp"

namespace tidegate::quota::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Every loan of GPUs as "lender > borrower: n".
std::vector<std::string> loans(const Tree& tree) {
  std::vector<std::string> out;
  for (const Loan& loan : tree.ledger()) {
    out.push_back(tree.config(loan.lender).name + " > " + tree.config(loan.borrower).name + ": " +
                  std::to_string(loan.amount / kOne));
  }
  return out;
}

TEST(Ledger, NamesLenderAndBorrower) {
  Tree tree(200, {queue("online").guarantee(128), queue("offline")});
  tree.use("offline", 150);
  // offline is entitled to 72; 128 of online are unused, 50 of them idle.
  EXPECT_THAT(loans(tree), ElementsAre("online > offline: 78"));
  EXPECT_EQ(tree.lends("online"), 78);
  EXPECT_EQ(tree.borrows("offline"), 78);
  EXPECT_EQ(tree.lends("offline"), 0);
}

TEST(Ledger, WhatNobodyIsPromisedIsNoLoan) {
  Tree tree(20, {queue("a").deserved(4), queue("b").deserved(6)});
  tree.use("a", 14);
  // 10 are promised to nobody: a uses them before anything of b's.
  EXPECT_EQ(tree.borrows("a"), 10);
  EXPECT_THAT(loans(tree), IsEmpty());
  tree.use("a", 3);
  EXPECT_THAT(loans(tree), ElementsAre("b > a: 3"));
}

TEST(Ledger, SeveralLendersLendInProportion) {
  Tree tree(12, {queue("a").deserved(3), queue("b").deserved(6), queue("c").deserved(3)});
  tree.use("c", 9);
  // c borrows 6; of the 9 unused of a and b, 3 are idle.
  EXPECT_THAT(loans(tree), ElementsAre("a > c: 2", "b > c: 4"));
}

TEST(Ledger, SiblingsLendToEachOtherFirst) {
  Tree tree(20, {queue("p").deserved(10), queue("p1").under("p").deserved(5),
                 queue("p2").under("p").deserved(5), queue("q").deserved(10)});
  tree.use("p1", 12);
  tree.use("q", 8);
  // p1 is 7 over: 5 are p2's, 2 are q's.
  EXPECT_THAT(loans(tree), ElementsAre("p2 > p1: 5", "q > p1: 2"));
  EXPECT_EQ(tree.lends("p2"), 5);
  EXPECT_EQ(tree.lends("p"), 0);  // within p
  EXPECT_EQ(tree.lends("q"), 2);
}

TEST(Ledger, LoanAcrossSubtreesIsResolvedToTheLeaves) {
  Tree tree(
      20, {queue("p").deserved(10), queue("p1").under("p").deserved(6), queue("p2").under("p").deserved(4),
           queue("q").deserved(10), queue("q1").under("q").deserved(10), queue("q2").under("q").deserved(0)});
  tree.use("p2", 4);
  tree.use("q1", 10);
  tree.use("q2", 5);
  EXPECT_THAT(loans(tree), ElementsAre("p1 > q2: 5"));
  EXPECT_EQ(tree.lends("p"), 5);
  EXPECT_EQ(tree.lends("p1"), 5);
}

TEST(Ledger, EntitlementThatNoChildHoldsIsLentByTheInnerQueue) {
  Tree tree(10, {queue("p").deserved(6), queue("p1").under("p").deserved(2), queue("q").deserved(4)});
  tree.use("q", 7);
  // q is 3 over; p has 6 unused, 2 of them p1's; 3 are idle.
  EXPECT_THAT(loans(tree), ElementsAre("p > q: 2", "p1 > q: 1"));
  EXPECT_EQ(tree.lends("p"), 3);
  EXPECT_EQ(tree.lends("p1"), 1);
}

TEST(Ledger, OwnPodsOfAnInnerQueueBorrowFromItsChildren) {
  Tree tree(10, {queue("p").deserved(6), queue("p1").under("p").deserved(5)});
  tree.use("p", 4);
  EXPECT_EQ(tree.borrows("p"), 0);
  EXPECT_THAT(loans(tree), ElementsAre("p1 > p: 3"));  // 1 of p's 6 is promised to no child
}

TEST(Ledger, UndeclaredQueueBorrowsAllItUses) {
  Tree tree(10, {queue("a").deserved(10)});
  tree.use("ghost", 3);
  EXPECT_THAT(loans(tree), ElementsAre("a > ghost: 3"));
}

}  // namespace
}  // namespace tidegate::quota::testing
