#include "controllers/podgroup_controller.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "controllers/objects_for_tests.hpp"
#include "controllers/property_support.hpp"
#include "controllers/test_world.hpp"

namespace tidegate::controllers {
namespace {

using namespace test;
namespace names = api::names;

api::ReplicaSet setOf(const std::string& name, std::int32_t replicas, const std::string& minimum = "") {
  api::ReplicaSet set;
  set.metadata.name = name;
  set.metadata.namespace_ = "ns";
  set.spec.replicas = replicas;
  if (!minimum.empty()) set.metadata.annotations[names::kGroupMinMember] = minimum;
  return set;
}

api::Pod ownedBy(api::Pod pod, const std::string& kind, const std::string& owner, const std::string& uid) {
  pod.metadata.ownerReferences = {{.apiVersion = kind == "Job" ? "batch/v1" : "apps/v1",
                                   .kind = kind,
                                   .name = owner,
                                   .uid = uid,
                                   .controller = true}};
  return pod;
}

class PodGroupControllerTest : public testing::Test {
 protected:
  void settle() { ASSERT_TRUE(world_.runToRest(seconds(60))); }
  std::string groupOfPod(const std::string& name) const {
    const auto& annotations = world_.find<api::Pod>(name, "ns")->metadata.annotations;
    auto at = annotations.find(names::kGroupName);
    return at == annotations.end() ? "" : at->second;
  }
  std::string uidOf(const api::ReplicaSet& set) const {
    return world_.find<api::ReplicaSet>(set.metadata.name, "ns")->metadata.uid;
  }
  void putSet(std::int32_t pods, const std::string& minimum = "") {
    world_.put(setOf("web", pods, minimum));
    for (int i = 0; i < pods; ++i) {
      world_.put(ownedBy(podOf(fmt::format("web-{}", i), ""), "ReplicaSet", "web", uidOf(setOf("web", 0))));
    }
  }

  PodGroupController controller_;
  TestWorld world_{controller_};
};

TEST_F(PodGroupControllerTest, ALargeSetIsNamedToItsLastPod) {
  putSet(300);
  world_.start();
  settle();
  for (int i = 0; i < 300; ++i) EXPECT_NE(groupOfPod(fmt::format("web-{}", i)), "") << i;
}

TEST(PodGroupControllerUnderLoad, AsManyFollowAsAreAnswered) {
  PodGroupController controller;
  const Time now = Time{} + std::chrono::hours(24 * 20000);
  for (int i = 0; i < 600; ++i) {
    api::Pod pod = podOf(fmt::format("p{}", i), "");
    pod.metadata.uid = fmt::format("u{}", i);
    controller.handle(ObjectSeen{pod}, now);
  }
  std::vector<Command> out;
  const auto take = [&out](std::vector<Command> commands) {
    std::erase_if(commands, [](const Command& it) { return !std::holds_alternative<Create>(it.action); });
    out.insert(out.end(), commands.begin(), commands.end());
    return commands.size();
  };
  EXPECT_EQ(take(controller.handle(Tick{}, now)), 256U);
  std::set<std::string> groups;
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(groups.insert(std::get<Create>(out[i].action).target.name).second) << "each once";
    const CommandDone done{.id = out[i].id, .outcome = Outcome::Succeeded, .message = ""};
    EXPECT_EQ(take(controller.handle(done, now)), i < 600 - 256 ? 1U : 0U);
  }
  EXPECT_EQ(groups.size(), 600U);
}

TEST_F(PodGroupControllerTest, PodsOfOneOwnerShareAGroup) {
  putSet(3, "2");
  world_.start();
  settle();
  const auto groups = world_.all<api::PodGroup>();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].metadata.name, "podgroup-" + uidOf(setOf("web", 0)));
  EXPECT_EQ(groups[0].spec.minMember, 2);
  for (const char* pod : {"web-0", "web-1", "web-2"}) EXPECT_EQ(groupOfPod(pod), groups[0].metadata.name);
  EXPECT_EQ(only<Create>(world_.log()).size(), 1u);
  EXPECT_EQ(only<Patch>(world_.log()).size(), 3u);
}

