#include "drill/live/outfit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "api/read.hpp"
#include "world/sim/pod_timing.hpp"

namespace tidegate::drill::live {
namespace {

constexpr const char* kLoad = R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: offline-batch}
value: 1000
globalDefault: true
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: train
  namespace: research
  annotations: {tidegate.dev/checkpoint-duration: 5s}
spec:
  schedulerName: volcano
  queue: offline
  priorityClassName: offline-batch
  minAvailable: 1
  tasks:
    - name: worker
      replicas: 1
      template:
        metadata:
          annotations:
            tidegate.dev/checkpoint-port: "8471"
            sim.tidegate.dev/start-seconds: "1.5"
            sim.tidegate.dev/ready-seconds: "2.5"
        spec:
          priorityClassName: offline-batch
          containers:
            - name: trainer
              image: registry.local/train:1
              command: [python, train.py]
              resources:
                requests: {cpu: "32", memory: 256Gi, nvidia.com/gpu: 8}
)";

Outfit outfit() {
  Outfit out;
  out.id = "abc";
  out.namespace_ = "tidegate-drill-abc";
  out.image = "pause:1";
  out.priorityClasses = {"offline-batch"};
  return out;
}

std::vector<api::Object> dressed(const Outfit& how) {
  return dress(api::readObjects(kLoad, "load.yaml", {})->objects, how);
}

const api::VcJob& jobIn(const std::vector<api::Object>& objects) {
  return std::get<api::VcJob>(objects.back());
}

TEST(Outfit, EverythingIsMarkedAndLivesInTheDrillsNamespace) {
  const auto objects = dressed(outfit());
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(api::metadataOf(objects[0]).namespace_, "");
  EXPECT_EQ(api::metadataOf(objects[1]).namespace_, "tidegate-drill-abc");
  for (const api::Object& object : objects) EXPECT_EQ(api::metadataOf(object).labels.at(kDrillLabel), "abc");
  EXPECT_EQ(jobIn(objects).spec.tasks[0].template_.metadata.labels.at(kDrillLabel), "abc");
}

TEST(Outfit, PriorityClassesOfTheDrillHaveNamesOfTheirOwn) {
  const auto objects = dressed(outfit());
  const auto& priority = std::get<api::PriorityClass>(objects[0]);
  EXPECT_EQ(priority.metadata.name, "offline-batch-abc");
  EXPECT_FALSE(priority.globalDefault);
  EXPECT_EQ(jobIn(objects).spec.priorityClassName, "offline-batch-abc");
  EXPECT_EQ(jobIn(objects).spec.tasks[0].template_.spec.priorityClassName, "offline-batch-abc");
}

TEST(Outfit, ForeignPriorityClassesKeepTheirs) {
  Outfit how = outfit();
  how.priorityClasses.clear();
  EXPECT_EQ(jobIn(dressed(how)).spec.priorityClassName, "offline-batch");
}

TEST(Outfit, ContainersRunTheImageAndAskForGpusAsALimitToo) {
  const auto objects = dressed(outfit());
  const auto& container = jobIn(objects).spec.tasks[0].template_.spec.containers[0];
  EXPECT_EQ(container.image, "pause:1");
  EXPECT_TRUE(container.command.empty());
  EXPECT_EQ(container.resources.limits.at("nvidia.com/gpu"), Quantity::ofInteger(8));
  EXPECT_EQ(container.resources.requests.at("nvidia.com/gpu"), Quantity::ofInteger(8));
  EXPECT_FALSE(container.resources.requests.contains("memory"));
  EXPECT_TRUE(jobIn(objects).spec.tasks[0].templateJson.empty());
}

TEST(Outfit, NobodyIsAskedToSaveOverHttpAndWhereNobodySavesNobodySaysSo) {
  const auto saves = dressed(outfit());
  EXPECT_TRUE(jobIn(saves).metadata.annotations.contains(api::names::kCheckpointDuration));
  EXPECT_FALSE(
      jobIn(saves).spec.tasks[0].template_.metadata.annotations.contains(api::names::kCheckpointPort));
  EXPECT_EQ(jobIn(saves).spec.tasks[0].template_.metadata.annotations.at(api::names::kCheckpointDuration),
            "5s");
  Outfit how = outfit();
  how.savesCheckpoints = false;
  const auto silent = dressed(how);
  EXPECT_FALSE(jobIn(silent).metadata.annotations.contains(api::names::kCheckpointDuration));
  EXPECT_FALSE(
      jobIn(silent).spec.tasks[0].template_.metadata.annotations.contains(api::names::kCheckpointDuration));
}

TEST(Outfit, TimesAreThoseOfSimulatedNodes) {
  Outfit how = outfit();
  how.stop = seconds(5);
  const auto objects = dressed(how);
  const auto& annotations = jobIn(objects).spec.tasks[0].template_.metadata.annotations;
  EXPECT_EQ(annotations.at(sim::annotations::kStart), "4.000");
  EXPECT_FALSE(annotations.contains(sim::annotations::kReady));
  EXPECT_EQ(annotations.at(sim::annotations::kStop), "5.000");
}

}  // namespace
}  // namespace tidegate::drill::live
