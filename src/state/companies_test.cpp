#include "state/companies.hpp"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

api::OwnerReference controlledBy(const char* apiVersion, const char* kind, const char* name) {
  return {.apiVersion = apiVersion,
          .kind = kind,
          .name = name,
          .uid = std::string("u-") + name,
          .controller = true};
}

class CompaniesTest : public testing::Test {
 protected:
  void pod(const char* name, const api::OwnerReference& maker) {
    api::Pod pod;
    pod.metadata = meta(name, maker);
    state_.apply(pod);
  }
  void job(const char* name, const api::OwnerReference& maker) {
    api::BatchJob job;
    job.metadata = meta(name, maker);
    state_.apply(job);
  }
  void operatorJob(const api::OwnerReference& self, const api::OwnerReference& maker = {}) {
    const auto row = api::operatorKindOf(self.kind, self.apiVersion).value();
    state_.apply(
        api::makeOperatorJob(row, {.metadata = meta(self.name.c_str(), maker), .spec = "", .status = ""}));
  }
  std::string ownerOf(const char* pod) {
    const auto owner =
        operatorOwner(state_, state_.gang(state_.pod(state_.findPod(std::string("ns/") + pod)).gang));
    return owner ? api::kOperatorKinds[owner->kind].kind + (" " + owner->key) : "";
  }

  ClusterState state_;
  const api::OwnerReference set_ = controlledBy("jobset.x-k8s.io/v1alpha2", "JobSet", "set");
  const api::OwnerReference rayJob_ = controlledBy("ray.io/v1", "RayJob", "ray");
  const api::OwnerReference cluster_ = controlledBy("ray.io/v1", "RayCluster", "ray-c");

 private:
  static api::ObjectMeta meta(const char* name, const api::OwnerReference& maker) {
    api::ObjectMeta metadata;
    metadata.name = name;
    metadata.namespace_ = "ns";
    metadata.uid = std::string("u-") + name;
    if (!maker.kind.empty()) metadata.ownerReferences = {maker};
    return metadata;
  }
};

TEST_F(CompaniesTest, PodsLeadToTheTopOfTheirChain) {
  const auto child = controlledBy("batch/v1", "Job", "set-a");
  pod("p", child);
  EXPECT_EQ(ownerOf("p"), "") << "its Job is not known yet";
  job("set-a", set_);
  EXPECT_EQ(ownerOf("p"), "JobSet ns/set") << "even if the JobSet is not known";
  operatorJob(set_);
  EXPECT_EQ(ownerOf("p"), "JobSet ns/set");

  pod("r", cluster_);
  operatorJob(cluster_, rayJob_);
  EXPECT_EQ(ownerOf("r"), "RayJob ns/ray");
}

TEST_F(CompaniesTest, OthersHaveNone) {
  pod("plain", controlledBy("batch/v1", "Job", "own"));
  job("own", {});
  pod("odd", controlledBy("example.com/v1", "JobSet", "x"));
  pod("bare", {});
  for (const char* name : {"plain", "odd", "bare"}) EXPECT_EQ(ownerOf(name), "") << name;
  EXPECT_TRUE(companiesOf(state_).empty());
}

TEST_F(CompaniesTest, AMakerThatNoRowKnowsEndsTheChain) {
  pod("p", cluster_);
  operatorJob(cluster_, controlledBy("ray.io/v1", "RayService", "s"));
  EXPECT_EQ(ownerOf("p"), "RayCluster ns/ray-c");
}

TEST_F(CompaniesTest, ACircleEnds) {
  pod("p", rayJob_);
  operatorJob(rayJob_, cluster_);
  operatorJob(cluster_, rayJob_);
  EXPECT_NE(ownerOf("p"), "");
}

TEST_F(CompaniesTest, GangsOfOneOwnerAreACompany) {
  for (const char* name : {"set-a", "set-b"}) {
    job(name, set_);
    pod((std::string(name) + "-0").c_str(), controlledBy("batch/v1", "Job", name));
  }
  pod("r", cluster_);
  operatorJob(set_);
  operatorJob(cluster_);
  const Companies companies = companiesOf(state_);
  ASSERT_EQ(companies.size(), 2u);
  EXPECT_EQ(companies.begin()->second.size(), 2u);
  state_.remove({.kind = "JobSet", .apiVersion = set_.apiVersion, .namespace_ = "ns", .name = "set"});
  EXPECT_TRUE(state_.operatorJobs(companies.begin()->first.kind).empty());
}

}  // namespace
}  // namespace tidegate
