// Jobs of other projects' operators, each with a head that holds no GPU and two workers: recalled as a whole
// by their own flag, held while the peak lasts, and back by themselves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "lab.hpp"

namespace tidegate::lab {
namespace {

namespace names = api::names;
using sim::TraceKind;
using testing::IsEmpty;

struct Shape {
  std::size_t row = 0;
  std::string annotations = R"("sim.tidegate.dev/run-seconds":"400")";  // of all pods
  std::int64_t grace = 30;
  std::string headGroup = {};  // PodGroups that they name
  std::string workerGroup = {};
};

std::string podsOf(const Shape& shape, const std::string& group, int gpus) {
  return fmt::format(
      R"({{"metadata":{{"annotations":{{"scheduling.volcano.sh/queue-name":"b",{}{}}}}},)"
      R"("spec":{{"schedulerName":"tidegate","priorityClassName":"low","terminationGracePeriodSeconds":{},)"
      R"("containers":[{{"name":"main","resources":{{"requests":{{"nvidia.com/gpu":"{}"}}}}}}]}}}})",
      group.empty() ? "" : fmt::format(R"("scheduling.k8s.io/group-name":"{}",)", group), shape.annotations,
      shape.grace, gpus);
}

std::string specOf(const Shape& shape) {
  const std::string head = podsOf(shape, shape.headGroup, 0);
  const std::string workers = podsOf(shape, shape.workerGroup, 4);
  const std::string_view kind = api::kOperatorKinds[shape.row].kind;
  if (kind == "JobSet") {
    return fmt::format(
        R"({{"replicatedJobs":[{{"name":"head","template":{{"spec":{{"template":{}}}}}}},)"
        R"({{"name":"workers","template":{{"spec":{{"parallelism":2,"completions":2,"template":{}}}}}}}]}})",
        head, workers);
  }
  const std::string cluster = fmt::format(
      R"({{"headGroupSpec":{{"template":{}}},"workerGroupSpecs":[{{"replicas":2,"template":{}}}]}})", head,
      workers);
  if (kind == "RayCluster") return cluster;
  if (kind == "RayJob")
    return fmt::format(R"({{"shutdownAfterJobFinishes":true,"rayClusterSpec":{}}})", cluster);
  return fmt::format(
      R"({{"runPolicy":{{"cleanPodPolicy":"None"}},"replicaSpecs":{{"Launcher":{{"template":{}}},)"
      R"("Worker":{{"replicas":2,"template":{}}}}}}})",
      head, workers);
}

// A lab with one such job, called train.
class Stand {
 public:
  Stand(const Shape& shape, LabOptions options) : row_(shape.row), lab_(std::move(options)) {
    for (const std::string& name : {shape.headGroup, shape.workerGroup}) {
      if (name.empty()) continue;
      api::PodGroup group;
      group.metadata.name = name;
      group.metadata.namespace_ = "default";
      group.spec.queue = "b";
      group.spec.minMember = name == shape.workerGroup ? 2 : 1;
      lab_.world().api().create(group);
    }
    api::OperatorJob job;
    job.metadata.name = "train";
    job.metadata.namespace_ = "default";
    job.spec = specOf(shape);
    const auto answer = lab_.world().api().create(api::makeOperatorJob(row_, std::move(job)));
    EXPECT_TRUE(answer.ok()) << answer.message;
  }

  Lab& lab() { return lab_; }
  const api::OperatorJob& job() {
    object_ = lab_.world().store().find(ref());
    return *api::operatorJobIn(*object_);
  }
  api::OperatorFacts facts() { return api::factsOf(row_, job()); }
  bool isRecalled() { return job().metadata.annotations.contains(names::kSuspend); }
  void suspend(bool value) {
    lab_.world().api().patch(Patch{.target = ref(), .uid = job().metadata.uid, .suspend = value});
  }
  std::size_t made() { return lab_.times(TraceKind::PodCreated, "train").size(); }

 private:
  api::ObjectRef ref() const {
    const api::OperatorKind& kind = api::kOperatorKinds[row_];
    return {.kind = kind.kind, .apiVersion = kind.apiVersion, .namespace_ = "default", .name = "train"};
  }

  std::size_t row_;
  Lab lab_;
  sim::ObjectPtr object_;
};

class Operators : public testing::TestWithParam<std::size_t> {};

TEST_P(Operators, ARecallTellsTheJobAndItComesBackByItself) {
  Stand stand({.row = GetParam()}, lentNodes(2, 4));
  Lab& lab = stand.lab();
  lab.run(20);
  ASSERT_EQ(lab.running("train"), 3) << lab.world().traceText();
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
  EXPECT_TRUE(stand.isRecalled());
  EXPECT_TRUE(stand.facts().suspended);
  lab.run(lab.now() + 20);
  EXPECT_EQ(lab.existing("train"), 0) << "the head goes with the workers";
  EXPECT_TRUE(stand.facts().stopped);
  EXPECT_EQ(stand.made(), 3u) << "none is made while the peak lasts";
  const auto recalls = lab.recalls();
  for (const auto& victim : recalls.at(0).spec.victims) {
    EXPECT_TRUE(victim.ownerKind.starts_with(api::kOperatorKinds[GetParam()].kind)) << victim.ownerKind;
    EXPECT_EQ(victim.owner, "default/train");
    EXPECT_EQ(victim.phase, "Released");
  }
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("train") == 3; }, 200)) << lab.world().traceText();
  EXPECT_FALSE(stand.isRecalled());
  EXPECT_EQ(stand.job().metadata.annotations.at(names::kEvictions), "1");
  EXPECT_EQ(stand.made(), 6u);
  ASSERT_TRUE(
      lab.runUntil([&] { return stand.facts().finished || GetParam() + 1 == api::kOperatorRows; }, 900));
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// Their own grace is 600 s: the recall brings the pods' end forward.
TEST_P(Operators, TheEndOfItsPodsIsBroughtForward) {
  Stand stand({.row = GetParam(), .annotations = R"("sim.tidegate.dev/ignore-sigterm":"true")", .grace = 600},
              lentNodes(2, 4));
  Lab& lab = stand.lab();
  lab.run(20);
  ASSERT_EQ(lab.running("train"), 3);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
}

