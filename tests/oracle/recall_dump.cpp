// Writes random recall problems and our plans for them, one JSON object per line, for recall_oracle.py to
// judge. usage: recall_dump FIRST_SEED LAST_SEED
#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>
#include <string>

#include "recall/baselines.hpp"
#include "recall/random_problem.hpp"
#include "recall_instances.hpp"

namespace json = boost::json;

namespace tidegate {
namespace {

// Costs below 2^50 in all, so that a solver that works in doubles adds them up exactly enough to compare.
void shrinkCosts(recall::Problem& problem, Rng& rng) {
  for (recall::Unit& unit : problem.units) unit.cost = static_cast<Int128>(rng.below(1u << 20) + 1);
}

recall::Problem problemFor(std::uint64_t seed) {
  Rng rng{seed};
  recall::Problem problem;
  if (seed % 2 == 0) {
    problem = recall::testing::randomProblem(seed, {.nodes = 14, .units = 28});
  } else {
    bench::InstanceSpec spec{.nodes = static_cast<std::uint32_t>(rng.between(15, 60)), .seed = seed};
    spec.mix = rng.chance(0.5) ? bench::Mix::Llm : bench::Mix::Philly;
    spec.placement = rng.chance(0.5) ? bench::Placement::Packed : bench::Placement::Fragmented;
    spec.pods = rng.between(1, 8);
    if (rng.chance(0.4)) {
      spec.mode = recall::Mode::Partial;
      spec.podGpus = std::int64_t{1} << rng.below(4);
    }
    if (rng.chance(0.4)) spec.slackGpus = spec.pods * spec.podGpus + rng.between(0, 16);
    problem = bench::makeInstance(spec);
  }
  shrinkCosts(problem, rng);
  return problem;
}

json::array drawsOf(const std::vector<recall::Unit::Draw>& draws) {
  json::array out;
  for (const auto& draw : draws) out.push_back(json::array{draw.budget, draw.amount});
  return out;
}

json::object describe(const recall::Problem& p) {
  json::object out{{"whole", p.mode == recall::Mode::WholeNode},
                   {"request", json::value_from(p.podRequest)},
                   {"wanted", p.podsWanted},
                   {"maxStopped", p.maxStopped == kUnlimited ? json::value() : json::value(p.maxStopped)}};
  json::array nodes, units, budgets, reliefs;
  for (const auto& node : p.nodes)
    nodes.push_back({{"idle", json::value_from(node.idle)},
                     {"blocked", node.blocked},
                     {"maxPods", node.maxPods},
                     {"before", recall::podsThatFit(node.idle, p.podRequest, node.maxPods)}});
  for (const auto& unit : p.units) {
    json::array shares;
    for (const auto& share : unit.shares)
      shares.push_back(json::array{share.node, json::value_from(share.freed)});
    units.push_back({{"cost", static_cast<std::int64_t>(unit.cost)},
                     {"shares", shares},
                     {"draws", drawsOf(unit.draws)},
                     {"reliefs", drawsOf(unit.reliefs)},
                     {"gpus", unit.gpus},
                     {"requires", json::value_from(unit.requires_)}});
  }
  for (const auto& budget : p.budgets)
    budgets.push_back(json::array{budget.slack == kUnlimited ? json::value() : json::value(budget.slack),
                                  budget.allowStraddle});
  for (const auto& relief : p.reliefs) reliefs.push_back(relief.need);
  out["nodes"] = nodes;
  out["units"] = units;
  out["budgets"] = budgets;
  out["reliefs"] = reliefs;
  return out;
}

json::value answerTo(const recall::Problem& problem) {
  const auto plan = recall::solve(problem);
  if (!plan) return nullptr;
  return {{"units", json::value_from(plan->units)},
          {"cost", static_cast<std::int64_t>(plan->cost)},
          {"lowerBound", static_cast<std::int64_t>(plan->lowerBound)},
          {"optimal", plan->optimal}};
}

}  // namespace
}  // namespace tidegate

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: recall_dump FIRST_SEED LAST_SEED\n";
    return 2;
  }
  for (std::uint64_t seed = std::stoull(argv[1]); seed <= std::stoull(argv[2]); ++seed) {
    const tidegate::recall::Problem problem = tidegate::problemFor(seed);
    json::object line{{"seed", seed}, {"plan", tidegate::answerTo(problem)}};
    line["problem"] = tidegate::describe(problem);
    std::cout << json::serialize(line) << '\n';
  }
}
