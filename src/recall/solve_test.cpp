#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/rng.hpp"
#include "recall/problem.hpp"

namespace tidegate::recall {
namespace {

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

// A small cluster at random: some nodes full, gangs over several nodes, all side constraints now and then.
Problem randomProblem(std::uint64_t seed) {
  Rng rng{seed};
  Problem p;
  p.mode = rng.chance(0.5) ? Mode::WholeNode : Mode::Partial;
  const bool twoDims = rng.chance(0.4);
  p.podRequest = {rng.between(1, 4)};
  if (twoDims) p.podRequest.push_back(rng.between(1, 6));
  const auto nodes = static_cast<std::uint32_t>(rng.between(1, 6));
  for (std::uint32_t n = 0; n < nodes; ++n) {
    Node node{.idle = {rng.between(0, 3)}, .blocked = rng.chance(0.1), .maxPods = rng.between(0, 8), .gpus = 8};
    if (twoDims) node.idle.push_back(rng.between(0, 6));
    p.nodes.push_back(std::move(node));
  }
  const std::size_t units = rng.below(11);
  const std::size_t budgets = rng.below(3), reliefs = rng.below(3);
  for (std::size_t b = 0; b < budgets; ++b)
    p.budgets.push_back({.slack = rng.between(-1, 20), .allowStraddle = rng.chance(0.4)});
  for (std::size_t r = 0; r < reliefs; ++r) p.reliefs.push_back({.need = rng.between(0, 8)});
  for (std::size_t u = 0; u < units; ++u) {
    Unit unit{.cost = static_cast<Int128>(rng.next() >> 20) << rng.below(40), .shares = {}, .draws = {}, .reliefs = {}, .requires_ = {}};
    for (std::uint32_t n = 0; n < nodes; ++n) {
      if (!rng.chance(u % 3 == 0 ? 0.5 : 1.0 / nodes)) continue;
      Unit::Share share{.node = n, .freed = {rng.between(0, 4)}};
      if (twoDims) share.freed.push_back(rng.between(0, 6));
      unit.gpus += share.freed[0];
      unit.shares.push_back(std::move(share));
    }
    for (std::uint32_t b = 0; b < budgets; ++b)
      if (rng.chance(0.6)) unit.draws.push_back({.budget = b, .amount = rng.chance(0.1) ? 0 : unit.gpus});
    for (std::uint32_t r = 0; r < reliefs; ++r)
      if (rng.chance(0.4)) unit.reliefs.push_back({.budget = r, .amount = rng.between(0, 5)});
    if (rng.chance(0.2))
      for (std::uint32_t v = 0; v < units; ++v)
        if (v != u && rng.chance(0.3)) unit.requires_.push_back(v);
    p.units.push_back(std::move(unit));
  }
  if (rng.chance(0.3)) p.maxStopped = rng.between(0, 30);
  std::vector<bool> all(units, true);
  p.podsWanted = rng.between(0, std::max<std::int64_t>(1, gainOf(p, all)) + (rng.chance(0.1) ? 1 : 0));
  return p;
}

RC_GTEST_PROP(Solve, FindsTheOptimumOfSmallProblems, ()) {
  const Problem problem = randomProblem(*rc::gen::arbitrary<std::uint64_t>());
  const Truth truth = byBruteForce(problem);
  const auto plan = solve(problem);
  RC_ASSERT(plan.has_value() == truth.possible);
  RC_CLASSIFY(truth.possible, "a plan exists");
  if (!plan) return;
  RC_ASSERT(feasible(problem, asSet(problem, plan->units)));
  RC_ASSERT(plan->cost == truth.cost);
  RC_ASSERT(plan->optimal);
  RC_ASSERT(plan->lowerBound == plan->cost);
  RC_ASSERT(asSet(problem, plan->units) == truth.stopped || plan->cost == 0);
}

}  // namespace
}  // namespace tidegate::recall
