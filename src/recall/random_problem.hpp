// Small recall problems at random, for tests only.
#pragma once

#include <algorithm>

#include "core/rng.hpp"
#include "recall/problem.hpp"

namespace tidegate::recall::testing {

struct ProblemSize {
  std::uint32_t nodes = 6;   // at most; a quarter of it at least
  std::uint32_t units = 11;  // at most
  int costBits = 84;         // of the largest unit's cost, at most
};

// Some nodes full, gangs over several nodes, every side constraint now and then. Costs are random numbers of
// 44 bits and more, so that two different sets hardly cost the same.
inline Problem randomProblem(std::uint64_t seed, const ProblemSize& size = {}) {
  Rng rng{seed};
  Problem p;
  p.mode = rng.chance(0.5) ? Mode::WholeNode : Mode::Partial;
  const bool twoDims = rng.chance(0.4);
  p.podRequest = {rng.between(1, 4)};
  if (twoDims) p.podRequest.push_back(rng.between(1, 6));
  const auto nodes = static_cast<std::uint32_t>(rng.between((size.nodes + 3) / 4, size.nodes));
  for (std::uint32_t n = 0; n < nodes; ++n) {
    Node node{
        .idle = {rng.between(0, 3)}, .blocked = rng.chance(0.1), .maxPods = rng.between(0, 8), .gpus = 8};
    if (twoDims) node.idle.push_back(rng.between(0, 6));
    p.nodes.push_back(std::move(node));
  }
  const std::size_t units = rng.below(size.units + 1);
  const std::size_t budgets = rng.below(3), reliefs = rng.below(3);
  const auto slack = static_cast<std::int64_t>(units) * 2;
  for (std::size_t b = 0; b < budgets; ++b)
    p.budgets.push_back({.slack = rng.between(-1, slack), .allowStraddle = rng.chance(0.4)});
  for (std::size_t r = 0; r < reliefs; ++r) p.reliefs.push_back({.need = rng.between(0, 8)});
  for (std::size_t u = 0; u < units; ++u) {
    Unit unit;
    unit.cost = static_cast<Int128>(rng.next() >> 20)
                << rng.below(static_cast<std::uint64_t>(size.costBits) - 43);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      if (!rng.chance(u % 3 == 0 ? std::min(0.5, 3.0 / nodes) : 1.0 / nodes)) continue;
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
        if (v != u && rng.chance(3.0 / static_cast<double>(units))) unit.requires_.push_back(v);
    p.units.push_back(std::move(unit));
  }
  if (rng.chance(0.3)) p.maxStopped = rng.between(0, 3 * static_cast<std::int64_t>(units));
  const std::int64_t most = gainOf(p, std::vector<bool>(units, true));
  p.podsWanted = rng.between(0, std::max<std::int64_t>(1, most) + (rng.chance(0.1) ? 1 : 0));
  return p;
}

}  // namespace tidegate::recall::testing
