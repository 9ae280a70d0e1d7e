#include "api/kinds.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "api/value.hpp"

namespace tidegate::api {
namespace {

Value read(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto documents = readDocuments(text, path.string());
  if (!documents || documents->size() != 1) throw std::runtime_error(path.string() + " is not one document");
  return std::move(documents->front());
}

// What a CustomResourceDefinition says of each of its versions.
void expectAsDefined(const Value& definition, std::set<std::string>& seen) {
  const Value& spec = *definition.find("spec");
  const std::string kind(spec.find("names")->textOf("kind"));
  for (const Value& version : *spec.find("versions")->items()) {
    const std::string apiVersion =
        std::string(spec.textOf("group")) + "/" + std::string(version.textOf("name"));
    const Value* subresources = version.find("subresources");
    const bool defined = subresources != nullptr && subresources->find("status") != nullptr;
    EXPECT_EQ(hasStatusSubresource({.kind = kind, .apiVersion = apiVersion, .namespace_ = {}, .name = {}}),
              defined)
        << kind << " of " << apiVersion;
    seen.insert(kind);
  }
}

TEST(Kinds, StatusSubresourcesAreThoseOfOurDefinitions) {
  std::set<std::string> seen;
  for (const auto& file : std::filesystem::directory_iterator(TIDEGATE_SOURCE_DIR "/deploy/crds")) {
    if (file.path().extension() == ".yaml") expectAsDefined(read(file.path()), seen);
  }
  for (const char* kind : {"Command", "HyperNode", "Job", "PodGroup", "Queue", "Recall", "SuspendedPod"})
    EXPECT_TRUE(seen.contains(kind)) << kind;
}

TEST(Kinds, StatusSubresourcesOfKubernetes) {
  const auto has = [](const char* kind, const char* apiVersion) {
    return hasStatusSubresource({.kind = kind, .apiVersion = apiVersion, .namespace_ = "a", .name = "b"});
  };
  EXPECT_TRUE(has("Pod", "v1"));
  EXPECT_TRUE(has("Node", "v1"));
  EXPECT_TRUE(has("Job", "batch/v1"));
  EXPECT_TRUE(has("PodDisruptionBudget", "policy/v1"));
  EXPECT_FALSE(has("ConfigMap", "v1"));
  EXPECT_FALSE(has("Event", "events.k8s.io/v1"));
  EXPECT_FALSE(has("Lease", "coordination.k8s.io/v1"));
  EXPECT_FALSE(has("PriorityClass", "scheduling.k8s.io/v1"));
  EXPECT_TRUE(has("Recall", "example.com/v1")) << "only the group's own kind is meant";
  EXPECT_TRUE(has("PodGroup", "scheduling.x-k8s.io/v1alpha1")) << "another PodGroup";
}

TEST(Kinds, GroupOfAnApiVersion) {
  EXPECT_EQ(groupOfVersion("apps/v1"), "apps");
  EXPECT_EQ(groupOfVersion("v1"), "");
}

TEST(Kinds, VersionsAreNumbersOrNotComparedAtAll) {
  EXPECT_EQ(versionNumber("18446744073709551615"), 18446744073709551615U);
  for (const char* none : {"", "12a", "-1", "18446744073709551616", " 1"}) EXPECT_FALSE(versionNumber(none));
}

}  // namespace
}  // namespace tidegate::api
