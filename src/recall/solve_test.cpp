#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "recall/baselines.hpp"
#include "recall/random_problem.hpp"

namespace tidegate::recall {
namespace {

using testing::randomProblem;

struct Truth {
  bool possible = false;
  Int128 cost = 0;
  std::vector<bool> stopped;
};

// Every subset.
Truth byBruteForce(const Problem& problem) {
  Truth best;
  const std::size_t n = problem.units.size();
  for (std::uint32_t set = 0; set < 1u << n; ++set) {
    std::vector<bool> stopped(n);
    Int128 cost = 0;
    for (std::size_t u = 0; u < n; ++u)
      if ((stopped[u] = (set >> u & 1) != 0)) cost += problem.units[u].cost;
    if (best.possible && cost >= best.cost) continue;
    if (feasible(problem, stopped)) best = {true, cost, stopped};
  }
  return best;
}

std::vector<bool> asSet(const Problem& problem, const std::vector<std::uint32_t>& units) {
  std::vector<bool> set(problem.units.size(), false);
  for (std::uint32_t u : units) set[u] = true;
  return set;
}

Problem anyProblem(const testing::ProblemSize& size = {}) {
  return randomProblem(*rc::gen::arbitrary<std::uint64_t>(), size);
}

RC_GTEST_PROP(Solve, FindsTheOptimumOfSmallProblems, ()) {
  const Problem problem = anyProblem();
  const Truth truth = byBruteForce(problem);
  const auto plan = solve(problem);
  RC_CLASSIFY(truth.possible, "a plan exists");
  RC_ASSERT(plan.has_value() == truth.possible);
  if (!plan) return;
  RC_ASSERT(feasible(problem, asSet(problem, plan->units)));
  RC_ASSERT(plan->optimal);
  RC_ASSERT(plan->cost == truth.cost);
  RC_ASSERT(plan->lowerBound == plan->cost);
}

// Also where no search is allowed and the plan may be dearer than the best.
RC_GTEST_PROP(Solve, BoundHoldsAndNothingCouldBeLeftOut, ()) {
  const Problem problem = anyProblem({.nodes = 12, .units = 30});
  const auto plan = solve(problem, {.exactNodes = 0, .cuts = 3});
  RC_CLASSIFY(plan.has_value(), "planned");
  if (!plan) return;
  std::vector<bool> stopped = asSet(problem, plan->units);
  RC_ASSERT(feasible(problem, stopped));
  RC_ASSERT(plan->lowerBound <= plan->cost);
  const auto exact = solve(problem, {.exactNodes = 50000});
  RC_ASSERT(exact && plan->lowerBound <= exact->cost && exact->lowerBound <= plan->cost);
  for (std::uint32_t unit : plan->units) {
    // Without it go those that need it.
    std::vector<bool> fewer = stopped;
    fewer[unit] = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t u : plan->units)
        for (std::uint32_t needed : problem.units[u].requires_)
          if (fewer[u] && !fewer[needed]) fewer[u] = false, changed = true;
    }
    RC_ASSERT(!feasible(problem, fewer));
  }
}

RC_GTEST_PROP(Solve, OrderOfUnitsAndNodesDoesNotMatter, ()) {
  const Problem problem = anyProblem({.nodes = 10, .units = 25});
  Rng rng{*rc::gen::arbitrary<std::uint64_t>()};
  const auto shuffled = [&](std::size_t n) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    return order;
  };
  const auto nodeAt = shuffled(problem.nodes.size()), unitAt = shuffled(problem.units.size());
  Problem other = problem;
  for (std::size_t n = 0; n < nodeAt.size(); ++n) other.nodes[nodeAt[n]] = problem.nodes[n];
  for (std::size_t u = 0; u < unitAt.size(); ++u) {
    Unit unit = problem.units[u];
    for (Unit::Share& share : unit.shares) share.node = nodeAt[share.node];
    std::ranges::sort(unit.shares, {}, &Unit::Share::node);
    for (std::uint32_t& needed : unit.requires_) needed = unitAt[needed];
    other.units[unitAt[u]] = std::move(unit);
  }
  const auto a = solve(problem), b = solve(other);
  RC_ASSERT(a.has_value() == b.has_value());
  if (!a) return;
  RC_ASSERT(a->cost == b->cost);
  std::vector<std::uint32_t> moved;
  for (std::uint32_t u : a->units) moved.push_back(unitAt[u]);
  std::ranges::sort(moved);
  RC_ASSERT(moved == b->units);
}

