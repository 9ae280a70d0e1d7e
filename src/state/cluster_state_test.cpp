#include "state/cluster_state.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tidegate
