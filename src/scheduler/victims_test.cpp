// Whose pods a recall may take: gangs of one operator's job as one, pods without a device with those that
// have one, and of an elastic job some only where its controller keeps to them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {
namespace {

namespace names = api::names;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Time kStart = Time{} + std::chrono::hours(24 * 20000);

class Victims : public testing::Test {
 protected:
  void SetUp() override {
    policy_.minRuntime = seconds(0);
    queue("online", 8);
    queue("offline", 0);
  }

  void nodes(std::int32_t count) {
    for (std::int32_t i = 1; i <= count; ++i) {
      api::Node node;
      node.metadata.name = fmt::format("n{}", i);
      node.metadata.uid = "uid-" + node.metadata.name;
      node.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(8);
      node.status.allocatable["pods"] = Quantity::ofInteger(110);
      state_.apply(node);
    }
  }

  void queue(const std::string& name, std::int64_t guarantee) {
    api::Queue queue;
    queue.metadata.name = name;
    queue.metadata.uid = "uid-queue-" + name;
    if (guarantee > 0) queue.spec.guarantee.resource["nvidia.com/gpu"] = Quantity::ofInteger(guarantee);
    state_.apply(queue);
  }

  struct PodOptions {
    std::int64_t gpus = 8;
    const char* queue = "offline";
    const char* scheduler = "tidegate";
    bool preemptable = true;
    const char* group = "";
  };
  // In a gang of its job; on a node, unless that is empty.
  void pod(const std::string& name, const std::string& job, const std::string& node, PodOptions options) {
    api::Pod pod;
    pod.metadata.name = name;
    pod.metadata.namespace_ = "default";
    pod.metadata.uid = "uid-" + name;
    pod.metadata.creationTimestamp = kStart;
    pod.metadata.annotations[names::kQueueName] = options.queue;
    if (*options.group != 0) pod.metadata.annotations[names::kGroupName] = options.group;
    if (!options.preemptable) pod.metadata.annotations[names::kPreemptable] = "false";
    if (!job.empty()) pod.metadata.ownerReferences = {{"batch/v1", "Job", job, "uid-job-" + job, true}};
    api::Container container;
    container.name = "main";
    if (options.gpus > 0) container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(options.gpus);
    pod.spec.containers.push_back(container);
    pod.spec.schedulerName = options.scheduler;
    pod.spec.nodeName = node;
    pod.status.phase = node.empty() ? "Pending" : "Running";
    if (!node.empty()) pod.status.startTime = kStart;
    state_.apply(pod);
  }
  void job(const std::string& name, const std::string& jobSet) {
    api::BatchJob job;
    job.metadata.name = name;
    job.metadata.namespace_ = "default";
    job.metadata.uid = "uid-job-" + name;
    if (!jobSet.empty())
      job.metadata.ownerReferences = {{"jobset.x-k8s.io/v1alpha2", "JobSet", jobSet, "uid-" + jobSet, true}};
    state_.apply(job);
  }
  // Of two pods of 4 GPUs, on n1; one of them would do.
  void elastic() {
    api::VcJob job;
    job.metadata.name = "elastic";
    job.metadata.namespace_ = "default";
    job.metadata.uid = "uid-elastic";
    state_.apply(job);
    api::PodGroup group;
    group.metadata = job.metadata;
    group.metadata.uid = "uid-group";
    group.metadata.ownerReferences = {{api::VcJob::kApiVersion, "Job", "elastic", "uid-elastic", true}};
    group.spec.minMember = 1;
    group.spec.queue = "offline";
    state_.apply(group);
    for (const char* name : {"e0", "e1"}) pod(name, "", "n1", {.gpus = 4, .group = "elastic"});
  }
  void demand(std::int64_t gpus = 8) { pod("web", "", "", {.gpus = gpus, .queue = "online"}); }

  Decisions decided() { return decide(state_, policy_, kStart + seconds(100), {}); }
  std::vector<std::string> stopped(const Decisions& decisions) {
    std::vector<std::string> out;
    for (const auto& recall : decisions.recalls) {
      for (const auto& victim : recall.victims) {
        allWhole_ = allWhole_ && victim.whole;
        for (const PodId pod : victim.pods) {
          EXPECT_EQ(state_.pod(pod).gang, victim.gang);
          out.push_back(state_.pod(pod).object->metadata.name);
        }
      }
    }
    std::ranges::sort(out);
    return out;
  }

