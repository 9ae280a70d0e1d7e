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
    group.metadata.creationTimestamp = kNow - seconds(3600);
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
  void node(const std::string& name) {
    api::Node copy = std::get<api::Node>(objects_.front());
    copy.metadata.name = name;
    objects_.emplace_back(copy);
  }
  // As a recall leaves it behind: the owner is there, its pods are not. Submitted before all of job().
  template <class Owner>
  Owner& suspended(const std::string& name) {
    Owner owner;
    owner.metadata.name = name;
    owner.metadata.namespace_ = "default";
    owner.metadata.uid = "uid-" + name;
    owner.metadata.creationTimestamp = kNow - seconds(7200);
    owner.metadata.annotations = {{api::names::kSuspend, "recall-1"},
                                  {api::names::kSuspendedAt, formatTime(kNow - seconds(60))},
                                  {api::names::kSuspendedReplicas, "1"}};
    objects_.emplace_back(owner);
    return std::get<Owner>(objects_.back());
  }
  static api::PodTemplateSpec eightGpus() {
    api::PodTemplateSpec out;
    out.metadata.annotations[api::names::kQueueName] = "offline";
    out.spec.schedulerName = "volcano";
    out.spec.containers.emplace_back().resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(8);
    return out;
  }
  void suspendedVcJob(const std::string& name, std::int32_t pods) {
    auto& it = suspended<api::VcJob>(name);
    it.spec.queue = "offline";
    it.spec.minAvailable = pods;
    api::TaskSpec& task = it.spec.tasks.emplace_back();
    task.replicas = pods;
    task.template_ = eightGpus();
    it.status.state.phase = "Aborted";
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

TEST_F(PlanTest, RoomIsKeptForASuspendedJobThatIsServedFirst) {
  suspendedVcJob("old", 1);
  job("young", "offline").metadata.creationTimestamp = kNow;
  const PlanResult result = plan();
  EXPECT_TRUE(result.binds.empty());
  ASSERT_EQ(result.pending.size(), 1U);
  EXPECT_NE(result.pending[0].reason.find("kept for recalled work that is served first: default/old"),
            std::string::npos)
      << result.pending[0].reason;
  ASSERT_EQ(result.suspended.size(), 1U);
  EXPECT_EQ(result.suspended[0].job, "default/old");
  EXPECT_EQ(result.suspended[0].fit, 1);
  EXPECT_NE(toText(result).find("default/old (queue offline, priority 0): 1 pod, room for all"),
            std::string::npos)
      << toText(result);
  EXPECT_NE(toJson(result).find(R"("suspended": [
    {"job":"default/old","queue":"offline","priority":0,"whole":true,"pods":1,"fit":1})"),
            std::string::npos)
      << toJson(result);
}

TEST_F(PlanTest, ABatchJobAndADeploymentComeBackTooAndOneThatWasLetGoDoesNot) {
  job("young", "offline").metadata.creationTimestamp = kNow;
  {
    auto& it = suspended<api::BatchJob>("old");
    it.spec.suspend = true;
    it.spec.parallelism = 1;
    it.spec.template_ = eightGpus();
  }
  EXPECT_TRUE(plan().binds.empty());
  std::get<api::BatchJob>(objects_.back()).metadata.annotations.clear();
  EXPECT_EQ(plan().binds.size(), 1U) << "suspended by its user, not by a recall";
  objects_.pop_back();
  {
    auto& it = suspended<api::Deployment>("old");
    it.spec.replicas = 0;
    it.spec.template_ = eightGpus();
  }
  EXPECT_TRUE(plan().binds.empty());
}

TEST_F(PlanTest, NoRoomIsKeptWhileTheRecallOfTheJobIsNotOver) {
  suspendedVcJob("old", 1);
  job("young", "offline").metadata.creationTimestamp = kNow;
  api::Recall recall;
  recall.metadata.name = "recall-1";
  recall.status.phase = "Stopping";
  objects_.emplace_back(recall);
  EXPECT_EQ(plan().binds.size(), 1U);
}

TEST_F(PlanTest, VictimsOfARecallUnderWayLeaveAlsoWithoutAMark) {
  job("train", "offline", "n1");
  job("serve", "online");
  api::Recall recall;
  recall.metadata.name = "recall-1";
  recall.status.phase = "Stopping";
  api::RecallVictim& victim = recall.spec.victims.emplace_back();
  victim.gang = "default/train";
  victim.phase = "Stopping";
  objects_.emplace_back(recall);
  const PlanResult result = plan();
  EXPECT_TRUE(result.recalls.empty()) << "it is being stopped already";
  ASSERT_EQ(result.binds.size(), 1U);
  EXPECT_EQ(result.binds[0].pod, "default/serve-0");
}

TEST_F(PlanTest, ExtrasWaitForASuspendedJobThatHasNoPlaceYet) {
  node("n2");
  job("serve", "online", "n1");
  suspendedVcJob("old", 2);
  api::Pod pod = job("elastic", "offline");
  pod.metadata.creationTimestamp = kNow;
  pod.spec.containers.front().resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(1);
  std::get<api::Pod>(objects_.back()) = pod;
  pod.metadata.name = pod.metadata.uid = "elastic-1";
  objects_.emplace_back(pod);
  const PlanResult result = plan();
  EXPECT_EQ(result.binds.size(), 1U);
  ASSERT_EQ(result.pending.size(), 1U);
  EXPECT_EQ(
      result.pending[0].reason,
      "beyond what its gang needs: recalled work that is served first comes back before it: default/old");
  ASSERT_EQ(result.suspended.size(), 1U);
  EXPECT_EQ(result.suspended[0].fit, 0);
}

TEST_F(PlanTest, AQueueTableHasNoThousandths) {
  queue("weighted", 0);
  std::get<api::Queue>(objects_.back()).spec.capability["nvidia.com/gpu"] = Quantity::ofMilli(114286);
  const std::string text = toText(plan());
  EXPECT_NE(text.find("114.286"), std::string::npos) << text;
  EXPECT_EQ(text.find("114286m"), std::string::npos) << text;
}

TEST_F(PlanTest, AnEmptyClusterIsAPlanToo) {
  objects_.clear();
  EXPECT_TRUE(plan().settled);
  EXPECT_NE(toJson(plan()).find("\"binds\": []"), std::string::npos);
}

}  // namespace
}  // namespace tidegate::plan
