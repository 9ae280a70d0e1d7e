#include "state/cluster_state.hpp"

#include <gtest/gtest.h>

#include "api/names.hpp"

namespace tidegate {
namespace {

api::Node node(const char* version) {
  api::Node node;
  node.metadata.name = "gpu-1";
  node.metadata.uid = "uid-1";
  node.metadata.resourceVersion = version;
  node.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(8);
  node.status.conditions.emplace_back().type = "Ready";
  node.status.conditions[0].status = "True";
  return node;
}

TEST(ClusterState, AHeartbeatIsNoNewsForDecisions) {
  ClusterState state;
  state.apply(node("1"));
  const std::uint64_t before = state.generation();
  api::Node beat = node("2");
  beat.status.conditions[0].message = "kubelet is posting ready status";
  state.apply(beat);
  EXPECT_EQ(state.generation(), before);
}

TEST(ClusterState, WhatPlacementRestsOnIsNews) {
  const auto isNews = [](auto edit) {
    ClusterState state;
    state.apply(node("1"));
    const std::uint64_t before = state.generation();
    api::Node changed = node("2");
    edit(changed);
    state.apply(changed);
    return state.generation() != before;
  };
  EXPECT_TRUE(isNews([](api::Node& it) { it.status.conditions[0].status = "Unknown"; }));
  EXPECT_TRUE(isNews([](api::Node& it) { it.spec.unschedulable = true; }));
  EXPECT_TRUE(isNews([](api::Node& it) { it.spec.taints.push_back({"k", "v", "NoSchedule"}); }));
  EXPECT_TRUE(isNews([](api::Node& it) { it.metadata.labels["zone"] = "b"; }));
  EXPECT_TRUE(
      isNews([](api::Node& it) { it.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(7); }));
}

TEST(ClusterState, ANodeThatGoesAndComesBackTheSameIsNews) {
  ClusterState state;
  state.apply(node("1"));
  state.remove(api::refOf(node("1")));
  const std::uint64_t before = state.generation();
  api::Node again = node("3");
  again.metadata.uid = "uid-2";
  state.apply(again);
  EXPECT_NE(state.generation(), before);
  EXPECT_EQ(state.queues().total()[ResourceTable::kGpu], 8000);
}

TEST(ClusterState, AQueuesFiguresAreNoNewsItsNumbersAre) {
  ClusterState state;
  api::Queue queue;
  queue.metadata.name = "q";
  queue.metadata.uid = "u";
  queue.metadata.resourceVersion = "1";
  state.apply(queue);
  const std::uint64_t before = state.generation();
  queue.metadata.resourceVersion = "2";
  queue.status.allocated["nvidia.com/gpu"] = Quantity::ofInteger(4);
  state.apply(queue);
  EXPECT_EQ(state.generation(), before);
  queue.metadata.resourceVersion = "3";
  queue.spec.weight = 5;
  state.apply(queue);
  EXPECT_NE(state.generation(), before);
}

TEST(ClusterState, PodsOfOtherSchedulersAreCountedNotPlaced) {
  ClusterState state({"mine"});
  api::Pod pod;
  pod.metadata.name = "p";
  pod.metadata.namespace_ = "n";
  for (const char* name : {"mine", "volcano"}) {
    pod.spec.schedulerName = name;
    state.apply(pod);
    EXPECT_EQ(state.pod(state.findPod("n/p")).pending(), std::string(name) == "mine");
  }
}

class ClosedNodeTest : public testing::Test {
 protected:
  void seeNode(bool cordoned, std::vector<api::Taint> taints = {}) {
    api::Node closed = node("");
    closed.status.allocatable["pods"] = Quantity::ofInteger(110);
    closed.spec.unschedulable = cordoned;
    closed.spec.taints = std::move(taints);
    state_.apply(closed);
  }
  api::Pod pod(const char* name, const char* onNode, int gpus) const {
    api::Pod pod;
    pod.metadata.name = pod.metadata.uid = name;
    pod.metadata.namespace_ = "n";
    pod.spec.schedulerName = "tidegate";
    pod.spec.nodeName = onNode;
    pod.spec.containers.emplace_back().resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
    return pod;
  }
  static api::Pod foreign(api::Pod pod) {
    pod.spec.schedulerName = "default-scheduler";
    return pod;
  }
  std::int64_t gpus() const { return state_.queues().total()[ResourceTable::kGpu] / 1000; }

