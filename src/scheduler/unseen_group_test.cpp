#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {
namespace {

// Pods and PodGroups are seen by watches of their own, in any order.
class UnseenGroupTest : public testing::Test {
 protected:
  UnseenGroupTest() {
    api::Node node;
    node.metadata.name = "n";
    node.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(8);
    node.status.allocatable["pods"] = Quantity::ofInteger(110);
    state_.apply(node);
    for (const char* name : {"a", "b"}) {
      api::Pod pod;
      pod.metadata.name = pod.metadata.uid = name;
      pod.metadata.namespace_ = "ns";
      pod.metadata.annotations[api::names::kGroupName] = "gang";
      pod.spec.schedulerName = "tidegate";
      pod.spec.containers.emplace_back().resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(1);
      state_.apply(pod);
    }
  }
  Decisions cycle() { return decide(state_, {}, Time{} + std::chrono::hours(24 * 20000), {}); }
  void showGroup(int minMember) {
    api::PodGroup group;
    group.metadata.name = "gang";
    group.metadata.namespace_ = "ns";
    group.spec.minMember = minMember;
    state_.apply(group);
  }

  ClusterState state_;
};

TEST_F(UnseenGroupTest, NoPodIsBoundBeforeItsPodGroupIsSeen) {
  const Decisions decisions = cycle();
  EXPECT_TRUE(decisions.binds.empty());
  ASSERT_EQ(decisions.pending.size(), 2U);
  EXPECT_EQ(decisions.pending[0].reason, "gang: there is no PodGroup ns/gang");
}

TEST_F(UnseenGroupTest, ThenItsMinimumCounts) {
  showGroup(3);
  EXPECT_TRUE(cycle().binds.empty());
  showGroup(2);
  EXPECT_EQ(cycle().binds.size(), 2U);
}

}  // namespace
}  // namespace tidegate::scheduler