  ClusterState state_;
  Policy policy_;
  bool allWhole_ = true;
};

TEST_F(Victims, GangsOfOneJobAreTakenTogetherAndCountOnce) {
  nodes(2);
  for (const char* name : {"set-a", "set-b"}) job(name, "set");
  pod("a", "set-a", "n1", {});
  pod("b", "set-b", "n2", {});
  demand();
  const Decisions decisions = decided();
  EXPECT_THAT(stopped(decisions), ElementsAre("a", "b"));
  EXPECT_TRUE(allWhole_);
  ASSERT_THAT(decisions.recalls, SizeIs(1));
  EXPECT_EQ(decisions.recalls[0].cost.jobs, 1);
  EXPECT_EQ(decisions.recalls[0].cost.gpusStopped, 16);
  ASSERT_THAT(decisions.recalls[0].victims, SizeIs(2));
}

TEST_F(Victims, GangsOfOneJobCostWhatAllOfThemCost) {
  nodes(3);
  for (const char* name : {"set-a", "set-b"}) job(name, "set");
  job("single", "");
  pod("a", "set-a", "n1", {});
  pod("b", "set-b", "n2", {});
  pod("z", "single", "n3", {});
  demand();
  EXPECT_THAT(stopped(decided()), ElementsAre("z"));
}

TEST_F(Victims, OneThatMayNotBeStoppedSparesTheOthers) {
  nodes(2);
  for (const char* name : {"set-a", "set-b"}) job(name, "set");
  pod("a", "set-a", "n1", {});
  pod("b", "set-b", "n2", {.preemptable = false});
  demand();
  EXPECT_THAT(decided().recalls, IsEmpty());
}

TEST_F(Victims, PodsWithoutADeviceGoWithTheOthers) {
  nodes(2);
  for (const char* name : {"set-a", "set-b"}) job(name, "set");
  pod("worker", "set-a", "n1", {});
  pod("launcher", "set-a", "n2", {.gpus = 0});
  pod("submitter", "set-b", "n2", {.gpus = 0, .queue = "default", .scheduler = "default-scheduler"});
  pod("other", "", "n2", {.gpus = 8, .preemptable = false});
  demand();
  EXPECT_THAT(stopped(decided()), ElementsAre("launcher", "submitter", "worker"));
}

TEST_F(Victims, APodWithoutADeviceIsNoReasonToStopItsJob) {
  nodes(1);
  job("cpu", "");
  pod("busy", "cpu", "n1", {.gpus = 0});
  pod("other", "", "n1", {.gpus = 8, .preemptable = false});
  demand();
  EXPECT_THAT(decided().recalls, IsEmpty());
}

TEST_F(Victims, AnElasticVcJobGoesWholeWhereItsControllerKnowsNoLimit) {
  nodes(1);
  elastic();
  demand(4);
  EXPECT_THAT(stopped(decided()), SizeIs(1));
  EXPECT_FALSE(allWhole_);
  allWhole_ = true;
  policy_.shrinksVcJobs = false;
  EXPECT_THAT(stopped(decided()), ElementsAre("e0", "e1"));
  EXPECT_TRUE(allWhole_);
}

// Of several that are spared equally long one is told: the same, whichever came first.
TEST_F(Victims, WhoIsSparedDoesNotDependOnTheOrderOfObjects) {
  policy_.minRuntime = seconds(600);
  nodes(2);
  queue("fair", 0);
  for (const bool reversed : {false, true}) {
    const std::pair names = reversed ? std::pair{"b", "a"} : std::pair{"a", "b"};
    ClusterState state = state_;
    std::swap(state_, state);
    pod(names.first, "", "n1", {});
    pod(names.second, "", "n2", {});
    pod("late", "", "", {.gpus = 4, .queue = "fair"});
    const Decisions decisions = decided();
    ASSERT_THAT(decisions.pending, SizeIs(1));
    EXPECT_THAT(decisions.pending[0].reason,
                HasSubstr("gang default/podgroup-uid-a has its minimum run time"));
    state_ = std::move(state);
  }
}

}  // namespace
}  // namespace tidegate::scheduler
