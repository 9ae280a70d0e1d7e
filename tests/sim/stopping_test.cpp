// How victims are stopped: graces, budgets, pods that will not go, plain preemption for contrast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab.hpp"

namespace tidegate::lab {
namespace {

using sim::TraceKind;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

LabOptions lent(std::int32_t nodes, bool guaranteed = true) {
  LabOptions options{.nodes = nodes, .gpus = 4, .queues = {}};
  options.queues = {{.name = "a", .guarantee = guaranteed ? 4 : 0, .deserved = 4},
                    {.name = "b", .capability = 64}};
  return options;
}

// preStop hook and grace period: the deadline covers hook, signal and save; a hook that never returns is cut
// at it.
TEST(Stopping, HookThatNeverReturnsIsCutAtTheDeadline) {
  Lab lab(lent(1));
  JobShape victim{.name = "victim", .queue = "b", .gpus = 4, .grace = 600};
  victim.annotations = {{"sim.tidegate.dev/prestop-seconds", "9999"},
                        {"sim.tidegate.dev/ignore-sigterm", "true"}};
  lab.submit(victim);
  lab.run(20);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.bound("claim-worker-0"); }, 30)) << lab.world().traceText();
  EXPECT_THAT(lab.times(TraceKind::PodGone, "victim"),
              Each(Le(20 + 15 + 3.5)));  // the kubelet gives 2 s after the hook
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// Launchers pass SIGTERM on and kill after their own 30 s: the save is asked for first, and waited for.
TEST(Stopping, CheckpointIsSavedBeforeSigtermIsSent) {
  LabOptions options = lent(1);
  options.brain.recallDeadline = seconds(300);
  Lab lab(options);
  lab.submit({.name = "victim", .queue = "b", .gpus = 4, .annotations = runs(1000, saves(90))});
  lab.run(50);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.bound("claim-worker-0"); }, 300)) << lab.world().traceText();
  const auto saved = lab.times(TraceKind::CheckpointSaved, "victim");
  const auto stopped = lab.times(TraceKind::PodSigterm, "victim");
  ASSERT_THAT(saved, SizeIs(1));
  EXPECT_GE(stopped.at(0), saved[0]);
  EXPECT_LE(stopped.at(0), saved[0] + 0.5);
}

// A victim whose node is lost on the way out is not waited for: the demand is planned anew, on another node.
TEST(Stopping, StuckVictimIsPlannedAround) {
  Lab lab(lent(2));
  const std::vector<std::string> names = {"x", "y"};
  for (const auto& name : names) lab.submit({.name = name, .queue = "b", .gpus = 4, .annotations = saves(1)});
  lab.run(20);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.evictedInAll() == 1; }, 20));
  const std::string stuck = lab.evicted("x") == 1 ? "x" : "y";
  const std::string other = stuck == "x" ? "y" : "x";
  const auto pod = lab.world().store().find<api::Pod>("default/" + stuck + "-worker-0");
  lab.world().crashNode(pod->spec.nodeName);
  ASSERT_TRUE(lab.runUntil([&] { return lab.bound("claim-worker-0"); }, 60)) << lab.world().traceText();
  EXPECT_EQ(lab.evicted(other), 1);
  EXPECT_EQ(lab.existing(stuck), 1);
  EXPECT_GE(lab.now(), lab.times(TraceKind::PodTerminating, stuck).at(0) + 11 + 5);  // its grace and a margin
  const auto recalls = lab.recalls();
  EXPECT_TRUE(std::ranges::any_of(recalls, [&](const api::Recall& recall) {
    return recall.status.message.find(stuck + "-worker-0") != std::string::npos;
  }));
  EXPECT_THAT(lab.violations(), IsEmpty());
}

class Budgets : public testing::TestWithParam<bool> {};

// An ordinary recall keeps to a PodDisruptionBudget; one that a guarantee backs may break it.
TEST_P(Budgets, AreKeptUnlessAGuaranteeSaysOtherwise) {
  const bool guaranteed = GetParam();
  Lab lab(lent(1, guaranteed));
  lab.submit({.name = "victim", .queue = "b", .gpus = 4, .kind = Kind::BarePods});
  api::PodDisruptionBudget budget;
  budget.metadata.name = "keep";
  budget.metadata.namespace_ = "default";
  budget.spec.selector.matchLabels["app"] = "victim";
  budget.spec.minAvailable = api::IntOrPercent{1, false};
  lab.run(20);
  ASSERT_TRUE(lab.world().api().create(budget).ok());
  lab.run(21);
  lab.submit(claim());
  lab.run(45);
  EXPECT_EQ(lab.running("claim"), guaranteed ? 1 : 0) << lab.world().traceText();
  EXPECT_EQ(lab.evicted("victim"), guaranteed ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Both, Budgets, testing::Bool());

// Plain preemption, for contrast: no signal, no suspended owner, no record.
TEST(Stopping, PodByPodDeletesAndLeavesTheRestToTheOwners) {
  LabOptions options = lent(1);
  options.brain.policy.victims = scheduler::VictimPolicy::PodByPod;
  Lab lab(options);
  lab.submit({.name = "victim", .queue = "b", .pods = 2, .gpus = 2, .annotations = runs(100, saves(1))});
  lab.run(30);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 60)) << lab.world().traceText();
  EXPECT_THAT(lab.recalls(), IsEmpty());
  EXPECT_FALSE(lab.suspended("victim"));
  EXPECT_THAT(lab.times(TraceKind::CheckpointRequested, "victim"), IsEmpty());
  EXPECT_THAT(lab.evicted("victim"), Ge(2));
}

}  // namespace
}  // namespace tidegate::lab