RC_GTEST_PROP(Baselines, CoverTheDemandAndAreNeverBelowTheBound, ()) {
  const Problem problem = anyProblem({.nodes = 12, .units = 30});
  Problem free = problem;
  for (Budget& budget : free.budgets) budget = {.slack = kUnlimited};
  free.maxStopped = kUnlimited;
  const auto plan = solve(problem);
  if (const auto greedy = marginalGreedy(problem)) {
    RC_ASSERT(feasible(problem, asSet(problem, greedy->units)));
    RC_ASSERT(plan && plan->lowerBound <= greedy->cost);
  }
  const auto lyra = lyraCount(problem);
  RC_ASSERT(lyra || !solve(free));
  if (lyra) RC_ASSERT(feasible(free, asSet(problem, lyra->units)));
}

// The load of the promo drill: 25 nodes of 8 GPUs, one of them idle, gangs over the others; the burst takes 8
// nodes and the lender may give exactly the 56 GPUs that are missing.
Problem drill() {
  Problem p;
  p.podRequest = {8000};
  p.podsWanted = 7;
  for (int n = 0; n < 24; ++n)
    p.nodes.push_back({.idle = {n < 17 ? 0 : 8000}, .blocked = n >= 17, .maxPods = 110, .gpus = 8000});
  p.budgets = {{.slack = 56000}};
  const auto gang = [&](std::vector<std::uint32_t> nodes, Amount each, std::int64_t cost) {
    Unit unit;
    unit.cost = cost;
    for (std::uint32_t n : nodes) unit.shares.push_back({.node = n, .freed = {each}});
    unit.gpus = each * static_cast<Amount>(nodes.size());
    unit.draws = {{.budget = 0, .amount = unit.gpus}};
    p.units.push_back(std::move(unit));
  };
  gang({0, 1, 2, 3}, 8000, 3201);
  gang({4, 5}, 8000, 900);
  gang({6, 7}, 8000, 1450);
  gang({8, 9, 10, 11}, 8000, 2602);  // 8 pods of 4
  gang({12, 13}, 8000, 1303);        // 4 pods of 4
  gang({14}, 8000, 2404);            // 8 pods of 1
  gang({15}, 1000, 100);             // the core of an elastic gang
  for (int i = 0; i < 7; ++i) gang({15}, 1000, 10 + i);
  for (std::uint32_t u = 7; u < 14; ++u) p.units[6].requires_.push_back(u);
  gang({16}, 4000, 5);  // notebooks: cheap, but their node holds only half
  gang({16}, 3000, 6);
  return p;
}

TEST(Solve, DrillWithABudgetThatIsExactlyTight) {
  const Problem problem = drill();
  const auto plan = solve(problem);
  const Truth truth = byBruteForce(problem);
  ASSERT_TRUE(plan && truth.possible);
  EXPECT_TRUE(plan->optimal);
  EXPECT_TRUE(plan->cost == truth.cost);
  EXPECT_EQ(asSet(problem, plan->units), truth.stopped);
  EXPECT_EQ(plan->nodes.size(), 7u);
}

TEST(Solve, DrillOneGpuShortOfTheBudgetHasNoPlan) {
  Problem problem = drill();
  problem.budgets[0].slack = 54000;
  const auto plan = solve(problem);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().why, NoPlan::Why::Budget);
  EXPECT_EQ(plan.error().budgets, std::vector<std::uint32_t>{0});
  EXPECT_EQ(plan.error().podsPossible, 16);
  problem.budgets[0].allowStraddle = true;
  EXPECT_TRUE(solve(problem));
}

TEST(Solve, SaysWhichNeedCannotBeMet) {
  Problem problem = drill();
  problem.podsWanted = 17;
  EXPECT_EQ(solve(problem).error().why, NoPlan::Why::Nodes);
  problem = drill();
  problem.reliefs = {{.need = 0}, {.need = 1}};
  EXPECT_EQ(solve(problem).error().why, NoPlan::Why::Relief);
  EXPECT_EQ(solve(problem).error().reliefs, std::vector<std::uint32_t>{1});
  problem = drill();
  problem.maxStopped = 40000;
  EXPECT_EQ(solve(problem).error().why, NoPlan::Why::Stopped);
}

TEST(Solve, NothingWantedStopsNothing) {
  Problem problem = drill();
  problem.podsWanted = 0;
  const auto plan = solve(problem);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->units.empty() && plan->nodes.empty() && plan->optimal);
}

}  // namespace
}  // namespace tidegate::recall
