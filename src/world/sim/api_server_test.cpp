#include "world/sim/api_server.hpp"

#include <gtest/gtest.h>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

using test::node;
using test::pod;

class ApiServerTest : public ::testing::Test {
 protected:
  std::shared_ptr<const api::Pod> stored(const std::string& name = "a") {
    return api_.store().find<api::Pod>("default/" + name);
  }
  api::ObjectRef ref(const std::string& name = "a") { return refTo<api::Pod>("default", name); }
  void create(api::Object object) { ASSERT_TRUE(api_.create(std::move(object)).ok()); }
  void bindAndRun(const std::string& name = "a") {
    ASSERT_TRUE(api_.bind({"default", name, stored(name)->metadata.uid, "n1"}).ok());
    api_.modify<api::Pod>("default/" + name, "", [this](api::Pod& it) {
      it.status.phase = "Running";
      setCondition(it.status.conditions,
                   {.type = "Ready", .status = "True", .reason = {}, .message = {}, .lastTransitionTime = {}},
                   api_.now());
    });
  }
  Outcome remove(std::optional<std::int64_t> grace = {}, const std::string& uid = "") {
    return api_.remove(ref(), {.uid = uid, .graceSeconds = grace}).outcome;
  }

  EventQueue clock_{Time{} + seconds(1'000'000)};
  SimApiServer api_{clock_, 7};
};

TEST_F(ApiServerTest, CreateGivesIdentityAndDefaults) {
  create(pod("a", 2));
  EXPECT_FALSE(stored()->metadata.uid.empty());
  EXPECT_EQ(stored()->metadata.creationTimestamp, clock_.now());
  EXPECT_EQ(stored()->status.phase, "Pending");
  EXPECT_EQ(stored()->spec.terminationGracePeriodSeconds, 30);
  EXPECT_EQ(gpusOf(stored()->spec), 2) << "a limit stands in for the request";
  EXPECT_EQ(api_.create(pod("a")).outcome, Outcome::Conflict);
}

TEST_F(ApiServerTest, PriorityClassIsResolvedOrRefused) {
  api::PriorityClass high;
  high.metadata.name = "high";
  high.value = 1000;
  high.preemptionPolicy = "Never";
  create(high);
  api::Pod good = pod("a");
  good.spec.priorityClassName = "high";
  create(good);
  EXPECT_EQ(stored()->spec.priority, 1000);
  EXPECT_EQ(stored()->spec.preemptionPolicy, "Never");
  api::Pod bad = pod("b");
  bad.spec.priorityClassName = "hihg";
  EXPECT_EQ(api_.create(bad).outcome, Outcome::Rejected);
}

TEST_F(ApiServerTest, UpdateHoldsToUidAndVersion) {
  create(pod("a"));
  api::Pod old = *stored();
  api::Pod changed = old;
  changed.metadata.labels["x"] = "1";
  EXPECT_TRUE(api_.update(changed).ok());
  EXPECT_EQ(api_.update(old).outcome, Outcome::Conflict) << "resourceVersion has moved on";
  old.metadata.resourceVersion.clear();
  old.metadata.uid = "another";
  EXPECT_EQ(api_.update(old).outcome, Outcome::Conflict);
  EXPECT_EQ(api_.update(pod("b")).outcome, Outcome::NotFound);
}

TEST_F(ApiServerTest, WritingNothingNewIsNoWrite) {
  create(pod("a"));
  const std::uint64_t version = api_.store().version();
  EXPECT_TRUE(api_.update(*stored()).ok());
  EXPECT_TRUE(api_.patch({.target = ref(),
                          .uid = "",
                          .annotations = {{"x", std::nullopt}},
                          .suspend = {},
                          .replicas = {},
                          .condition = {}})
                  .ok());
  EXPECT_EQ(api_.store().version(), version);
}

TEST_F(ApiServerTest, PatchMergesAnnotationsAndRefusesForeignFields) {
  create(pod("a", 1, {{"keep", "1"}, {"drop", "1"}}));
  Patch patch{.target = ref(),
              .uid = stored()->metadata.uid,
              .annotations = {{"drop", std::nullopt}, {"new", "2"}},
              .suspend = {},
              .replicas = {},
              .condition = {}};
  EXPECT_TRUE(api_.patch(patch).ok());
  EXPECT_EQ(stored()->metadata.annotations, (api::StringMap{{"keep", "1"}, {"new", "2"}}));
  patch.suspend = true;
  EXPECT_EQ(api_.patch(patch).outcome, Outcome::Rejected);
  patch.uid = "another";
  EXPECT_EQ(api_.patch(patch).outcome, Outcome::Conflict);
}

TEST_F(ApiServerTest, BindOnceAndOnlyTheLiving) {
  create(pod("a"));
  const std::string uid = stored()->metadata.uid;
  EXPECT_EQ(api_.bind({"default", "a", "another", "n1"}).outcome, Outcome::Conflict);
  EXPECT_TRUE(api_.bind({"default", "a", uid, "n1"}).ok());
  EXPECT_EQ(api_.bind({"default", "a", uid, "n1"}).outcome, Outcome::Conflict);
  EXPECT_EQ(api_.bind({"default", "b", uid, "n1"}).outcome, Outcome::NotFound);
  api::Pod held = pod("c");
  held.metadata.finalizers = {"x/hold"};
  create(held);
  EXPECT_TRUE(api_.remove(ref("c")).ok());
  EXPECT_EQ(api_.bind({"default", "c", stored("c")->metadata.uid, "n1"}).outcome, Outcome::Conflict);
}

