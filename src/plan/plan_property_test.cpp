// What must hold of every plan, over clusters drawn from seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "plan/plan.hpp"
#include "plan/random_cluster.hpp"

namespace tidegate::plan {
namespace {

constexpr std::uint64_t kSeeds = 300;

std::set<std::string> boundPods(const PlanResult& result) {
  std::set<std::string> pods;
  for (const Bind& bind : result.binds) pods.insert(bind.pod);
  return pods;
}

std::set<std::string> evictedPods(const PlanResult& result) {
  std::set<std::string> pods;
  for (const Eviction& eviction : result.evictions) pods.insert(eviction.pod);
  return pods;
}

std::string describe(const PlanResult& result) {
  std::string text;
  for (const Bind& bind : result.binds) text += bind.pod + "@" + bind.node + " ";
  for (const Eviction& eviction : result.evictions) text += "-" + eviction.pod + " ";
  for (const Pending& pending : result.pending) text += "?" + pending.pod + ": " + pending.reason + " ";
  return text;
}

// The cluster once the plan is carried out: who stands where.
std::map<std::string, std::int64_t> gpusPerNode(const RandomCluster& cluster, const PlanResult& result) {
  std::map<std::string, std::string> where;
  std::map<std::string, std::int64_t> gpusOf;
  for (const auto& object : cluster.objects) {
    if (const auto* pod = std::get_if<api::Pod>(&object)) {
      const std::string key = "default/" + pod->metadata.name;
      where[key] = pod->spec.nodeName;
      gpusOf[key] = pod->spec.containers[0].resources.requests.at("nvidia.com/gpu").value();
    }
  }
  for (const auto& pod : evictedPods(result)) where[pod].clear();
  for (const Bind& bind : result.binds) where[bind.pod] = bind.node;
  std::map<std::string, std::int64_t> used;
  for (const auto& [pod, node] : where) {
    if (!node.empty()) used[node] += gpusOf[pod];
  }
  return used;
}

TEST(PlanProperties, SettlesWithoutOverfillingAnyNode) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomCluster cluster(seed);
    const PlanResult result = runPlan(cluster.objects, {});
    EXPECT_TRUE(result.settled) << "seed " << seed;
    for (const auto& [node, gpus] : gpusPerNode(cluster, result))
      EXPECT_LE(gpus, 8) << node << " seed " << seed;
  }
}

TEST(PlanProperties, NoGangIsLeftBetweenNothingAndItsMinimum) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomCluster cluster(seed);
    const PlanResult result = runPlan(cluster.objects, {});
    const auto bound = boundPods(result);
    const auto evicted = evictedPods(result);
    std::map<std::string, int> running;
    for (const auto& object : cluster.objects) {
      const auto* pod = std::get_if<api::Pod>(&object);
      if (pod == nullptr) continue;
      const std::string key = "default/" + pod->metadata.name;
      const bool stays = !pod->spec.nodeName.empty() && !evicted.contains(key);
      running[pod->metadata.annotations.at(api::names::kGroupName)] += stays || bound.contains(key) ? 1 : 0;
    }
    for (const auto& object : cluster.objects) {
      const auto* group = std::get_if<api::PodGroup>(&object);
      if (group == nullptr) continue;
      const int count = running[group->metadata.name];
      EXPECT_TRUE(count == 0 || count >= group->spec.minMember) << group->metadata.name << " seed " << seed;
    }
  }
}

TEST(PlanProperties, NothingIsEvictedUnlessWaitingWorkStarts) {
  int recalls = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomCluster cluster(seed);
    const PlanResult result = runPlan(cluster.objects, {});
    if (result.evictions.empty()) continue;
    ++recalls;
    const auto bound = boundPods(result);
    EXPECT_TRUE(std::ranges::any_of(cluster.demand, [&](const auto& pod) { return bound.contains(pod); }))
        << "seed " << seed << ": " << describe(result);
  }
  EXPECT_GT(recalls, 50) << "the generator no longer asks for recalls";
}

TEST(PlanProperties, OrderOfTheInputChangesNothing) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    RandomCluster cluster(seed);
    const std::string before = describe(runPlan(cluster.objects, {}));
    Rng rng(seed);
    for (std::size_t i = cluster.objects.size(); i > 1; --i) {
      std::swap(cluster.objects[i - 1], cluster.objects[rng.below(i)]);
    }
    EXPECT_EQ(before, describe(runPlan(cluster.objects, {}))) << "seed " << seed;
  }
}