TEST_P(Operators, WhatItsUserSuspendsIsNotResumed) {
  Stand stand({.row = GetParam()}, lentNodes(2, 4));
  Lab& lab = stand.lab();
  lab.run(20);
  ASSERT_EQ(lab.running("train"), 3);
  stand.suspend(true);
  lab.run(21);  // its pods are on their way out
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 60)) << lab.world().traceText();
  lab.run(300);
  EXPECT_EQ(lab.existing("train"), 0);
  EXPECT_FALSE(stand.isRecalled());
  EXPECT_TRUE(stand.facts().suspended);
  EXPECT_THAT(lab.violations(), IsEmpty());
}

TEST_P(Operators, GangsOfOneJobGoAndComeTogether) {
  Stand stand({.row = GetParam(), .headGroup = "train-head", .workerGroup = "train-workers"},
              lentNodes(2, 4));
  Lab& lab = stand.lab();
  lab.run(20);
  ASSERT_EQ(lab.running("train"), 3);
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
  ASSERT_EQ(lab.recalls().at(0).spec.victims.size(), 2u);
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("train") == 3; }, 300)) << lab.world().traceText();
  for (const char* name : {"default/train-head", "default/train-workers"}) {
    const auto group = lab.world().store().find<api::PodGroup>(name);
    EXPECT_FALSE(group->metadata.annotations.contains(names::kRecalledBy)) << name;
    EXPECT_EQ(group->metadata.annotations.at(names::kEvictions), "1") << name;
  }
  EXPECT_THAT(lab.violations(), IsEmpty());
}

// The brain dies just before one of its commands, and comes back without memory.
TEST_P(Operators, ARestartAtAnyCommandForgetsNothing) {
  const auto play = [&](std::optional<std::uint64_t> dieAt) {
    LabOptions options = lentNodes(2, 4);
    if (dieAt) options.sim.faults.restarts = {{.at = {}, .atCommand = dieAt, .downFor = seconds(1)}};
    Stand stand({.row = GetParam()}, options);
    Lab& lab = stand.lab();
    lab.run(20);
    EXPECT_EQ(lab.running("train"), 3);
    lab.submit(claim());
    EXPECT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 40)) << lab.world().traceText();
    EXPECT_TRUE(lab.runUntil([&] { return lab.running("train") == 3; }, 300)) << lab.world().traceText();
    EXPECT_EQ(stand.job().metadata.annotations.at(names::kEvictions), "1");
    EXPECT_EQ(lab.recalls().size(), 1u);
    EXPECT_EQ(stand.made(), 6u);
    EXPECT_THAT(lab.violations(), IsEmpty());
    return lab.world().commandsSent();
  };
  const std::uint64_t commands = play(std::nullopt);
  ASSERT_GT(commands, 10u);
  for (std::uint64_t command = 1; command <= commands && !HasFailure(); ++command) {
    SCOPED_TRACE(testing::Message() << "dies at command " << command << " of " << commands);
    play(command);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Operators, testing::Range(std::size_t{0}, api::kOperatorRows),
                         [](const auto& row) {
                           return std::string(api::kOperatorKinds[row.param].kind) +
                                  std::to_string(row.param);
                         });

TEST(JobSets, ARecallIsNoFailureOfTheirChildJobs) {
  Stand stand({.row = 0}, lentNodes(2, 4));
  Lab& lab = stand.lab();
  lab.run(20);
  for (const char* child : {"default/train-0", "default/train-1"}) {
    lab.world().api().modify<api::BatchJob>(child, "", [](api::BatchJob& job) { job.spec.backoffLimit = 0; });
  }
  lab.submit(claim());
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("claim") == 1; }, 30)) << lab.world().traceText();
  for (const char* child : {"default/train-0", "default/train-1"}) {
    const auto job = lab.world().store().find<api::BatchJob>(child);
    EXPECT_EQ(job->status.failed, 0) << child;
    EXPECT_FALSE(job->metadata.annotations.contains(names::kSuspend)) << "it is not told by us";
  }
  ASSERT_TRUE(lab.runUntil([&] { return lab.running("train") == 3; }, 200)) << lab.world().traceText();
}

}  // namespace
}  // namespace tidegate::lab
