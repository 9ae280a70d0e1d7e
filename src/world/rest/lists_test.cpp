// Lists: pages of one moment, tokens that expire, selectors, and what an item says of itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/rest/rest_support.hpp"

namespace tidegate::rest::test {
namespace {

const std::string kGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
const std::string kGroupJson =
    R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"g"},"spec":{"minMember":2}})";

TEST(RestList, PagesShowOneMoment) {
  Bench bench;
  bench.addPods(5);
  const auto first = bench.get(kPods + "?limit=2");
  EXPECT_EQ(at(first, "kind"), "PodList");
  EXPECT_EQ(at(first, "metadata.remainingItemCount"), "3");
  const std::string token = at(first, "metadata.continue");
  bench.call("DELETE", kPods + "/p103");
  bench.addPods(9);
  const auto second = bench.get(kPods + "?limit=2&continue=" + token);
  EXPECT_EQ(at(second, "items.1.metadata.name"), "p103");
  EXPECT_EQ(at(second, "metadata.resourceVersion"), at(first, "metadata.resourceVersion"));
  const auto third = bench.get(kPods + "?limit=2&continue=" + at(second, "metadata.continue"));
  EXPECT_EQ(at(third, "items.0.metadata.name"), "p104");
  EXPECT_EQ(at(third, "items.1"), "");
  EXPECT_EQ(at(third, "metadata.continue"), "");
}

TEST(RestList, TokensExpire) {
  Bench bench;
  bench.addPods(5);
  const std::string token = at(bench.get(kPods + "?limit=2"), "metadata.continue");
  EXPECT_EQ(bench.get(kPods + "?continue=" + token).status, 200);
  bench.run(seconds(300));
  EXPECT_EQ(at(bench.get(kPods + "?continue=" + token), "reason"), "Expired");
}

TEST(RestList, SelectsByNamespaceNameAndNode) {
  Bench bench;
  bench.addPods(3);
  api::Pod other = sim::test::pod("p101");
  other.metadata.namespace_ = "zoo";
  bench.api.create(other);
  bench.call("POST", kPods + "/p102/binding", R"({"target":{"name":"n1"}})");
  const auto names = [&](const std::string& path) {
    const auto list = bench.get(path);
    const boost::json::value body = parsed(list.body);
    std::string out;
    for (const auto& item : body.at("items").as_array())
      out += at(item, "metadata.namespace") + "/" + at(item, "metadata.name") + " ";
    return out;
  };
  EXPECT_EQ(names("/api/v1/pods?fieldSelector=metadata.name%3Dp101"), "default/p101 zoo/p101 ");
  EXPECT_EQ(names("/api/v1/namespaces/zoo/pods"), "zoo/p101 ");
  EXPECT_EQ(names("/api/v1/pods?fieldSelector=spec.nodeName=n1"), "default/p102 ");
  EXPECT_EQ(names("/api/v1/pods?fieldSelector=spec.nodeName!=n1,metadata.namespace=default"),
            "default/p100 default/p101 ");
}

// Items of built-in kinds do not say what they are, those of custom resources do.
TEST(RestList, ItemsAreAsTheRealServerWritesThem) {
  Bench bench;
  bench.addPods(1);
  bench.call("POST", kGroups, kGroupJson);
  EXPECT_EQ(at(bench.get("/api/v1/pods"), "items.0.kind"), "");
  EXPECT_EQ(at(bench.get(kGroups), "items.0.kind"), "PodGroup");
}

TEST(RestList, UnchangedObjectsAreNotSerialisedAgain) {
  Bench bench;
  bench.addPods(50);
  bench.get("/api/v1/pods");
  EXPECT_EQ(bench.server.serialised(), 50u);
  bench.call("PATCH", kPods + "/p107", R"({"metadata":{"labels":{"a":"b"}}})", kMergePatch);
  bench.get("/api/v1/pods");
  EXPECT_EQ(bench.server.serialised(), 51u);
}

}  // namespace
}  // namespace tidegate::rest::test
