// Whole runs: determinism, scripts, faults together, and the invariants.
#include "world/sim/sim_world.hpp"

#include <gtest/gtest.h>

#include "world/sim/invariants.hpp"
#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

namespace names = api::names;
using test::countOf;
using test::FirstFitBrain;
using test::node;
using test::podTemplate;
using test::policy;

FaultOptions everyFault() {
  FaultOptions faults;
  faults.ignoreSigterm = 0.1;
  faults.holdByFinalizer = 0.05;
  faults.slowKubelet = 0.2;
  faults.breakWatch = 0.01;
  faults.duplicateEvent = 0.05;
  faults.delayEvent = 0.05;
  faults.conflict = 0.05;
  faults.loseAnswer = 0.05;
  faults.crashes = {{.node = "", .at = seconds(90), .recoverAfter = seconds(60)}};
  faults.restarts = {{.at = seconds(70), .atCommand = {}, .downFor = seconds(2)},
                     {.at = {}, .atCommand = 15, .downFor = seconds(1)}};
  return faults;
}

// A small cluster under load: gangs, a service that scales, single jobs, deletions.
void fill(SimWorld& world, std::uint64_t seed) {
  Rng draw{seed};
  for (int i = 0; i < 5; ++i) world.api().create(node("n" + std::to_string(i)));
  const api::StringMap training = {{annotations::kRun, "200"},
                                   {names::kCheckpointInterval, "30s"},
                                   {annotations::kCheckpoint, "3"},
                                   {annotations::kSaveOnSigterm, "true"}};
  for (int i = 0; i < 6; ++i) {
    const auto pods = static_cast<std::int32_t>(draw.between(1, 4));
    world.createAt(seconds(draw.between(0, 100)),
                   test::vcJob("train-" + std::to_string(i), pods, podTemplate(draw.between(1, 4), training),
                               {policy("*", "RestartJob")}));
  }
  world.createAt(seconds(1), test::deployment("web", 3, podTemplate(1)));
  world.createAt(seconds(2), test::batchJob("batch", 3, podTemplate(1, {{annotations::kRun, "50"}})));
  for (int i = 0; i < 10; ++i) {
    const auto pick = draw.next();
    world.at(seconds(draw.between(30, 300)), [pick](SimWorld& it) {
      const auto pods = it.store().all<api::Pod>();
      if (pods.empty()) return;
      const api::Pod& victim = *pods[pick % pods.size()];
      it.api().remove(refTo<api::Pod>("default", victim.metadata.name),
                      {.uid = victim.metadata.uid, .graceSeconds = static_cast<std::int64_t>(pick % 20) + 1});
    });
  }
}

std::string run(std::uint64_t seed, const FaultOptions& faults) {
  SimOptions options;
  options.seed = seed;
  options.faults = faults;
  FirstFitBrain brain;
  SimWorld world(options, &brain);
  fill(world, seed);
  world.runUntil(seconds(600));
  return world.traceText();
}

TEST(SimWorldTest, TheSameSeedGivesTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::string first = run(seed, everyFault());
    EXPECT_EQ(first, run(seed, everyFault())) << "seed " << seed;
    EXPECT_NE(first, run(seed + 100, everyFault()));
  }
}

TEST(SimWorldTest, JobsEndOnceWhateverGoesWrong) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.faults = everyFault();
    options.api.answerTimeout = seconds(10);  // the watches have shown by then what a lost answer was
    FirstFitBrain brain;
    SimWorld world(options, &brain);
    Invariants invariants(world, {.queueCapability = true, .partialGang = seconds(600)});
    fill(world, seed);
    world.runUntil(std::chrono::hours(1));
    for (const Violation& violation : invariants.violations()) {
      ADD_FAILURE() << "seed " << seed << ": " << violation.rule << ": " << violation.message;
    }
    for (const auto& job : world.store().all<api::VcJob>()) {
      const std::string& phase = job->status.state.phase;
      EXPECT_TRUE(phase == "Completed" || phase == "Failed")
          << "seed " << seed << " " << job->metadata.name << " " << phase;
    }
    for (const JobWork* work : world.work().jobs()) {
      EXPECT_LE(work->saved, work->done) << work->name;
      EXPECT_LE(work->done, work->total) << work->name;
    }
  }
}

TEST(SimWorldTest, AFaultOfOneKindDoesNotMoveAnother) {
  SimOptions options;
  FaultDraws few(7, {.ignoreSigterm = 0.3});
  FaultDraws more(7, {.ignoreSigterm = 0.3, .holdByFinalizer = 0.5, .slowKubelet = 0.5});
  for (int i = 0; i < 100; ++i) {
    const std::string uid = "pod-" + std::to_string(i);
    EXPECT_EQ(few.ignoresSigterm(uid), more.ignoresSigterm(uid));
  }
}

