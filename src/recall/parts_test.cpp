#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "recall/baselines.hpp"
#include "recall/partial_options.hpp"
#include "recall/random_problem.hpp"
#include "recall/selection.hpp"
#include "recall/share_flow.hpp"

namespace tidegate::recall::solver {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Problem wholeNodes(std::uint64_t seed) {
  Problem problem = testing::randomProblem(seed, {.nodes = 10, .units = 14});
  problem.mode = Mode::WholeNode;
  problem.reliefs.clear();
  for (Unit& unit : problem.units) unit.reliefs.clear();
  problem.podsWanted = std::max<std::int64_t>(1, problem.podsWanted);
  return problem;
}

// What a set of groups is worth at a price: what its units cost less what its gain pays.
Int128 worth(const Model& model, const std::vector<Index>& groups, Int128 price) {
  Int128 sum = 0;
  std::vector<bool> paid(model.unitCount(), false);
  for (Index g : groups) {
    sum -= price * model.optionGain[model.optionBegin[g]];
    for (Index unit : model.groupUnits[g]) {
      if (!paid[unit]) sum += model.cost[unit];
      paid[unit] = true;
    }
  }
  return sum;
}

RC_GTEST_PROP(ShareFlow, CutIsTheCheapestSetOfGroupsAtEachPrice, ()) {
  const Model model = build(wholeNodes(*rc::gen::arbitrary<std::uint64_t>())).model;
  RC_PRE(model.singleOption() && model.groupCount() > 0);
  ShareFlow flow(model, dualByRoom(model, model.cost));
  Int128 total = 0;
  for (Int128 cost : model.cost) total += cost;
  Rng rng{*rc::gen::arbitrary<std::uint64_t>()};
  for (int i = 0; i < 4; ++i) {  // up and down: flow is kept from price to price
    const Int128 price = total / static_cast<Int128>(rng.between(1, 40));
    const Int128 found = worth(model, flow.cut({price}), price);
    Int128 least = 0;
    for (Index set = 0; set < 1u << model.groupCount(); ++set) {
      std::vector<Index> groups;
      for (Index g = 0; g < model.groupCount(); ++g)
        if ((set >> g & 1) != 0) groups.push_back(g);
      least = std::min(least, worth(model, groups, price));
    }
    RC_ASSERT(found == least);
    const Dual dual = flow.dual();
    std::vector<Int128> left = dual.weight;
    for (Index e = 0; e < dual.share.size(); ++e) left[model.groupUnits.value(e)] -= dual.share[e];
    for (Index u = 0; u < left.size(); ++u) RC_ASSERT(left[u] >= 0);
  }
}

RC_GTEST_PROP(Selection, RestoringUndoesStopping, ()) {
  const Problem problem = testing::randomProblem(*rc::gen::arbitrary<std::uint64_t>());
  const Model model = build(problem).model;
  const Selection fresh(model);
  Selection selection(model);
  for (Index u = 0; u < model.unitCount(); ++u) selection.stop(u);
  for (Index u = 0; u < model.unitCount(); ++u)
    selection.restore(static_cast<Index>(model.unitCount()) - 1 - u);
  RC_ASSERT(selection.cost() == 0);
  for (Index d = 0; d < model.need.size(); ++d) RC_ASSERT(selection.missing(d) == fresh.missing(d));
  for (Index o = 0; o < model.optionCount(); ++o) RC_ASSERT(selection.due(o) == fresh.due(o));
}

struct CrowdedNode {
  Problem problem;
  Node node{.idle = {1}, .maxPods = 8};
  std::vector<std::vector<Amount>> freed;
  std::vector<LocalUnit> units;

  explicit CrowdedNode(std::vector<Amount> sizes) {
    problem.podRequest = {4};
    problem.podsWanted = 2;
    for (Amount size : sizes) freed.push_back({size});
    for (Index u = 0; u < freed.size(); ++u)
      units.push_back({.unit = u, .cost = 10 * (static_cast<Int128>(u) + 1), .freed = freed[u], .draws = {}});
  }

  std::vector<std::vector<Index>> choices(int maxSets) {
    std::vector<std::vector<Index>> sets;
    for (const Choice& choice : partialChoices(problem, node, units, maxSets).list) {
      sets.emplace_back();
      for (Index local : choice.local) sets.back().push_back(units[local].unit);
      std::ranges::sort(sets.back());
    }
    return sets;
  }
};

TEST(PartialChoices, AreTheMinimalSets) {
  CrowdedNode node({3, 1, 2, 4});
  EXPECT_THAT(node.choices(1000), UnorderedElementsAre(ElementsAre(0), ElementsAre(3), ElementsAre(1, 2),
                                                       ElementsAre(0, 3), ElementsAre(1, 2, 3)));
}

TEST(PartialChoices, OfAKindTakeTheCheapestOnly) {
  CrowdedNode node({3, 3, 3, 3});
  for (LocalUnit& unit : node.units) unit.kind = 0;
  EXPECT_THAT(node.choices(1000), UnorderedElementsAre(ElementsAre(0), ElementsAre(0, 1, 2)));
}

TEST(PartialChoices, TooManySetsStillHaveOneForEachGain) {
  CrowdedNode node({1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_THAT(node.choices(1), UnorderedElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1, 2, 3, 4, 5, 6)));
  EXPECT_EQ(partialChoices(node.problem, node.node, node.units, 1).spareGain, 2);
}

TEST(Budgets, StraddlingLooksAtTheSumWithoutTheLargest) {
  const Budget strict{.slack = 10}, straddled{.slack = 10, .allowStraddle = true};
  EXPECT_TRUE(withinBudget(strict, 10, 6));
  EXPECT_FALSE(withinBudget(strict, 11, 6));
  EXPECT_TRUE(withinBudget(straddled, 15, 6));
  EXPECT_FALSE(withinBudget(straddled, 16, 6));
  EXPECT_TRUE(withinBudget({.slack = -5}, 0, 0));
  EXPECT_FALSE(withinBudget({.slack = 0, .allowStraddle = true}, 3, 3));
}

TEST(LyraCount, CountsJobsNotWork) {
  Problem p{.podRequest = {8}, .podsWanted = 1, .nodes = {}, .units = {}, .budgets = {}, .reliefs = {}};
  for (int n = 0; n < 3; ++n) p.nodes.push_back({.idle = {0}, .maxPods = 8, .gpus = 8});
  const auto add = [&](std::vector<std::uint32_t> nodes, Amount each, std::int64_t cost) {
    Unit unit;
    unit.cost = cost;
    for (std::uint32_t n : nodes) unit.shares.push_back({.node = n, .freed = {each}});
    p.units.push_back(std::move(unit));
  };
  add({0, 1}, 8, 1000);  // a gang on two servers: half a job on each
  add({2}, 4, 1);
  add({2}, 4, 1);
  EXPECT_THAT(lyraCount(p)->units, ElementsAre(0));
  EXPECT_THAT(solve(p)->units, ElementsAre(1, 2));
  EXPECT_THAT(marginalGreedy(p)->units, ElementsAre(1, 2));
}

}  // namespace
}  // namespace tidegate::recall::solver
