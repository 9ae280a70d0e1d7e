#include "controllers/podgroup_build.hpp"

#include <gtest/gtest.h>

#include "controllers/objects_for_tests.hpp"

namespace tidegate::controllers {
namespace {

using namespace test;
namespace names = api::names;

class PodGroupBuildTest : public testing::Test {
 protected:
  api::PodGroup build(const api::Pod& pod, const api::StringMap& ownerAnnotations = {}) {
    api::ObjectMeta metadata;
    metadata.annotations = ownerAnnotations;
    const GroupOwner owner = groupOwner(metadata, std::nullopt);
    return groupFor(groupDraft(pod, resources_), &owner, resources_);
  }
  static api::Pod pod() {
    api::Pod made = podOf("p", "", "", 2);
    made.metadata.uid = "pod-uid";
    return made;
  }
  static std::int64_t gpus(const api::PodGroup& group) {
    return group.spec.minResources.at("nvidia.com/gpu").value();
  }

  ResourceTable resources_;
};

TEST_F(PodGroupBuildTest, ABarePodOwnsItsGroup) {
  const auto group = build(pod());
  EXPECT_EQ(group.metadata.name, "podgroup-pod-uid");
  EXPECT_EQ(group.metadata.namespace_, "ns");
  ASSERT_EQ(group.metadata.ownerReferences.size(), 1u);
  EXPECT_EQ(group.metadata.ownerReferences[0].kind, "Pod");
  EXPECT_EQ(group.metadata.ownerReferences[0].uid, "pod-uid");
  EXPECT_TRUE(group.metadata.ownerReferences[0].controller);
  EXPECT_EQ(group.spec.minMember, 1);
  EXPECT_EQ(group.spec.queue, "default");
  EXPECT_EQ(gpus(group), 2);
}

TEST_F(PodGroupBuildTest, OtherwiseThePodsOwnersDo) {
  api::Pod owned = pod();
  owned.metadata.ownerReferences = {
      {.apiVersion = "v1", .kind = "ConfigMap", .name = "x", .uid = "cm", .controller = false},
      {.apiVersion = "apps/v1", .kind = "ReplicaSet", .name = "web-1", .uid = "rs", .controller = true}};
  const auto group = build(owned);
  EXPECT_EQ(group.metadata.name, "podgroup-rs");
  EXPECT_EQ(group.metadata.ownerReferences, owned.metadata.ownerReferences);
}

TEST_F(PodGroupBuildTest, QueuePriorityAndTopologyComeFromThePod) {
  api::Pod asking = pod();
  asking.metadata.annotations = {
      {names::kQueueName, "offline"}, {names::kTopologyMode, "soft"}, {names::kTopologyTier, "2"}};
  asking.spec.priorityClassName = "high";
  const auto group = build(asking);
  EXPECT_EQ(group.spec.queue, "offline");
  EXPECT_EQ(group.spec.priorityClassName, "high");
  ASSERT_TRUE(group.spec.networkTopology);
  EXPECT_EQ(group.spec.networkTopology->mode, "soft");
  EXPECT_EQ(group.spec.networkTopology->highestTierAllowed, 2);
  EXPECT_FALSE(build(pod()).spec.networkTopology);
}

struct Minimum {
  const char* owner;
  const char* pod;
  std::int32_t expected;
};

TEST_F(PodGroupBuildTest, MinimumIsTheOwnersElseThePodsElseOne) {
  for (const Minimum& one :
       {Minimum{"4", "", 4}, Minimum{"4", "2", 4}, Minimum{"", "2", 2}, Minimum{"", "", 1},
        Minimum{"four", "", 1}, Minimum{"-1", "", 1}, Minimum{"0", "", 0}}) {
    api::Pod made = pod();
    if (*one.pod != 0) made.metadata.annotations[names::kGroupMinMember] = one.pod;
    api::StringMap owner;
    if (*one.owner != 0) owner[names::kGroupMinMember] = one.owner;
    const auto group = build(made, owner);
    EXPECT_EQ(group.spec.minMember, one.expected) << one.owner << "|" << one.pod;
    if (one.expected > 0) {
      EXPECT_EQ(gpus(group), 2 * one.expected);
    }
  }
}

TEST_F(PodGroupBuildTest, MinimumResourcesMayBeGiven) {
  const auto group = build(pod(), {{names::kGroupMinResources, R"({"cpu":"500m","nvidia.com/gpu":6})"}});
  EXPECT_EQ(gpus(group), 6);
  EXPECT_EQ(group.spec.minResources.at("cpu").milliValue(), 500);
  EXPECT_EQ(gpus(build(pod(), {{names::kGroupMinResources, "6 GPUs"}})), 2) << "unreadable: not given";
  EXPECT_FALSE(group.metadata.annotations.contains(names::kGroupMinResources));
}

TEST_F(PodGroupBuildTest, AnnotationsOfJobsAreInheritedAndThePodsWin) {
  api::Pod made = pod();
  made.metadata.ownerReferences = {{"apps/v1", "ReplicaSet", "web-1", "uid-web-1", true}};
  made.metadata.annotations = {{"volcano.sh/preemptable", "false"},
                               {"example.com/x", "1"},
                               {names::kCheckpointInterval, "5m"},
                               {names::kLastCheckpoint, "2026-01-01T00:00:00Z"}};
  made.metadata.labels = {{"volcano.sh/preemptable", "false"}, {"app", "web"}};
  const auto group = build(made, {{"volcano.sh/preemptable", "true"},
                                  {"volcano.sh/cooldown-time", "600s"},
                                  {"deployment.kubernetes.io/revision", "3"},
                                  {names::kRecalledBy, "recall-1"},
                                  {names::kEvictions, "2"}});
  const api::StringMap expected = {{"volcano.sh/preemptable", "false"},
                                   {"volcano.sh/cooldown-time", "600s"},
                                   {names::kCheckpointInterval, "5m"},
                                   {names::kEvictions, "2"}};
  EXPECT_EQ(group.metadata.annotations, expected);
  EXPECT_EQ(group.metadata.labels, (api::StringMap{{"volcano.sh/preemptable", "false"}}));
}

TEST_F(PodGroupBuildTest, ABarePodSaysItselfWhatElseItsOwnerWould) {
  api::Pod made = pod();
  made.metadata.annotations = {{names::kLastCheckpoint, "2026-01-01T00:00:00Z"},
                               {names::kRecalledBy, "recall-1"}};
  EXPECT_EQ(build(made, {}).metadata.annotations,
            (api::StringMap{{names::kLastCheckpoint, "2026-01-01T00:00:00Z"}}));
}

}  // namespace
}  // namespace tidegate::controllers
