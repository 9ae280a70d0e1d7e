#include "api/operators.hpp"

#include <gtest/gtest.h>

#include "api/objects.hpp"
#include "api/read.hpp"
#include "api/write.hpp"

namespace tidegate::api {
namespace {

std::size_t rowOf(const char* kind, const char* apiVersion) {
  return operatorKindOf(kind, apiVersion).value();
}

OperatorJob job(std::string spec, std::string status = "") {
  return {.metadata = {}, .spec = std::move(spec), .status = std::move(status)};
}

// {"spec":{"containers":[...]}} of a pod with so many GPUs.
std::string pods(int gpus) {
  return R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":)" +
         std::to_string(gpus) + "}}}]}}";
}

std::vector<std::pair<std::int32_t, std::string>> shapes(const OperatorFacts& facts) {
  std::vector<std::pair<std::int32_t, std::string>> out;
  for (const PodShape& shape : facts.pods) {
    const auto& limits = shape.template_.spec.containers.at(0).resources.limits;
    const auto gpus = limits.find("nvidia.com/gpu");
    out.emplace_back(shape.count, gpus == limits.end() ? "" : gpus->second.text());
  }
  return out;
}
using Shapes = std::vector<std::pair<std::int32_t, std::string>>;

TEST(Operators, AKindIsFoundByItsGroupWhateverTheVersion) {
  EXPECT_EQ(operatorKindOf("MPIJob", "kubeflow.org/v1"), operatorKindOf("MPIJob", "kubeflow.org/v2beta1"));
  EXPECT_TRUE(operatorKindOf("JobSet", "jobset.x-k8s.io/v1alpha9"));
  EXPECT_FALSE(operatorKindOf("JobSet", "other.io/v1"));
  EXPECT_FALSE(operatorKindOf("Job", "batch/v1"));
}

TEST(Operators, PodsOfAJobSet) {
  const auto facts = factsOf(rowOf("JobSet", "jobset.x-k8s.io/v1alpha2"), job(R"({"replicatedJobs":[
      {"name":"driver","template":{"spec":{"template":)" + pods(0) + R"(}}},
      {"name":"workers","replicas":2,"template":{"spec":{"parallelism":4,"completions":3,"template":)" +
                                                                              pods(8) + "}}}]}"));
  EXPECT_EQ(shapes(facts), (Shapes{{1, "0"}, {6, "8"}}));
  EXPECT_EQ(facts.pods[0].template_.metadata.labels.at("a"), "b");
  EXPECT_FALSE(facts.suspended);
  EXPECT_TRUE(facts.suspendable);
}

TEST(Operators, PodsOfKubeflowsJobs) {
  const auto facts = factsOf(rowOf("PyTorchJob", "kubeflow.org/v1"),
                             job(R"({"runPolicy":{"suspend":true},"pytorchReplicaSpecs":{
      "Master":{"template":)" + pods(1) +
                                     R"(},"Worker":{"replicas":3,"template":)" + pods(2) + "}}}",
                                 R"({"conditions":[{"type":"Suspended","status":"True"}]})"));
  EXPECT_EQ(shapes(facts), (Shapes{{1, "1"}, {3, "2"}}));
  EXPECT_TRUE(facts.suspended);
  EXPECT_TRUE(facts.stopped);
  EXPECT_FALSE(facts.finished);
}

TEST(Operators, PodsOfARayJobAreThoseOfItsCluster) {
  const std::string cluster = R"({"headGroupSpec":{"template":)" + pods(0) + R"(},"workerGroupSpecs":[
      {"replicas":2,"numOfHosts":4,"template":)" +
                              pods(8) + R"(},{"minReplicas":1,"template":)" + pods(4) +
                              R"(},{"replicas":0,"template":)" + pods(2) + "}]}";
  const Shapes wanted{{1, "0"}, {8, "8"}, {1, "4"}};
  const auto rayJob = factsOf(rowOf("RayJob", "ray.io/v1"),
                              job(R"({"shutdownAfterJobFinishes":true,"submitterPodTemplate":)" + pods(1) +
                                      R"(,"rayClusterSpec":)" + cluster + "}",
                                  R"({"jobDeploymentStatus":"Complete"})"));
  EXPECT_EQ(shapes(rayJob), wanted);
  EXPECT_TRUE(rayJob.finished);
  EXPECT_TRUE(rayJob.suspendable);
  EXPECT_EQ(shapes(factsOf(rowOf("RayCluster", "ray.io/v1"), job(cluster, R"({"state":"suspended"})"))),
            wanted);
}

TEST(Operators, ARayJobThatIsNotShutDownIsNotSuspendable) {
  const std::size_t row = rowOf("RayJob", "ray.io/v1");
  EXPECT_FALSE(factsOf(row, job("{}")).suspendable);
  EXPECT_FALSE(factsOf(row, job(R"({"shutdownAfterJobFinishes":false})")).suspendable);
}

TEST(Operators, ConditionsThatAreNotTrueAndTextsThatAreNoneSayNothing) {
  const std::size_t row = rowOf("JobSet", "jobset.x-k8s.io/v1alpha2");
  const auto facts = factsOf(row, job("[", R"({"conditions":[{"type":"Suspended","status":"False"},7]})"));
  EXPECT_FALSE(facts.suspended || facts.stopped || facts.finished);
  EXPECT_TRUE(facts.pods.empty());
  EXPECT_TRUE(factsOf(row, job("", R"({"conditions":[{"type":"Failed","status":"True"}]})")).finished);
}

TEST(Operators, TheFlagIsSetWhereTheKindHasIt) {
  EXPECT_EQ(withSuspend(rowOf("RayCluster", "ray.io/v1"), R"({"a":1})", true), R"({"a":1,"suspend":true})");
  EXPECT_EQ(withSuspend(rowOf("TFJob", "kubeflow.org/v1"), R"({"runPolicy":{"a":1}})", false),
            R"({"runPolicy":{"a":1,"suspend":false}})");
  for (std::size_t row = 0; row < kOperatorRows; ++row) {
    EXPECT_TRUE(factsOf(row, job(withSuspend(row, "", true))).suspended) << kOperatorKinds[row].kind;
  }
}

TEST(Operators, SpecAndStatusAreKeptAsTheyCame) {
  const std::string json =
      R"({"apiVersion":"kubeflow.org/v2beta1","kind":"MPIJob","metadata":{"name":"m","namespace":"n"},)"
      R"("spec":{"x":[1,"2",true,null]},"status":{"y":{}}})";
  const auto loaded = readObjects(json, "file");
  ASSERT_TRUE(loaded) << loaded.error().front().text();
  EXPECT_TRUE(loaded->warnings.empty());
  EXPECT_EQ(refOf(loaded->objects.at(0)).apiVersion, "kubeflow.org/v2beta1");
  EXPECT_EQ(toJson(loaded->objects.at(0)), json);
}

}  // namespace
}  // namespace tidegate::api