  ClusterState state_;
  const api::Taint maintenance_{"maintenance", "true", "NoSchedule"};
};

TEST_F(ClosedNodeTest, OfACordonedNodeOnlyWhatRunsThereCounts) {
  seeNode(false);
  state_.apply(pod("a", "gpu-1", 2));
  EXPECT_EQ(gpus(), 8);
  seeNode(true);
  EXPECT_EQ(gpus(), 2);
  state_.apply(pod("b", "gpu-1", 3));
  EXPECT_EQ(gpus(), 5) << "bound a moment before the cordon, seen after it";
  state_.remove(api::refOf(pod("a", "", 2)));
  EXPECT_EQ(gpus(), 3);
  seeNode(false);
  EXPECT_EQ(gpus(), 8);
}

TEST_F(ClosedNodeTest, WorkOfOtherSchedulersOnItIsStillTheirs) {
  seeNode(true);
  state_.apply(foreign(pod("f", "gpu-1", 4)));
  state_.apply(pod("a", "gpu-1", 2));
  EXPECT_EQ(gpus(), 2);
}

TEST_F(ClosedNodeTest, ATaintClosesItUntilAPodOfOursToleratesIt) {
  seeNode(false, {maintenance_});
  EXPECT_EQ(gpus(), 0);
  api::Pod daemon = foreign(pod("d", "gpu-1", 0));
  daemon.spec.tolerations.emplace_back().operator_ = "Exists";
  state_.apply(daemon);
  EXPECT_EQ(gpus(), 0) << "a daemon's pod takes no part in the quota";
  api::Pod tolerant = pod("t", "", 1);
  tolerant.spec.tolerations.push_back({"maintenance", "Exists", "", "", {}});
  state_.apply(tolerant);
  EXPECT_EQ(gpus(), 8);
  seeNode(true, {maintenance_});
  EXPECT_EQ(gpus(), 0);
}

TEST_F(ClosedNodeTest, WhatIsLeavingItCountsForNobody) {
  seeNode(true);
  api::Pod leaves = pod("a", "gpu-1", 2);
  state_.apply(leaves);
  state_.apply(pod("b", "gpu-1", 3));
  EXPECT_EQ(gpus(), 5);
  leaves.metadata.deletionTimestamp = Time{} + seconds(100);
  state_.apply(leaves);
  EXPECT_EQ(gpus(), 3);
  seeNode(false);
  EXPECT_EQ(gpus(), 8);
  seeNode(true);
  EXPECT_EQ(gpus(), 3);
  state_.markOverdue(state_.findPod("n/a"));
  EXPECT_EQ(gpus(), 5) << "nobody knows when it goes";
  state_.remove(api::refOf(leaves));
  EXPECT_EQ(gpus(), 3);
}

TEST_F(ClosedNodeTest, ItClosesAgainWhenTheLastPodThatToleratesItIsGone) {
  seeNode(false, {maintenance_});
  api::Pod first = pod("t", "", 1), second = pod("u", "", 1);
  for (api::Pod* each : {&first, &second}) {
    each->spec.tolerations.push_back({"maintenance", "Exists", "", "", {}});
    state_.apply(*each);
  }
  first.spec.nodeName = "gpu-1";
  state_.apply(first);
  state_.remove(api::refOf(second));
  EXPECT_EQ(gpus(), 8);
  first.status.phase = "Succeeded";
  state_.apply(first);
  EXPECT_EQ(gpus(), 0);
  first.metadata.uid = "again";
  first.status.phase = "Running";
  state_.apply(first);
  EXPECT_EQ(gpus(), 8);
  state_.remove(api::refOf(first));
  EXPECT_EQ(gpus(), 0);
}

TEST_F(ClosedNodeTest, APodThatMayNotStandThereDoesNotOpenIt) {
  api::Pod elsewhere = pod("e", "", 1), here = pod("h", "", 1);
  for (api::Pod* each : {&elsewhere, &here}) each->spec.tolerations.emplace_back().operator_ = "Exists";
  elsewhere.spec.nodeSelector["pool"] = "other";
  api::NodeSelectorTerm byName;
  byName.matchFields.push_back({"metadata.name", "In", {"gpu-1"}});
  here.spec.affinity.emplace()
      .nodeAffinity.emplace()
      .requiredDuringSchedulingIgnoredDuringExecution.emplace();
  here.spec.affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms = {
      byName};
  state_.apply(elsewhere);
  seeNode(true);
  EXPECT_EQ(gpus(), 0);
  state_.apply(here);
  EXPECT_EQ(gpus(), 8);
  state_.remove(api::refOf(here));
  EXPECT_EQ(gpus(), 0);
  api::Node labelled = node("");
  labelled.spec.unschedulable = true;
  labelled.metadata.labels["pool"] = "other";
  state_.apply(labelled);
  EXPECT_EQ(gpus(), 8) << "its label lets the other in";
}

// Of 16, 8 are closed and all used: what their user may lose of its share does not become another's.
TEST_F(ClosedNodeTest, WhatRunsThereCountsForItsOwnQueueFirst) {
  for (const char* name : {"a", "b"}) {
    api::Queue queue;
    queue.metadata.name = queue.metadata.uid = name;
    queue.spec.weight = name[0] == 'a' ? 9 : 1;
    state_.apply(queue);
  }
  api::Node open = node("");
  open.metadata.name = "gpu-2";
  state_.apply(open);
  api::Pod ofA = pod("pa", "gpu-2", 16), ofB = pod("pb", "gpu-1", 8);
  ofA.metadata.annotations[api::names::kQueueName] = "a";
  ofB.metadata.annotations[api::names::kQueueName] = "b";
  state_.apply(ofA);
  state_.apply(ofB);
  const auto entitled = [&](const char* queue) {
    return state_.queues().entitlement(state_.queues().find(queue))[ResourceTable::kGpu];
  };
  const auto expect = [&](bool closed) {
    EXPECT_EQ(entitled("a"), closed ? 8000 : 14400);
    EXPECT_EQ(entitled("b"), closed ? 8000 : 1600);
  };
  seeNode(false);
  expect(false);
  seeNode(true);
  expect(true);
  api::Pod tolerant = pod("t", "", 0);
  tolerant.spec.tolerations.emplace_back().operator_ = "Exists";
  state_.apply(tolerant);
  expect(false);
  state_.remove(api::refOf(tolerant));
  expect(true);
  state_.remove(api::refOf(node("")));
  EXPECT_EQ(gpus(), 8) << "gone with all it held";
  state_.remove(api::refOf(ofB));
  EXPECT_EQ(entitled("b"), 0);
}

TEST_F(ClosedNodeTest, OthersThatHoldMoreThanThereIsTakeNothingFromOtherNodes) {
  seeNode(false);
  state_.apply(foreign(pod("f", "gpu-1", 9)));
  EXPECT_EQ(gpus(), 0);
  api::Node other = node("");
  other.metadata.name = "gpu-2";
  state_.apply(other);
  EXPECT_EQ(gpus(), 8);
  state_.remove(api::refOf(pod("f", "", 9)));
  EXPECT_EQ(gpus(), 16);
}

TEST_F(ClosedNodeTest, ATaintThatOnlyAsksClosesNothing) {
  seeNode(false, {{"slow", "", "PreferNoSchedule"}});
  EXPECT_EQ(gpus(), 8);
}

// As Volcano's webhook does it: of a PodGroup the API server has filled in "default", or nobody has.
TEST(ClusterState, APodGroupThatNamesNoQueueIsInItsNamespaces) {
  ClusterState state;
  for (const char* queue : {"", "default", "own"}) {
    api::PodGroup group;
    group.metadata.name = std::string("in-") + queue;
    group.metadata.namespace_ = "n";
    group.spec.queue = queue;
    state.apply(group);
  }
  const auto queueOf = [&](const std::string& name) { return state.gang(state.findGang("n/" + name)).queue; };
  EXPECT_EQ(queueOf("in-"), "default");
  api::Namespace space;
  space.metadata.name = "n";
  space.metadata.annotations[api::names::kQueueName] = "research";
  const std::uint64_t before = state.generation();
  state.apply(space);
  EXPECT_NE(state.generation(), before);
  EXPECT_EQ(queueOf("in-"), "research");
  EXPECT_EQ(queueOf("in-default"), "research");
  EXPECT_EQ(queueOf("in-own"), "own");
  api::PodGroup later;
  later.metadata.name = "later";
  later.metadata.namespace_ = "n";
  later.spec.queue = "default";
  state.apply(later);
  EXPECT_EQ(queueOf("later"), "research");
  EXPECT_EQ(state.gang(state.findGang("n/later")).queueId, state.queues().find("research"));
  space.metadata.annotations.clear();
  state.apply(space);
  EXPECT_EQ(queueOf("in-"), "default");
  EXPECT_EQ(queueOf("in-own"), "own");
}

// Pods and PodGroups come by watches of their own.
TEST(ClusterState, UntilAPodGroupIsSeenItsPodsCountInTheirNamespacesQueue) {
  ClusterState state;
  api::Namespace space;
  space.metadata.name = "n";
  space.metadata.annotations[api::names::kQueueName] = "research";
  state.apply(space);
  api::Pod pod;
  pod.metadata.name = "p";
  pod.metadata.namespace_ = "n";
  pod.metadata.annotations[api::names::kGroupName] = "g";
  pod.spec.schedulerName = "volcano";
  pod.spec.containers.emplace_back().resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(2);
  state.apply(pod);
  const auto asked = [&](const char* queue) {
    const auto id = state.queues().find(queue);
    return id == quota::kNoQueue ? 0 : state.queues().request(id)[ResourceTable::kGpu];
  };
  EXPECT_EQ(asked("research"), 2000);
  space.metadata.annotations[api::names::kQueueName] = "moved";
  state.apply(space);
  EXPECT_EQ(asked("research"), 0);
  EXPECT_EQ(asked("moved"), 2000);
  api::PodGroup group;
  group.metadata.name = "g";
  group.metadata.namespace_ = "n";
  group.spec.queue = "own";
  state.apply(group);
  EXPECT_EQ(asked("moved"), 0);
  EXPECT_EQ(asked("own"), 2000);
}

}  // namespace
}  // namespace tidegate
