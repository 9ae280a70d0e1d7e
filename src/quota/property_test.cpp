// What must hold of any tree: promises kept, nothing lent twice, no recall that the lender could answer with
// another.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "quota/legality.hpp"
#include "quota/queue_tree.hpp"

namespace tidegate::quota::testing {
namespace {

constexpr ResourceId kFirst = 0;
constexpr ResourceId kResources = 2;

ResourceVec anyAmounts(int bound) {
  ResourceVec amounts;
  for (ResourceId r = 0; r < kResources; ++r) amounts.set(r, *rc::gen::inRange(0, bound));
  return amounts;
}

ResourceVec units(Amount count) {
  ResourceVec amounts;
  amounts.set(kFirst, count);
  return amounts;
}

// Up to nine queues in up to four levels, with usage that need not respect any limit.
QueueTree anyTree() {
  QueueTree tree;
  tree.setTotal(anyAmounts(60));
  const int count = *rc::gen::inRange(1, 10);
  for (int i = 0; i < count; ++i) {
    QueueConfig config{.name = "q" + std::to_string(i)};
    const int parent = *rc::gen::inRange(-2, i);
    if (parent >= 0) config.parent = "q" + std::to_string(parent);
    config.weight = *rc::gen::inRange(1, 6);
    config.reclaimable = *rc::gen::weightedElement<bool>({{8, true}, {1, false}});
    for (ResourceId r = 0; r < kResources; ++r) {
      const int set = *rc::gen::inRange(0, 8);
      if ((set & 1) != 0) config.guarantee.set(r, *rc::gen::inRange(0, 20));
      if ((set & 2) != 0) config.deserved.set(r, *rc::gen::inRange(0, 25));
      if ((set & 4) != 0) config.capability.set(r, *rc::gen::inRange(0, 40));
    }
    const QueueId q = tree.upsert(config);
    tree.addUsed(q, anyAmounts(12));
    tree.addPending(q, anyAmounts(12));
  }
  return tree;
}

QueueId anyQueue(const QueueTree& tree) {
  return *rc::gen::inRange<QueueId>(1, static_cast<QueueId>(tree.size()));
}

Amount ownUsed(const QueueTree& tree, QueueId queue) {
  Amount own = tree.used(queue)[kFirst];
  for (QueueId child : tree.children(queue)) own -= tree.used(child)[kFirst];
  return own;
}

bool under(const QueueTree& tree, QueueId queue, QueueId ancestor) {
  while (queue != kNoQueue && queue != ancestor) queue = tree.parent(queue);
  return queue == ancestor;
}

RC_GTEST_PROP(QuotaProperty, PromisesNestAndEntitlementsKeepThem, ()) {
  const QueueTree tree = anyTree();
  for (QueueId q = 0; q < tree.size(); ++q) {
    for (ResourceId r = 0; r < kResources; ++r) {
      const Amount entitled = tree.entitlement(q)[r];
      const Amount guarantee = tree.guarantee(q)[r];
      RC_ASSERT(guarantee >= 0 && guarantee <= entitled);
      RC_ASSERT(guarantee <= tree.deserved(q, r));
      RC_ASSERT(q == kRoot || tree.deserved(q, r) == kUnlimited ||
                tree.deserved(q, r) <= tree.config(q).capability[r]);
      RC_ASSERT(entitled <= tree.config(q).capability[r]);
      Amount guaranteed = 0, shared = 0, owed = 0;
      for (QueueId child : tree.children(q)) {
        guaranteed += tree.guarantee(child)[r];
        RC_ASSERT(tree.entitlement(child)[r] <= entitled);
        (tree.deserved(child, r) == kUnlimited ? shared : owed) += tree.entitlement(child)[r];
      }
      RC_ASSERT(guaranteed <= guarantee);
      // Shares are of what promises leave; they exceed it only by guarantees, if deserved amounts leave
      // nothing.
      RC_ASSERT(shared <= std::max(entitled - owed, guaranteed));
    }
  }
}

RC_GTEST_PROP(QuotaProperty, AskingForMoreNeverEntitlesToLess, ()) {
  QueueTree tree = anyTree();
  const QueueId q = anyQueue(tree);
  const ResourceVec before = tree.entitlement(q);
  tree.addPending(q, anyAmounts(30));
  RC_ASSERT(before.fitsIn(tree.entitlement(q)));
}

// The open nodes are full, and guarantees fit on them: whoever asks for its own finds it at borrowers there,
// however much is held on closed nodes.
RC_GTEST_PROP(QuotaProperty, GuaranteesComeBackFromOpenNodes, ()) {
  const Amount open = *rc::gen::inRange<Amount>(1, 40);
  QueueTree tree;
  Amount total = open, unpromised = open, free = open;
  std::map<QueueId, Amount> onOpen, onClosed;
  for (int i = 0; i < 5; ++i) {
    QueueConfig config{.name = "q" + std::to_string(i), .weight = *rc::gen::inRange(1, 100)};
    if (i > 1 && *rc::gen::arbitrary<bool>()) config.parent = "q" + std::to_string(*rc::gen::inRange(0, 2));
    const Amount guarantee =
        config.parent.empty() && i < 2 ? 0 : *rc::gen::inRange<Amount>(0, unpromised + 1);
    unpromised -= guarantee;
    config.guarantee.set(kFirst, guarantee);
    const QueueId q = tree.upsert(config);
    onOpen[q] = i == 4 ? free : *rc::gen::inRange<Amount>(0, free + 1);
    onClosed[q] = *rc::gen::inRange<Amount>(0, 20);
    free -= onOpen[q];
    total += onClosed[q];
    tree.addUsed(q, units(onOpen[q] + onClosed[q]));
    tree.addClosed(q, units(onClosed[q]));
  }
  tree.setTotal(units(total));
  const QueueId claimant = *rc::gen::inRange<QueueId>(2, static_cast<QueueId>(tree.size()));
  const Amount missing = tree.guarantee(claimant)[kFirst] - onOpen[claimant] - onClosed[claimant];
  if (missing <= 0 || !tree.children(claimant).empty()) return;
  tree.addPending(claimant, units(missing));

  // One by one, from whoever may be asked.
  for (Amount taken = 0; taken < missing; ++taken) {
    const auto gives = [&](const auto& entry) {
      return entry.second > 0 &&
             !judge(tree, {claimant, units(1), {kFirst}}, {{entry.first, units(1)}}, Straddle::Forbidden);
    };
    const auto lender = std::ranges::find_if(onOpen, gives);
    RC_ASSERT(lender != onOpen.end());
    --lender->second;
    tree.subtractUsed(lender->first, units(1));
    tree.addPending(lender->first, units(1));
    tree.subtractPending(claimant, units(1));
    tree.addUsed(claimant, units(1));
  }
}

RC_GTEST_PROP(QuotaProperty, ProblemsAreToldWheneverANumberIsNotReadAsWritten, ()) {
  const QueueTree tree = anyTree();
  bool changed = false;
  for (QueueId q = 1; q < tree.size(); ++q) {
    for (ResourceId r = 0; r < kResources; ++r) {
      const QueueConfig& config = tree.config(q);
      changed |= config.guarantee[r] > 0 && tree.guarantee(q)[r] != config.guarantee[r];
      changed |= config.deserved.has(r) && tree.deserved(q, r) != config.deserved[r];
    }
  }
  const bool told = !tree.problems(ResourceTable()).empty();
  RC_ASSERT(told || !changed);
}

RC_GTEST_PROP(QuotaProperty, LedgerBalances, ()) {
  const QueueTree tree = anyTree();
  std::vector<ResourceVec> lent(tree.size()), borrowed(tree.size());
  for (const Loan& loan : tree.ledger()) {
    RC_ASSERT(loan.amount > 0);
    RC_ASSERT(loan.lender != loan.borrower);
    for (QueueId q = 0; q < tree.size(); ++q) {
      const bool lends = under(tree, loan.lender, q), borrows = under(tree, loan.borrower, q);
      if (lends && !borrows) lent[q].add(loan.resource, loan.amount);
      if (borrows && !lends) borrowed[q].add(loan.resource, loan.amount);
    }
  }
  for (QueueId q = 0; q < tree.size(); ++q) {
    RC_ASSERT(tree.lent(q) == lent[q]);
    for (ResourceId r = 0; r < kResources; ++r) {
      // Nobody lends what it uses or was not promised; nobody owes more than it has borrowed.
      const Amount unused = std::max<Amount>(tree.entitlement(q)[r] - tree.used(q)[r], 0);
      RC_ASSERT(lent[q][r] <= unused);
      const bool leaf = tree.children(q).empty();
      if (leaf) RC_ASSERT(borrowed[q][r] <= tree.borrowed(q)[r]);
    }
  }
}

// Where the cluster is full and promises do not exceed it, all that is borrowed is lent by somebody.
RC_GTEST_PROP(QuotaProperty, FullClusterHasALenderForEveryLoan, ()) {
  const Amount total = *rc::gen::inRange(1, 50);
  QueueTree tree;
  tree.setTotal(units(total));
  Amount free = total, promised = total;
  for (const char* name : {"a", "b", "c", "d"}) {
    QueueConfig config{.name = name};
    const Amount deserved = *rc::gen::inRange<Amount>(0, promised + 1);
    config.deserved.set(kFirst, deserved);
    promised -= deserved;
    ResourceVec used;
    used.set(kFirst, name[0] == 'd' ? free : *rc::gen::inRange<Amount>(0, free + 1));
    free -= used[kFirst];
    tree.addUsed(tree.upsert(config), used);
  }
  Amount borrowed = 0, lent = 0, unpromised = promised;
  for (const char* name : {"a", "b", "c", "d"}) {
    borrowed += tree.borrowed(tree.find(name))[kFirst];
    lent += tree.lent(tree.find(name))[kFirst];
  }
  RC_ASSERT(lent == borrowed - unpromised);
}

// A plan within claimable() and slack() is what judge() calls legal, and a claim of one more is not.
void budgetsAgree(const QueueTree& tree, QueueId claimant, QueueId lender) {
  if (!exposed(tree, lender, claimant, units(1), {kFirst})) return;
  const Amount most = claimable(tree, claimant, kFirst, lender);
  // The own pods of a queue above the claimant have no line: they may give all they use.
  Amount give = ownUsed(tree, lender);
  for (const Slack& slack : slack(tree, lender, claimant, kFirst)) give = std::min(give, slack.amount);
  if (give == 0) return;

  const auto rule = [&](Amount claimed) -> std::optional<Violation::Rule> {
    const Claim claim = {claimant, units(claimed), {kFirst}};
    const auto wrong = judge(tree, claim, {{lender, units(give)}}, Straddle::Forbidden);
    // Limits are refusal()'s to judge, with idle amounts that no budget speaks of.
    if (!wrong || wrong->rule == Violation::Rule::OverLimit) return std::nullopt;
    return wrong->rule;
  };
  if (most > 0) RC_ASSERT(!rule(most));
  RC_ASSERT(rule(most + 1) == Violation::Rule::ClaimTooLarge);
}

RC_GTEST_PROP(QuotaProperty, BudgetsAgreeWithTheJudge, ()) {
  const QueueTree tree = anyTree();
  for (QueueId claimant = 1; claimant < tree.size(); ++claimant) {
    for (QueueId lender = 1; lender < tree.size(); ++lender) budgetsAgree(tree, claimant, lender);
  }
}

// After a strictly legal recall the lender has no claim against the claimant: no ping-pong.
void cannotClaimBack(QueueTree tree, QueueId claimant, QueueId lender, const ResourceVec& amount) {
  if (ownUsed(tree, lender) < amount[kFirst]) return;
  tree.addPending(claimant, amount);  // the demand
  if (judge(tree, {claimant, amount, {kFirst}}, {{lender, amount}}, Straddle::Forbidden)) return;
  tree.subtractUsed(lender, amount);
  tree.addPending(lender, amount);  // the victim waits again
  tree.subtractPending(claimant, amount);
  tree.addUsed(claimant, amount);
  RC_ASSERT(judge(tree, {lender, amount, {kFirst}}, {{claimant, amount}}, Straddle::Forbidden).has_value());
}

RC_GTEST_PROP(QuotaProperty, LenderCannotClaimBack, ()) {
  const QueueTree tree = anyTree();
  const ResourceVec amount = units(*rc::gen::inRange(1, 6));
  for (QueueId claimant = 1; claimant < tree.size(); ++claimant) {
    for (QueueId lender = 1; lender < tree.size(); ++lender) cannotClaimBack(tree, claimant, lender, amount);
  }
}

}  // namespace
}  // namespace tidegate::quota::testing