TEST(SimWorldTest, AFinalizerHoldsAPodForItsTime) {
  SimOptions options = test::exactOptions();
  options.faults.holdByFinalizer = 1;
  options.faults.finalizerHold = seconds(50);
  FirstFitBrain brain;
  SimWorld world(options, &brain);
  world.api().create(node("n1"));
  world.api().create(test::batchJob("j", 1, podTemplate(1)));
  world.deleteAt(seconds(20), refTo<api::BatchJob>("default", "j"));
  world.runUntil(seconds(60));
  EXPECT_EQ(world.store().all<api::Pod>().size(), 1u);
  world.runUntil(seconds(75));
  EXPECT_TRUE(world.store().all<api::Pod>().empty());
}

TEST(SimWorldTest, RunsUntilAPredicateHoldsOrAllIsQuiet) {
  FirstFitBrain brain;
  SimWorld world({}, &brain);
  world.api().create(node("n1"));
  world.createAt(seconds(10), test::pod("a"));
  const auto ready = [](const SimWorld& it) {
    const auto pod = it.store().find<api::Pod>("default/a");
    return pod && isReady(*pod);
  };
  EXPECT_FALSE(world.runUntil(ready, seconds(5)));
  EXPECT_EQ(world.elapsed(), seconds(5));
  EXPECT_TRUE(world.runUntil(ready, seconds(60)));
  const Duration at = world.elapsed();
  EXPECT_TRUE(world.runUntilQuiet(seconds(30), seconds(100)));
  EXPECT_EQ(world.elapsed(), at + seconds(30));
  EXPECT_FALSE(world.runUntilQuiet(seconds(30), world.elapsed() + seconds(10)));
}

// Binds whatever it is told, to show that the invariants notice.
class InvariantsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.api().create(node("n1", 2));
    api::Queue queue;
    queue.metadata.name = "q";
    queue.spec.capability = {{"nvidia.com/gpu", Quantity::ofInteger(1)}};
    world_.api().create(queue);
  }
  void bind(const std::string& name, api::StringMap annotations = {}) {
    world_.api().create(test::pod(name, 1, std::move(annotations)));
    const auto pod = world_.store().find<api::Pod>("default/" + name);
    ASSERT_TRUE(world_.api().bind({"default", name, pod->metadata.uid, "n1"}).ok());
  }
  std::vector<std::string> rules() {
    std::vector<std::string> out;
    for (const Violation& violation : invariants_.violations()) out.push_back(violation.rule);
    return out;
  }

  SimWorld world_{test::exactOptions()};
  Invariants invariants_{world_, {.queueCapability = true, .partialGang = seconds(60)}};
};

TEST_F(InvariantsTest, NoticesAnOverbookedNode) {
  bind("a");
  bind("b");
  EXPECT_TRUE(invariants_.verdict());
  bind("c");
  EXPECT_EQ(rules(), (std::vector<std::string>{"node-capacity"}));
  EXPECT_FALSE(invariants_.verdict());
}

TEST_F(InvariantsTest, NoticesAQueueAboveItsCapability) {
  bind("a", {{names::kQueueName, "q"}});
  EXPECT_TRUE(rules().empty());
  bind("b", {{names::kQueueName, "q"}});
  EXPECT_EQ(rules(), (std::vector<std::string>{"queue-capability"}));
}

TEST_F(InvariantsTest, NoticesAGangThatStaysInParts) {
  api::PodGroup group;
  group.metadata.name = "g";
  group.metadata.namespace_ = "default";
  group.spec.minMember = 2;
  world_.api().create(group);
  bind("a", {{names::kGroupName, "g"}});
  world_.createAt(seconds(70), node("n2"));  // any event
  world_.runUntil(seconds(59));
  EXPECT_TRUE(rules().empty());
  world_.runUntil(seconds(80));
  EXPECT_EQ(rules(), (std::vector<std::string>{"whole-gang"}));
}

TEST_F(InvariantsTest, NoticesAPodForASuspendedJob) {
  api::BatchJob job = test::batchJob("j", 1, podTemplate(1));
  job.spec.suspend = true;
  world_.api().create(job);
  const auto stored = world_.store().find<api::BatchJob>("default/j");
  world_.api().create(podFrom(podTemplate(1), "default", "stray", controlledBy(*stored)));
  EXPECT_EQ(rules(), (std::vector<std::string>{"suspended-stays-empty"}));
}

}  // namespace
}  // namespace tidegate::sim
