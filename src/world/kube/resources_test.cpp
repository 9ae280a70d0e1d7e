#include "world/kube/resources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tidegate::kube {
namespace {

TEST(ResourcesTest, EveryObjectKindHasItsPlace) {
  ASSERT_EQ(objectResources().size(), kObjectKinds);
  for (std::size_t i = 0; i < kObjectKinds; ++i) EXPECT_EQ(objectResources()[i].object, i);
  EXPECT_EQ(resourceOf<api::Pod>().plural, "pods");
  EXPECT_EQ(resourceOf<api::BusCommand>().plural, "commands");
}

TEST(ResourcesTest, PathsOfCoreAndOtherGroups) {
  EXPECT_EQ(resourceOf<api::Pod>().listPath(), "/api/v1/pods");
  EXPECT_EQ(resourceOf<api::Pod>().listPath("a"), "/api/v1/namespaces/a/pods");
  EXPECT_EQ(resourceOf<api::Node>().listPath("ignored"), "/api/v1/nodes");
  EXPECT_EQ(resourceOf<api::Pod>().objectPath("a", "web-0", "binding"),
            "/api/v1/namespaces/a/pods/web-0/binding");
  EXPECT_EQ(resourceOf<api::VcJob>().objectPath("a", "j"),
            "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs/j");
  EXPECT_EQ(resourceOf<api::Queue>().objectPath("", "q", "status"),
            "/apis/scheduling.volcano.sh/v1beta1/queues/q/status");
  EXPECT_EQ(resourceOf<api::BatchJob>().title(), "jobs.batch");
  EXPECT_EQ(resourceOf<api::Pod>().title(), "pods");
}

TEST(ResourcesTest, JobsDifferByGroup) {
  EXPECT_EQ(pathOf({.kind = "Job", .apiVersion = "batch/v1", .namespace_ = "a", .name = "j"}),
            "/apis/batch/v1/namespaces/a/jobs/j");
  EXPECT_EQ(
      pathOf({.kind = "Job", .apiVersion = "batch.volcano.sh/v1alpha1", .namespace_ = "a", .name = "j"}),
      "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs/j");
}

TEST(ResourcesTest, TitlesTellVersionsOfOneKindApart) {
  std::set<std::string> titles;
  for (const Resource& resource : objectResources()) titles.insert(resource.title());
  EXPECT_EQ(titles.size(), kObjectKinds);
  EXPECT_TRUE(titles.contains("mpijobs.kubeflow.org"));
  EXPECT_TRUE(titles.contains("mpijobs.v2beta1.kubeflow.org"));
}

TEST(ResourcesTest, KindsThatAreNoObjectsOfOurs) {
  EXPECT_EQ(pathOf({.kind = "Secret", .apiVersion = "v1", .namespace_ = "a", .name = "s"}),
            "/api/v1/namespaces/a/secrets/s");
  EXPECT_EQ(pathOf({.kind = "Lease", .apiVersion = "coordination.k8s.io/v1", .namespace_ = "a", .name = "l"}),
            "/apis/coordination.k8s.io/v1/namespaces/a/leases/l");
  EXPECT_EQ(
      pathOf({.kind = "JobSet", .apiVersion = "jobset.x-k8s.io/v1alpha2", .namespace_ = "a", .name = "s"}),
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/a/jobsets/s");
  EXPECT_EQ(pathOf({.kind = "Policy", .apiVersion = "x.io/v1", .namespace_ = "", .name = "p"}),
            "/apis/x.io/v1/policies/p");
  EXPECT_EQ(
      pathOf({.kind = "StorageClass", .apiVersion = "storage.k8s.io/v1", .namespace_ = "", .name = "fast"}),
      "/apis/storage.k8s.io/v1/storageclasses/fast");
}

TEST(ResourcesTest, WhatCannotStandInAPathIsAnError) {
  const api::ObjectRef good{.kind = "Pod", .apiVersion = "v1", .namespace_ = "a", .name = "p"};
  ASSERT_TRUE(pathOf(good));
  for (const char* bad : {"", "..", "a/b", "a%2f"}) {
    api::ObjectRef ref = good;
    ref.name = bad;
    EXPECT_FALSE(pathOf(ref)) << bad;
  }
  api::ObjectRef ref = good;
  ref.namespace_ = "";
  EXPECT_EQ(pathOf(ref).error().message, "Pod p has no namespace");
  ref = good;
  ref.apiVersion = "";
  EXPECT_FALSE(pathOf(ref));
  ref = good;
  ref.kind = "Po d";
  EXPECT_FALSE(pathOf(ref));
}

TEST(ResourcesTest, QueriesAreEscaped) {
  EXPECT_EQ(percentEncode("metadata.name=a b&c/é"), "metadata.name%3Da%20b%26c%2F%C3%A9");
}

}  // namespace
}  // namespace tidegate::kube
