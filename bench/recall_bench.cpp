// How long a recall takes to plan, how near its cost is to the proven bound, and what plain rules would have
// cost.
//
// Counters: gap_p50, gap_p95, gap_max over the instances; greedy and lyra: their cost / ours (mean); stopped:
// GPUs stopped / GPUs wanted (mean); proven: share of plans proven optimal; jobs: units in the cluster.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <expected>
#include <string>
#include <vector>

#include "recall/baselines.hpp"
#include "recall_instances.hpp"

namespace tidegate::bench {
namespace {

constexpr std::uint64_t kInstances = 20;

struct Case {
  const char* name;
  InstanceSpec spec;
  std::uint64_t instances = kInstances;
};

std::vector<recall::Problem> instancesOf(const Case& c) {
  std::vector<recall::Problem> problems;
  for (std::uint64_t seed = 1; seed <= c.instances; ++seed) {
    InstanceSpec spec = c.spec;
    spec.seed = seed;
    problems.push_back(makeInstance(spec));
  }
  return problems;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double gpusStopped(const recall::Problem& problem, const recall::Plan& plan) {
  Amount sum = 0;
  for (std::uint32_t unit : plan.units) sum += problem.units[unit].gpus;
  return static_cast<double>(sum);
}

void addQuality(benchmark::State& state, const std::vector<recall::Problem>& problems) {
  std::vector<double> gaps, greedy, lyra, stopped, proven;
  for (const recall::Problem& problem : problems) {
    const auto plan = recall::solve(problem);
    if (!plan) continue;
    gaps.push_back(plan->gap());
    proven.push_back(plan->optimal ? 1 : 0);
    stopped.push_back(gpusStopped(problem, *plan) /
                      static_cast<double>(problem.podRequest[0] * problem.podsWanted));
    const auto cost = static_cast<double>(plan->cost);
    if (const auto other = recall::marginalGreedy(problem))
      greedy.push_back(static_cast<double>(other->cost) / cost);
    if (const auto other = recall::lyraCount(problem))
      lyra.push_back(static_cast<double>(other->cost) / cost);
  }
  std::ranges::sort(gaps);
  state.counters["planned"] = static_cast<double>(gaps.size()) / static_cast<double>(problems.size());
  state.counters["jobs"] = static_cast<double>(problems.front().units.size());
  if (gaps.empty()) return;
  state.counters["gap_p50"] = gaps[gaps.size() / 2];
  state.counters["gap_p95"] = gaps[(gaps.size() - 1) * 95 / 100];
  state.counters["gap_max"] = gaps.back();
  state.counters["proven"] = mean(proven);
  state.counters["stopped"] = mean(stopped);
  state.counters["greedy"] = mean(greedy);
  state.counters["lyra"] = mean(lyra);
}

using Rule = std::expected<recall::Plan, recall::NoPlan> (*)(const recall::Problem&);

std::expected<recall::Plan, recall::NoPlan> tidegateRule(const recall::Problem& problem) {
  return recall::solve(problem);
}

// One iteration plans one instance; they take turns.
void run(benchmark::State& state, const Case& c, Rule rule) {
  const std::vector<recall::Problem> problems = instancesOf(c);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(rule(problems[next]));
    next = (next + 1) % problems.size();
  }
  if (rule == tidegateRule) addQuality(state, problems);
}

// The recall of 64 GPUs on clusters full of mixed gangs; harder relatives; and two without a plan: a lender
// that may not give enough, more nodes wanted than can be had.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::uint32_t nodes : {1000u, 10000u}) {
    const std::uint64_t instances = nodes == 1000 ? kInstances : 4;
    const InstanceSpec base{.nodes = nodes};
    const auto add = [&](const char* name, auto change) {
      InstanceSpec spec = base;
      change(spec);
      all.push_back({.name = name, .spec = spec, .instances = instances});
    };
    add("philly_packed", [](InstanceSpec& s) { s.mix = Mix::Philly, s.placement = Placement::Packed; });
    add("philly_frag", [](InstanceSpec& s) { s.mix = Mix::Philly; });
    add("llm_packed", [](InstanceSpec& s) { s.placement = Placement::Packed; });
    add("llm_frag", [](InstanceSpec&) {});
    add("llm_frag_tenth_of_cluster", [](InstanceSpec& s) { s.pods = s.nodes / 10; });
    add("llm_frag_tight_budget", [](InstanceSpec& s) { s.slackGpus = 64; });
    add("llm_frag_64x1_any_node", [](InstanceSpec& s) {
      s.mode = recall::Mode::Partial;
      s.podGpus = 1;
      s.pods = 64;
    });
    add("unsolvable_budget", [](InstanceSpec& s) { s.slackGpus = 40; });
    add("unsolvable_nodes", [](InstanceSpec& s) { s.pods = s.nodes; });
  }
  return all;
}

void registerAll() {
  static const std::vector<Case> all = cases();
  for (const Case& c : all) {
    const std::string name = std::to_string(c.spec.nodes) + "/" + c.name;
    const auto add = [&](const char* rule, Rule function) {
      benchmark::RegisterBenchmark((std::string(rule) + "/" + name).c_str(), [&c, function](
                                                                                 benchmark::State& state) {
        run(state, c, function);
      })->Unit(benchmark::kMillisecond);
    };
    add("recall", tidegateRule);
    add("greedy", recall::marginalGreedy);
    add("lyra", recall::lyraCount);
  }
}

}  // namespace
}  // namespace tidegate::bench

int main(int argc, char** argv) {
  tidegate::bench::registerAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