std::int64_t placedDemand(const RandomCluster& cluster, const PlanResult& result) {
  const auto bound = boundPods(result);
  return std::ranges::count_if(cluster.demand, [&](const auto& pod) { return bound.contains(pod); });
}

// Pods of the demand that its queue may claim; more than these it gets only by the luck of what a recall
// leaves over.
std::int64_t claimablePods(const RandomCluster& cluster, const PlanResult& result) {
  std::int64_t perPod = 0;
  for (const auto& object : cluster.objects) {
    const auto* pod = std::get_if<api::Pod>(&object);
    if (pod == nullptr || "default/" + pod->metadata.name != cluster.demand.front()) continue;
    perPod = pod->spec.containers[0].resources.requests.at("nvidia.com/gpu").value();
  }
  const auto owed = std::ranges::find(result.queues, "owed", &QueueFigures::name);
  return owed->deserved.at("nvidia.com/gpu").value() / perPod;
}

TEST(PlanProperties, AnIdleNodeMoreNeverMakesPlacedDemandWait) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    RandomCluster cluster(seed);
    const PlanResult before = runPlan(cluster.objects, {});
    cluster.addIdleNode();
    const PlanResult after = runPlan(cluster.objects, {});
    EXPECT_GE(placedDemand(cluster, after),
              std::min(placedDemand(cluster, before), claimablePods(cluster, before)))
        << "seed " << seed << ": " << describe(after);
  }
}

// A recall leaves every lender at or above its entitlement, unless one whole gang stands across that line:
// without it the lender would be above.
TEST(PlanProperties, NoLenderFallsBelowItsEntitlementButByAGangAcrossTheLine) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomCluster cluster(seed);
    const PlanResult result = runPlan(cluster.objects, {}, {.cycles = 1});
    if (result.recalls.empty()) continue;
    for (const char* lender : {"lender", "guest"}) {
      Amount largest = 0;
      for (const auto& recall : result.recalls) {
        for (const RecalledJob& job : recall.jobs) {
          if (job.queue == lender && job.whole) largest = std::max(largest, job.gpus * 1000);
        }
      }
      if (largest == 0) continue;
      ++judged;
      const auto queue = std::ranges::find(result.queues, lender, &QueueFigures::name);
      const auto used = queue->used.find("nvidia.com/gpu");
      const Amount left = used == queue->used.end() ? 0 : used->second.milliValue();
      const Amount entitled = queue->deserved.at("nvidia.com/gpu").milliValue();
      EXPECT_GT(left + largest, entitled) << lender << " seed " << seed << ": " << describe(result);
    }
  }
  EXPECT_GT(judged, 50);
}

// Puts one evicted job back: the demand must then no longer fit, or the job was stopped for nothing. Demand
// that fills nodes may ask for more than it needs to get them whole, so only demand below a node is judged.
TEST(PlanProperties, NoEvictedJobCouldHaveStayed) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomCluster cluster(seed);
    const PlanResult result = runPlan(cluster.objects, {}, {.cycles = 1});
    if (result.recalls.size() != 1) continue;
    const auto& recall = result.recalls.front();
    std::int64_t demandGpus = 0;
    std::set<std::string> placed;
    for (const Bind& bind : recall.placements) placed.insert(bind.pod);
    for (const auto& object : cluster.objects) {
      const auto* pod = std::get_if<api::Pod>(&object);
      if (pod == nullptr || !placed.contains("default/" + pod->metadata.name)) continue;
      demandGpus += pod->spec.containers[0].resources.requests.at("nvidia.com/gpu").value();
    }
    if (demandGpus >= 8) continue;
    for (const RecalledJob& spared : recall.jobs) {
      ++judged;
      std::vector<api::Object> rest;
      for (const auto& object : cluster.objects) {
        const auto* pod = std::get_if<api::Pod>(&object);
        const bool gone = pod != nullptr && evictedPods(result).contains("default/" + pod->metadata.name) &&
                          "default/" + pod->metadata.annotations.at(api::names::kGroupName) != spared.job;
        if (!gone) rest.push_back(object);
      }
      scheduler::Policy noRecall;
      noRecall.actions = {scheduler::ActionKind::Allocate};
      const auto bound = boundPods(runPlan(rest, noRecall));
      EXPECT_FALSE(std::ranges::all_of(placed, [&](const auto& pod) { return bound.contains(pod); }))
          << spared.job << " seed " << seed << ": " << describe(result);
    }
  }
  EXPECT_GT(judged, 30);
}

}  // namespace
}  // namespace tidegate::plan
