#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include "api/names.hpp"
#include "plan/json.hpp"
#include "plan/text.hpp"

namespace tidegate::plan {
namespace {

const Time kNow = std::chrono::sys_days{std::chrono::June / 18 / 2026} + std::chrono::hours(20);

// One node of eight GPUs, a queue that is promised all of it and one that is promised nothing.
class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    api::Node node;
    node.metadata.name = "n1";
    node.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(8);
    node.status.allocatable["pods"] = Quantity::ofInteger(110);
    objects_.emplace_back(node);
    queue("online", 8);
    queue("offline", 0);
  }
  void queue(const std::string& name, std::int64_t guarantee) {
    api::Queue queue;
    queue.metadata.name = name;
    if (guarantee > 0) queue.spec.guarantee.resource["nvidia.com/gpu"] = Quantity::ofInteger(guarantee);
    objects_.emplace_back(queue);
  }
  // A PodGroup of one pod; running if a node is named.
  api::Pod& job(const std::string& name, const std::string& queue, const std::string& node = "") {
    api::PodGroup group;
    group.metadata.name = name;
    group.metadata.namespace_ = "default";
    group.spec.queue = queue;
    group.spec.minMember = 1;
    objects_.emplace_back(group);
    api::Pod pod;
    pod.metadata.name = name + "-0";
    pod.metadata.namespace_ = "default";
    pod.metadata.uid = name;
    pod.metadata.creationTimestamp = kNow - seconds(3600);
    pod.metadata.annotations[api::names::kGroupName] = name;
    pod.spec.schedulerName = "volcano";
    pod.spec.nodeName = node;
    pod.spec.containers.emplace_back().resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(8);
    pod.status.phase = node.empty() ? "Pending" : "Running";
    objects_.emplace_back(pod);
    return std::get<api::Pod>(objects_.back());
  }
  PlanResult plan(PlanOptions options = {}) const { return runPlan(objects_, {}, options); }

  std::vector<api::Object> objects_;
};

TEST_F(PlanTest, PodsBeyondMinMemberDoNotStartBeforeThoseThatAreNeeded) {
  api::Pod pod = job("train", "offline");
  for (auto& object : objects_) {
    if (auto* group = std::get_if<api::PodGroup>(&object)) group->spec.minMember = 2;
  }
  for (const char* name : {"train-1", "train-2"}) {
    pod.metadata.name = name;
    pod.metadata.uid = name;
    objects_.emplace_back(pod);
  }
  EXPECT_TRUE(plan().binds.empty()) << "one node has room for one pod of the two";
}

TEST_F(PlanTest, PlansForTheNewestTimeOfTheInput) {
  job("train", "offline", "n1").status.startTime = kNow;
  EXPECT_EQ(plan().now, kNow);
  EXPECT_EQ(plan({.now = kNow + seconds(5)}).now, kNow + seconds(5));
}

TEST_F(PlanTest, WithoutNodesNoSelectorIsBlamed) {
  objects_.erase(objects_.begin());
  job("serve", "online");
  const PlanResult result = plan();
  ASSERT_EQ(result.pending.size(), 1U);
  EXPECT_TRUE(result.pending[0].reason.starts_with("never fits: there are no nodes;"))
      << result.pending[0].reason;
}

TEST_F(PlanTest, TheEndOfAGraceIsNotNow) {
  api::Pod& pod = job("train", "offline", "n1");
  pod.metadata.deletionTimestamp = kNow + seconds(600);
  EXPECT_EQ(plan().now, kNow - seconds(3600));
  pod.metadata.deletionGracePeriodSeconds = 600;
  EXPECT_EQ(plan().now, kNow);
}

TEST_F(PlanTest, AVictimComesBackAndWaits) {
  job("train", "offline", "n1");
  job("serve", "online");
  const PlanResult result = plan();
  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_EQ(result.evictions[0].job, "default/train");
  ASSERT_EQ(result.pending.size(), 1U);
  EXPECT_EQ(result.pending[0].pod, "default/train-0");
  EXPECT_TRUE(result.settled);
}

TEST_F(PlanTest, ABarePodDoesNotComeBack) {
  api::Pod& pod = job("train", "offline", "n1");
  pod.metadata.annotations = {{api::names::kQueueName, "offline"}};
  job("serve", "online");
  const PlanResult result = plan();
  ASSERT_EQ(result.evictions.size(), 1U);
  EXPECT_EQ(result.evictions[0].job, "default/train-0");
  EXPECT_TRUE(result.pending.empty());
}

TEST_F(PlanTest, ALeavingPodGoesAndDoesNotComeBack) {
  job("train", "offline", "n1").metadata.deletionTimestamp = kNow;
  job("serve", "online");
  const PlanResult result = plan();
  EXPECT_TRUE(result.evictions.empty());
  ASSERT_EQ(result.binds.size(), 1U);
  EXPECT_EQ(result.binds[0].pod, "default/serve-0");
  EXPECT_TRUE(result.pending.empty());
}

TEST_F(PlanTest, StopsAfterTheCyclesAskedFor) {
  job("train", "offline", "n1");
  job("serve", "online");
  const PlanResult result = plan({.cycles = 1});
  EXPECT_EQ(result.cycles, 1);
  EXPECT_FALSE(result.settled);
  EXPECT_TRUE(result.pending.empty()) << "the victim has not come back yet";
}

TEST_F(PlanTest, JobsAreNamedByTheirOwner) {
  job("train", "offline", "n1");
  auto& group = std::get<api::PodGroup>(objects_[objects_.size() - 2]);
  api::OwnerReference& owner = group.metadata.ownerReferences.emplace_back();
  owner.kind = "Job";
  owner.name = "llm";
  owner.controller = true;
  job("serve", "online");
  EXPECT_EQ(plan().evictions.at(0).job, "default/llm");
}

TEST_F(PlanTest, TextGroupsPodsThatWaitForTheSame) {
  job("serve", "online", "n1");
  job("a", "offline");
  job("b", "offline");
  const std::string text = toText(plan());
  EXPECT_NE(text.find("default/a-0 and 1 more: "), std::string::npos) << text;
}

TEST_F(PlanTest, AnEmptyClusterIsAPlanToo) {
  objects_.clear();
  EXPECT_TRUE(plan().settled);
  EXPECT_NE(toJson(plan()).find("\"binds\": []"), std::string::npos);
}

}  // namespace
}  // namespace tidegate::plan