TEST_F(ApiServerTest, UnboundAndEndedPodsGoAtOnce) {
  create(pod("a"));
  EXPECT_EQ(remove(), Outcome::Succeeded);
  EXPECT_EQ(stored(), nullptr);
  create(pod("a"));
  bindAndRun();
  api_.modify<api::Pod>("default/a", "", [](api::Pod& it) { it.status.phase = "Failed"; });
  EXPECT_EQ(remove(), Outcome::Succeeded);
  EXPECT_EQ(stored(), nullptr);
  EXPECT_EQ(remove(), Outcome::NotFound);
}

TEST_F(ApiServerTest, ASecondDeleteMayShortenAGraceNeverLengthenIt) {
  create(pod("a"));
  bindAndRun();
  EXPECT_EQ(remove(30), Outcome::Succeeded);
  const Time first = clock_.now();
  EXPECT_EQ(stored()->metadata.deletionTimestamp, first + seconds(30));
  clock_.advanceTo(first + seconds(5));
  EXPECT_EQ(remove(60), Outcome::Succeeded);
  EXPECT_EQ(stored()->metadata.deletionGracePeriodSeconds, 30);
  EXPECT_EQ(remove(), Outcome::Succeeded) << "no grace given: as it stands";
  EXPECT_EQ(stored()->metadata.deletionGracePeriodSeconds, 30);
  EXPECT_EQ(remove(10), Outcome::Succeeded);
  EXPECT_EQ(stored()->metadata.deletionGracePeriodSeconds, 10);
  EXPECT_EQ(stored()->metadata.deletionTimestamp, first + seconds(10)) << "counted from the first delete";
  EXPECT_EQ(remove(0, "another"), Outcome::Conflict);
  EXPECT_EQ(remove(0), Outcome::Succeeded);
  EXPECT_EQ(stored(), nullptr);
}

TEST_F(ApiServerTest, FinalizersKeepAnObjectUntilTheLastIsTakenOff) {
  api::Pod held = pod("a");
  held.metadata.finalizers = {"x/hold"};
  create(held);
  bindAndRun();
  EXPECT_EQ(remove(30), Outcome::Succeeded);
  EXPECT_EQ(remove(0), Outcome::Succeeded);
  ASSERT_NE(stored(), nullptr);
  EXPECT_EQ(stored()->metadata.deletionGracePeriodSeconds, 0);
  api_.modify<api::Pod>("default/a", "", [](api::Pod& it) { it.metadata.finalizers.clear(); });
  EXPECT_EQ(stored(), nullptr);
}

TEST_F(ApiServerTest, TakingTheFinalizerOffARunningPodDoesNotEndItsGrace) {
  api::Pod held = pod("a");
  held.metadata.finalizers = {"x/hold"};
  create(held);
  bindAndRun();
  EXPECT_EQ(remove(30), Outcome::Succeeded);
  api_.modify<api::Pod>("default/a", "", [](api::Pod& it) { it.metadata.finalizers.clear(); });
  EXPECT_NE(stored(), nullptr) << "its kubelet has not confirmed";
}

TEST_F(ApiServerTest, EvictionKeepsToDisruptionBudgets) {
  api::PodDisruptionBudget budget;
  budget.metadata.name = "b";
  budget.metadata.namespace_ = "default";
  budget.spec.minAvailable = api::IntOrPercent{.value = 50, .percent = true};  // of 3: 1.5, so 2
  budget.spec.selector.matchLabels = {{"app", "web"}};
  create(budget);
  for (const char* name : {"a", "b", "c"}) {
    api::Pod it = pod(name);
    it.metadata.labels["app"] = "web";
    create(it);
    bindAndRun(name);
  }
  const auto evict = [&](const char* name) {
    return api_.evict({"default", name, stored(name)->metadata.uid, 30, true}).outcome;
  };
  EXPECT_EQ(evict("a"), Outcome::Succeeded);
  EXPECT_EQ(evict("b"), Outcome::Rejected);
  EXPECT_EQ(evict("a"), Outcome::Succeeded) << "it is leaving already";
  EXPECT_FALSE(isTerminating(*stored("b")));
}

TEST_F(ApiServerTest, RecallsAreCreatedAndReplacedUnderTheirVersion) {
  api::Recall recall;
  recall.metadata.name = "r1";
  EXPECT_TRUE(api_.writeRecall({recall}).ok());
  EXPECT_EQ(api_.writeRecall({recall}).outcome, Outcome::Conflict) << "empty version means create";
  api::Recall next = *api_.store().find<api::Recall>("r1");
  next.status.phase = "Signalled";
  EXPECT_TRUE(api_.writeRecall({next}).ok());
  EXPECT_EQ(api_.writeRecall({next}).outcome, Outcome::Conflict) << "that version is old now";
}

TEST_F(ApiServerTest, TheFeedTellsEveryChangeInOrder) {
  std::vector<std::string> seen;
  api_.feed().subscribe([&](const Change& change) {
    seen.push_back(!change.before ? "created" : !change.after ? "gone" : "changed");
  });
  create(pod("a"));
  bindAndRun();
  remove(0);
  EXPECT_EQ(seen, (std::vector<std::string>{"created", "changed", "changed", "gone"}));
}

}  // namespace
}  // namespace tidegate::sim
