// The whole decision, from a mirrored cluster to a plan: session, order, problem, solver, placement, reasons.
#include <benchmark/benchmark.h>

#include "cluster_maker.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::bench {
namespace {

void recallCycle(benchmark::State& run, ClusterSpec spec) {
  spec.nodes = static_cast<std::uint32_t>(run.range(0));
  const ClusterState state = makeCluster(spec);
  const scheduler::Policy policy;
  scheduler::Decisions decisions;
  for (auto _ : run) {
    decisions = scheduler::decide(state, policy, clusterTime());
    benchmark::DoNotOptimize(decisions);
  }
  std::int64_t stopped = 0;
  for (const auto& recall : decisions.recalls) stopped += recall.cost.gpusStopped;
  run.counters["pods"] = static_cast<double>(state.podIndex().size());
  run.counters["recalls"] = static_cast<double>(decisions.recalls.size());
  run.counters["gpusStopped"] = static_cast<double>(stopped);
  run.counters["gap"] = decisions.recalls.empty() ? 0 : decisions.recalls.front().gap;
}

BENCHMARK_CAPTURE(recallCycle, recall_64_gpus, ClusterSpec{})
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recallCycle, recall_64_gpus_by_small_pods, ClusterSpec{.burstPods = 64, .podGpus = 1})
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recallCycle, unsolvable, ClusterSpec{.reclaimable = false})
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidegate::bench
