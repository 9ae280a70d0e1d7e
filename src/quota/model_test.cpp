// Random histories of changes on the incremental tree, compared after every step with rules worked out from
// nothing.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "quota/naive_tree.hpp"
#include "quota/queue_tree.hpp"

namespace tidegate::quota::testing {
namespace {

constexpr ResourceId kResources = 2;
const std::vector<std::string> kNames = {"root", "default", "a", "b", "c", "d", "e"};

// Numbers are small, so that sums collide with limits often, and not multiples, so that rounding shows.
QueueConfig anyConfig() {
  QueueConfig config{.name = *rc::gen::elementOf(kNames)};
  config.parent = *rc::gen::oneOf(rc::gen::just(std::string()), rc::gen::elementOf(kNames));
  config.weight = *rc::gen::inRange(1, 5);
  config.open = *rc::gen::weightedElement<bool>({{5, true}, {1, false}});
  config.lendsGuarantee = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  for (ResourceId r = 0; r < kResources; ++r) {
    const int set = *rc::gen::inRange(0, 8);
    if ((set & 1) != 0) config.guarantee.set(r, *rc::gen::inRange(0, 20));
    if ((set & 2) != 0) config.deserved.set(r, *rc::gen::inRange(0, 25));
    if ((set & 4) != 0) config.capability.set(r, *rc::gen::inRange(0, 30));
  }
  return config;
}

ResourceVec anyAmounts(int bound) {
  ResourceVec amounts;
  for (ResourceId r = 0; r < kResources; ++r) amounts.set(r, *rc::gen::inRange(0, bound));
  return amounts;
}

// Both trees, changed together.
struct Pair {
  QueueTree tree;
  NaiveTree naive;

  void step() {
    switch (*rc::gen::inRange(0, 11)) {
      case 0:
        return setTotal(anyAmounts(40));
      case 1:
        return remove(*rc::gen::elementOf(kNames));
      case 2:
      case 3:
      case 4:
        return upsert(anyConfig());
      case 5:
        return add(naive.ownUsed, &QueueTree::addUsed);
      case 6:
        return add(naive.ownPending, &QueueTree::addPending);
      case 7:
        return take(naive.ownUsed, &QueueTree::subtractUsed);
      case 8:
        return add(naive.ownClosed, &QueueTree::addClosed);
      case 9:
        return take(naive.ownClosed, &QueueTree::subtractClosed);
      default:
        return take(naive.ownPending, &QueueTree::subtractPending);
    }
  }

  void setTotal(const ResourceVec& total) {
    tree.setTotal(total);
    naive.total = total;
  }
  void upsert(QueueConfig config) {
    if (config.name == "root") config.parent.clear();
    tree.upsert(config);
    naive.declared[config.name] = config;
  }
  void remove(const std::string& name) {
    tree.remove(name);
    naive.declared.erase(name);
    for (const char* always : {"root", "default"})
      naive.declared.try_emplace(always, QueueConfig{.name = always});
  }

  using Amounts = std::map<std::string, ResourceVec>;
  using Change = void (QueueTree::*)(QueueId, const ResourceVec&);
  void add(Amounts& own, Change change) {
    const std::string name = *rc::gen::elementOf(kNames);
    const ResourceVec amounts = anyAmounts(15);
    (tree.*change)(tree.findOrAdd(name), amounts);
    own[name] += amounts;
  }
  void take(Amounts& own, Change change) {
    const std::string name = *rc::gen::elementOf(kNames);
    const ResourceVec amounts = own[name];
    (tree.*change)(tree.findOrAdd(name), amounts);
    own[name] = {};
  }
};

void compare(const Pair& pair) {
  const Amount extra = *rc::gen::inRange(1, 12);
  for (const std::string& name : kNames) {
    const QueueId q = pair.tree.find(name);
    if (q == kNoQueue) continue;
    RC_ASSERT(pair.tree.exists(q) == pair.naive.declared.contains(name));
    RC_ASSERT(pair.tree.mayClaim(q) == pair.naive.mayClaim(name));
    const QueueId up = pair.tree.parent(q);
    RC_ASSERT((up == kNoQueue ? "" : pair.tree.config(up).name) == pair.naive.parent(name));
    for (ResourceId r = 0; r < kResources; ++r) {
      RC_ASSERT(pair.tree.used(q)[r] == pair.naive.used(name, r));
      RC_ASSERT(pair.tree.request(q)[r] == pair.naive.request(name, r));
      RC_ASSERT(pair.tree.guarantee(q)[r] == pair.naive.guarantee(name, r));
      RC_ASSERT(pair.tree.deserved(q, r) == pair.naive.deserved(name, r));
      RC_ASSERT(pair.tree.entitlement(q)[r] == pair.naive.entitlement(name, r));
      ResourceVec asked;
      asked.set(r, extra);
      const auto refusal = pair.tree.refusal(q, asked);
      const auto expected = pair.naive.refusedBy(name, r, extra);
      RC_ASSERT(refusal.has_value() == expected.has_value());
      if (refusal) RC_ASSERT(pair.tree.config(refusal->queue).name == *expected);
    }
  }
}

RC_GTEST_PROP(QueueTreeModel, AnswersAsIfWorkedOutFromNothing, ()) {
  Pair pair;
  pair.setTotal(anyAmounts(40));
  const int steps = *rc::gen::inRange(1, 25);
  for (int i = 0; i < steps; ++i) {
    pair.step();
    compare(pair);
  }
}

// The same declarations and amounts in another order: no answer may differ.
RC_GTEST_PROP(QueueTreeModel, OrderOfArrivalLeavesNoTrace, ()) {
  Pair pair;
  pair.setTotal(anyAmounts(40));
  const int steps = *rc::gen::inRange(1, 25);
  for (int i = 0; i < steps; ++i) pair.step();

  std::vector<std::string> order = kNames;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  QueueTree again;
  for (const std::string& name : order) {
    if (const auto used = pair.naive.ownUsed.find(name); used != pair.naive.ownUsed.end()) {
      again.addUsed(again.findOrAdd(name), used->second);
    }
    if (const auto closed = pair.naive.ownClosed.find(name); closed != pair.naive.ownClosed.end()) {
      again.addClosed(again.findOrAdd(name), closed->second);
    }
    if (const auto config = pair.naive.declared.find(name); config != pair.naive.declared.end()) {
      again.upsert(config->second);
    }
    if (const auto pending = pair.naive.ownPending.find(name); pending != pair.naive.ownPending.end()) {
      again.addPending(again.findOrAdd(name), pending->second);
    }
  }
  again.setTotal(pair.naive.total);

  ResourceTable names;
  RC_ASSERT(again.problems(names) == pair.tree.problems(names));
  const auto named = [](const QueueTree& tree) {
    std::vector<std::tuple<std::string, std::string, ResourceId, Amount>> loans;
    for (const Loan& loan : tree.ledger()) {
      loans.emplace_back(tree.config(loan.lender).name, tree.config(loan.borrower).name, loan.resource,
                         loan.amount);
    }
    return loans;
  };
  RC_ASSERT(named(again) == named(pair.tree));
  for (const std::string& name : kNames) {
    const QueueId q = pair.tree.find(name);
    if (q == kNoQueue || again.find(name) == kNoQueue) continue;
    RC_ASSERT(again.entitlement(again.find(name)) == pair.tree.entitlement(q));
  }
}

}  // namespace
}  // namespace tidegate::quota::testing