TEST_F(PodGroupControllerTest, LeavesAloneWhatIsNotItsBusiness) {
  world_.put(groupOf("mine", "q"));
  world_.put(podOf("has-one", "mine"));
  auto foreign = podOf("foreign", "");
  foreign.spec.schedulerName = "default-scheduler";
  world_.put(foreign);
  world_.put(ownedBy(podOf("daemon", ""), "DaemonSet", "d", "d-uid"));
  auto done = podOf("done", "", "n1");
  done.status.phase = "Succeeded";
  world_.put(done);
  world_.start();
  settle();
  EXPECT_TRUE(world_.log().empty());
}

TEST_F(PodGroupControllerTest, ANamespaceMayHaveADefaultQueue) {
  api::Namespace space;
  space.metadata.name = "ns";
  space.metadata.annotations[names::kQueueName] = "research";
  world_.put(podOf("first", ""));
  world_.put(space);
  api::Pod second = podOf("second", "");
  second.metadata.annotations[names::kQueueName] = "own";
  world_.put(second);
  world_.start();
  settle();
  std::set<std::string> queues;
  for (const auto& group : world_.all<api::PodGroup>()) queues.insert(group.spec.queue);
  EXPECT_EQ(queues, (std::set<std::string>{"own", "research"}));
}

TEST_F(PodGroupControllerTest, WaitsForTheOwnerThatKnowsTheMinimum) {
  world_.start();
  world_.put(ownedBy(podOf("train-0", ""), "Job", "train", "job-uid"));
  world_.runFor(seconds(1));
  EXPECT_TRUE(world_.all<api::PodGroup>().empty());
  api::BatchJob job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "ns";
  job.metadata.uid = "job-uid";
  job.metadata.annotations[names::kGroupMinMember] = "8";
  job.spec.parallelism = 8;
  world_.put(job);
  settle();
  ASSERT_EQ(world_.all<api::PodGroup>().size(), 1u);
  EXPECT_EQ(world_.all<api::PodGroup>()[0].spec.minMember, 8);
}

TEST_F(PodGroupControllerTest, ParallelismIsNoMinimum) {
  api::BatchJob job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "ns";
  job.metadata.uid = "job-uid";
  job.spec.parallelism = 8;
  world_.put(job);
  world_.put(ownedBy(podOf("train-0", ""), "Job", "train", "job-uid"));
  world_.start();
  settle();
  EXPECT_EQ(world_.all<api::PodGroup>().at(0).spec.minMember, 1);
}

TEST_F(PodGroupControllerTest, AnOwnerThatIsNeverSeenHoldsNobodyUp) {
  world_.put(ownedBy(podOf("p", ""), "StatefulSet", "db", "unseen"));
  world_.start();
  world_.runFor(seconds(4));
  EXPECT_TRUE(only<Create>(world_.log()).empty());
  world_.runFor(seconds(2));
  ASSERT_EQ(only<Create>(world_.log()).size(), 1u);
  EXPECT_EQ(only<Create>(world_.log())[0].target.name, "podgroup-unseen");
  world_.runFor(seconds(10));
  EXPECT_LE(only<Create>(world_.log()).size(), 4u) << "its owner is gone, and so is the group, each time";
}

TEST_F(PodGroupControllerTest, GroupOfASetAtZeroGoesWithItsLastPodAndComesBack) {
  putSet(2);
  world_.start();
  settle();
  const std::string name = groupOfPod("web-0");
  world_.put(setOf("web", 0));
  settle();
  EXPECT_EQ(world_.all<api::PodGroup>().size(), 1u) << "its pods are not gone yet";
  world_.remove(api::refOf(podOf("web-0", "")));
  world_.remove(api::refOf(podOf("web-1", "")));
  settle();
  EXPECT_TRUE(world_.all<api::PodGroup>().empty());
  putSet(1);
  settle();
  EXPECT_EQ(groupOfPod("web-0"), name) << "the same gang";
  EXPECT_EQ(world_.all<api::PodGroup>().size(), 1u);
}

TEST_F(PodGroupControllerTest, ARecalledGangKeepsItsGroup) {
  putSet(1);
  world_.start();
  settle();
  auto group = world_.all<api::PodGroup>().at(0);
  group.metadata.annotations[names::kRecalledBy] = "recall-1";
  world_.put(group);
  world_.put(setOf("web", 0));
  world_.remove(api::refOf(podOf("web-0", "")));
  settle();
  EXPECT_EQ(world_.all<api::PodGroup>().size(), 1u);
}

