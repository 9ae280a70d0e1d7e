// Rules of "Efficient detection of changes", "Watch bookmarks" and "Streaming lists" (Kubernetes API
// Concepts).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/rest/rest_support.hpp"

namespace tidegate::rest::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const Bench::Stream& stream) {
  std::vector<std::string> out;
  for (const std::string& line : stream.lines) out.push_back(at(parsed(line), "object.metadata.name"));
  return out;
}

TEST(RestWatch, GoesOnFromAListWithoutAGap) {
  Bench bench;
  bench.addPods(2);
  const std::string from = at(bench.get(kPods), "metadata.resourceVersion");
  bench.call("DELETE", kPods + "/p100");
  const auto stream = bench.watch(kPods + "?watch=true&resourceVersion=" + from);
  EXPECT_EQ(stream->response.status, 200);
  bench.call("POST", kPods + "/p101/binding", R"({"target":{"name":"n1"}})");
  bench.api.create(sim::test::pod("new"));
  EXPECT_THAT(stream->types(), ElementsAre("DELETED", "MODIFIED", "ADDED"));
  EXPECT_THAT(names(*stream), ElementsAre("p100", "p101", "new"));
}

// The object of DELETED carries the version of the deletion: a watch can go on from there.
TEST(RestWatch, VersionsRiseAlsoOverDeletions) {
  Bench bench;
  bench.addPods(1);
  const auto stream = bench.watch(kPods + "?watch=true&resourceVersion=" + bench.version());
  bench.call("DELETE", kPods + "/p100");
  EXPECT_EQ(at(parsed(stream->lines.at(0)), "object.metadata.resourceVersion"), bench.version());
}

TEST(RestWatch, WithoutAVersionBeginsWithWhatExists) {
  Bench bench;
  bench.addPods(2);
  for (const char* query : {"?watch=true", "?watch=1&resourceVersion=0"}) {
    const auto stream = bench.watch(kPods + query);
    EXPECT_THAT(stream->types(), ElementsAre("ADDED", "ADDED"));
  }
}

TEST(RestWatch, StreamsTheListAndMarksItsEnd) {
  Bench bench;
  bench.addPods(1);
  const auto stream = bench.watch(
      kPods +
      "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
  EXPECT_THAT(stream->types(), ElementsAre("ADDED", "BOOKMARK"));
  EXPECT_EQ(at(parsed(stream->lines[1]), "object.metadata.resourceVersion"), bench.version());
  EXPECT_NE(stream->lines[1].find(R"("k8s.io/initial-events-end":"true")"), std::string::npos);
  EXPECT_EQ(bench.watch(kPods + "?watch=true&sendInitialEvents=true")->response.status, 422);
}

TEST(RestWatch, OldVersionsAreGone) {
  Bench bench;  // keeps 20 changes
  bench.addPods(1);
  const std::string from = bench.version();
  bench.addPods(21);
  const auto stream = bench.watch(kPods + "?watch=true&resourceVersion=" + from);
  EXPECT_EQ(stream->lines.size(), 20u) << "p100 was there: 20 creations since";
  bench.api.create(sim::test::pod("one-more"));
  const auto late = bench.watch(kPods + "?watch=true&resourceVersion=" + from);
  ASSERT_THAT(late->types(), ElementsAre("ERROR"));
  EXPECT_EQ(at(parsed(late->lines[0]), "object.code"), "410");
  EXPECT_EQ(at(parsed(late->lines[0]), "object.reason"), "Expired");
  EXPECT_TRUE(late->ended);
  bench.server.forgetHistory();
  EXPECT_THAT(bench.watch(kPods + "?watch=true&resourceVersion=" + bench.version())->types(), ElementsAre())
      << "the current version is never too old";
}

TEST(RestWatch, EndsAfterItsTimeoutWithBookmarksBefore) {
  Bench bench;
  const auto stream = bench.watch(kPods + "?watch=true&resourceVersion=" + bench.version() +
                                  "&allowWatchBookmarks=true&timeoutSeconds=130");
  bench.run(seconds(129));
  EXPECT_FALSE(stream->ended);
  EXPECT_THAT(stream->types(), ElementsAre("BOOKMARK", "BOOKMARK"));
  bench.run(seconds(1));
  EXPECT_TRUE(stream->ended);
  EXPECT_EQ(bench.server.watches(), 0u);
}

// What comes to match a selector is ADDED, what ceases to match is DELETED.
TEST(RestWatch, SelectorsTurnChangesIntoAdditionsAndDeletions) {
  Bench bench;
  bench.addPods(1);
  const auto idle = bench.watch("/api/v1/pods?watch=true&fieldSelector=spec.nodeName=");
  const auto bound = bench.watch("/api/v1/pods?watch=true&fieldSelector=spec.nodeName=n1");
  bench.call("POST", kPods + "/p100/binding", R"({"target":{"name":"n1"}})");
  EXPECT_THAT(idle->types(), ElementsAre("ADDED", "DELETED"));
  EXPECT_THAT(bound->types(), ElementsAre("ADDED"));
  EXPECT_EQ(at(parsed(idle->lines[1]), "object.metadata.resourceVersion"), bench.version());
}

TEST(RestWatch, DocumentsAreWatchedInTheSameOrder) {
  Bench bench;
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/ha/leases";
  const auto stream = bench.watch(leases + "?watch=true");
  const auto other = bench.watch("/apis/coordination.k8s.io/v1/namespaces/zoo/leases?watch=true");
  bench.call("POST", leases, R"({"metadata":{"name":"l"}})");
  bench.call("PATCH", leases + "/l", R"({"spec":{"holderIdentity":"a"}})", kMergePatch);
  bench.call("DELETE", leases + "/l");
  EXPECT_THAT(stream->types(), ElementsAre("ADDED", "MODIFIED", "DELETED"));
  EXPECT_TRUE(other->lines.empty());
}

TEST(RestWatch, ARestartEndsStreamsAndLosesTheHistory) {
  Bench bench;
  bench.addPods(1);
  const std::string from = bench.version();
  const auto stream = bench.watch(kPods + "?watch=true&resourceVersion=" + from);
  bench.server.restart(seconds(3));
  EXPECT_TRUE(stream->ended);
  EXPECT_EQ(bench.get(kPods).status, 0);
  bench.api.create(sim::test::pod("meanwhile"));  // by another server of the same cluster
  bench.run(seconds(3));
  EXPECT_EQ(bench.get(kPods).status, 200);
  EXPECT_THAT(bench.watch(kPods + "?watch=true&resourceVersion=" + from)->types(), ElementsAre("ERROR"));
}

}  // namespace
}  // namespace tidegate::rest::test