TEST_F(PodGroupControllerTest, AMissingGroupIsMadeAgainWhilePodsLive) {
  putSet(1);
  world_.start();
  settle();
  world_.remove(api::refOf(world_.all<api::PodGroup>().at(0)));
  settle();
  EXPECT_EQ(world_.all<api::PodGroup>().size(), 1u);
}

TEST_F(PodGroupControllerTest, FollowsTheOwnersMinimum) {
  putSet(2, "1");
  world_.start();
  settle();
  world_.put(setOf("web", 2, "2"));
  settle();
  const auto group = world_.all<api::PodGroup>().at(0);
  EXPECT_EQ(group.spec.minMember, 2);
  EXPECT_EQ(group.spec.minResources.at("nvidia.com/gpu").value(), 2);
}

// ---- in any order, with losses --------------------------------------------------------------------

void scale(TestWorld& world, Rng& rng, const std::string& name) {
  const auto replicas = static_cast<std::int32_t>(rng.between(0, 3));
  world.put(setOf(name, replicas, rng.chance(0.5) ? std::to_string(rng.between(1, 3)) : ""));
  const std::string uid = world.find<api::ReplicaSet>(name, "ns")->metadata.uid;
  for (int i = 0; i < 3; ++i) {
    const auto pod = ownedBy(podOf(fmt::format("{}-{}", name, i), ""), "ReplicaSet", name, uid);
    const bool there = world.find<api::Pod>(pod.metadata.name, "ns") != nullptr;
    if (i < replicas && !there) world.put(pod);
    if (i >= replicas && there) world.remove(api::refOf(pod));
  }
}

void happen(TestWorld& world, Rng& rng) {
  const std::string set = fmt::format("rs{}", rng.below(3));
  const std::string bare = fmt::format("bare{}", rng.below(3));
  switch (rng.below(6)) {
    case 0:
      return world.remove(api::refOf(setOf(set, 0)));
    case 1:
      return world.remove(api::refOf(podOf(bare, "")));
    case 2:
      if (world.find<api::Pod>(bare, "ns") == nullptr) world.put(podOf(bare, ""));
      return;
    case 3: {
      const auto groups = world.all<api::PodGroup>();
      if (!groups.empty()) world.remove(api::refOf(groups[rng.below(groups.size())]));
      return;
    }
    default:
      return scale(world, rng, set);
  }
}

void expectTruth(const TestWorld& world) {
  std::map<std::string, int> expected;  // groups that live pods ask for
  for (const auto& pod : world.all<api::Pod>()) {
    const std::string group = implicitGroupName(pod);
    RC_ASSERT(groupNamedBy(pod) == group);
    RC_ASSERT(world.find<api::PodGroup>(group, "ns") != nullptr);
    ++expected[group];
  }
  for (const auto& set : world.all<api::ReplicaSet>()) {
    const auto* group = world.find<api::PodGroup>("podgroup-" + set.metadata.uid, "ns");
    if (set.spec.replicas == 0) RC_ASSERT(group == nullptr);
    auto minimum = set.metadata.annotations.find(names::kGroupMinMember);
    if (group != nullptr && minimum != set.metadata.annotations.end()) {
      RC_ASSERT(std::to_string(group->spec.minMember) == minimum->second);
    }
  }
  for (const auto& group : world.all<api::PodGroup>()) RC_ASSERT(expected.contains(group.metadata.name));
}

TEST(PodGroupControllerProperty, OnceQuietEveryPodHasItsGroupAndNoGroupIsLeftOver) {
  EXPECT_TRUE(rc::check("PodGroups of pods", [](std::uint64_t seed) {
    Rng rng(seed);
    PodGroupController first;
    PodGroupController second;
    TestWorld world(first, seed,
                    {.lostBefore = 0.1, .lostAfter = 0.1, .repeated = 0.2, .delay = milliseconds(300)});
    for (int i = 0; i < 5; ++i) happen(world, rng);
    world.start();
    for (int i = 0; i < 50; ++i) {
      happen(world, rng);
      world.runFor(milliseconds(rng.between(0, 400)));
      if (i == 40 && rng.chance(0.5)) world.restart(second);
    }
    world.setFaults({});
    RC_ASSERT(world.runToRest(seconds(120)));
    expectTruth(world);
    assertNothingIsLeftToDo<PodGroupController>(world);
  }));
}

}  // namespace
}  // namespace tidegate::controllers
