#include "drill/live/live_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"
#include "drill/live/manual_driver.hpp"
#include "drill/live/reaction.hpp"

namespace tidegate::drill::live {
namespace {

namespace names = api::names;
using testing::ElementsAre;

constexpr const char* kOnline = "online";

// A record fed by hand: changes at the times the test says.
class LiveRecordTest : public testing::Test {
 protected:
  LiveRecordTest() { record.begin({.nodes = {"n1", "n2"}, .gpusPerNode = 8, .gpus = 16}); }

  static api::Pod pod(const std::string& name, const std::string& queue, const std::string& node,
                      int gpus = 8) {
    api::Pod out;
    out.metadata.name = name;
    out.metadata.namespace_ = "ns";
    out.metadata.uid = "uid-" + name;
    out.metadata.annotations[names::kQueueName] = queue;
    out.spec.nodeName = node;
    out.status.phase = "Running";
    api::Condition ready;
    ready.type = "Ready";
    ready.status = "True";
    out.status.conditions = {ready};
    api::Container container;
    if (gpus > 0) container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
    out.spec.containers = {container};
    return out;
  }
  template <class T>
  void see(T object) {
    mirror.take(ObjectSeen{std::move(object)});
  }
  void after(Duration length) { driver.loop().advance(length); }

  ManualDriver driver;
  kube::FakeTransport transport;
  Mirror mirror{{.loop = driver.loop(), .transport = transport}, {.changed = [] {}, .warning = {}}};
  LiveRecord record{mirror, [this] { return driver.loop().now(); }};
};

TEST_F(LiveRecordTest, TimesAreThoseAtWhichAChangeCame) {
  see(pod("a", "offline", "n1"));
  const Time bound = driver.loop().now();
  after(seconds(5));
  api::Pod going = pod("a", "offline", "n1");
  going.metadata.deletionTimestamp = bound - std::chrono::hours(1);  // another clock's
  see(going);
  const PodLife& life = *record.recorder().pods().front();
  EXPECT_EQ(life.bound, bound);
  EXPECT_EQ(life.terminating, bound + seconds(5));
  after(seconds(1));
  going.status.phase = "Failed";
  see(going);
  EXPECT_FALSE(life.free.has_value());  // a pod that is being deleted is there until it is gone
  after(seconds(1));
  mirror.take(ObjectGone{.ref = {.kind = "Pod", .apiVersion = "v1", .namespace_ = "ns", .name = "a"},
                         .uid = "uid-a"});
  EXPECT_EQ(life.free, bound + seconds(7));
}

TEST_F(LiveRecordTest, PodsElsewhereOrWithoutGpusAreLeftOut) {
  see(pod("a", "offline", "n1", 0));
  see(pod("b", "offline", "other"));
  see(pod("c", "offline", "n2"));
  EXPECT_EQ(record.recorder().pods().size(), 1u);
}

TEST_F(LiveRecordTest, TheReactionIsFromTheFirstBurstPodToTheFirstSignal) {
  see(pod("a", "offline", "n1"));
  after(seconds(1));
  record.burstNow();
  after(milliseconds(100));
  api::Pod burst = pod("burst", kOnline, "");
  burst.status = {};
  see(burst);
  after(milliseconds(250));
  api::Pod asked = pod("a", "offline", "n1");
  asked.metadata.annotations[names::kCheckpointRequested] = "recall-1 2026-01-01T00:00:00Z";
  see(asked);
  after(seconds(2));
  asked.metadata.deletionTimestamp = driver.loop().now();
  see(asked);
  const report::Check check = reaction(record, kOnline);
  EXPECT_EQ(check.measured, "0.25 s");
  EXPECT_TRUE(check.holds);
  EXPECT_THAT(record.stopped(kOnline), ElementsAre("ns/a"));
}

TEST_F(LiveRecordTest, ALateReactionFailsWithBothTimes) {
  see(pod("a", "offline", "n1"));
  after(seconds(1));
  record.burstNow();
  see(pod("burst", kOnline, ""));
  after(milliseconds(400));
  api::Pod going = pod("a", "offline", "n1");
  going.metadata.deletionTimestamp = driver.loop().now();
  see(going);
  const report::Check check = reaction(record, kOnline);
  EXPECT_FALSE(check.holds);
  EXPECT_THAT(check.cause, testing::HasSubstr("0.40 s"));
}

TEST_F(LiveRecordTest, RecallsKeepTheTimesAtWhichTheirNewsCame) {
  record.burstNow();
  api::Recall recall;
  recall.metadata.name = "r";
  recall.spec.startedAt = Time{};
  recall.spec.victims.resize(1);
  recall.spec.victims[0].gang = "ns/a";
  recall.spec.victims[0].pods = {{.name = "a", .namespace_ = "ns", .uid = "uid-a", .node = "n1"}};
  const Time begun = driver.loop().now();
  see(recall);
  after(seconds(1));
  recall.spec.victims[0].signalledAt = Time{};
  see(recall);
  after(seconds(1));
  see(recall);
  const api::Recall& kept = record.recorder().recalls().at("r");
  EXPECT_EQ(kept.spec.startedAt, begun);
  EXPECT_EQ(kept.spec.victims[0].signalledAt, begun + seconds(1));
  EXPECT_TRUE(record.chosen("uid-a"));
  EXPECT_FALSE(record.chosen("uid-b"));
  ASSERT_EQ(record.begun().size(), 1u);
}

TEST_F(LiveRecordTest, AJobIsBackWhenItsPodsAreReadyAgain) {
  see(pod("a", "offline", "n1"));
  after(seconds(1));
  record.burstNow();
  after(seconds(1));
  api::Pod going = pod("a", "offline", "n1");
  going.status.phase = "Failed";
  see(going);
  after(seconds(1));
  EXPECT_FALSE(record.runsAgain("ns/a"));
  mirror.take(ObjectGone{.ref = {.kind = "Pod", .apiVersion = "v1", .namespace_ = "ns", .name = "a"},
                         .uid = "uid-a"});
  api::Pod again = pod("a", "offline", "n2");
  again.metadata.uid = "uid-a2";
  again.status.conditions.clear();
  see(again);
  EXPECT_FALSE(record.runsAgain("ns/a"));
  again.status = pod("a", "offline", "n2").status;
  see(again);
  EXPECT_TRUE(record.runsAgain("ns/a"));
}

TEST_F(LiveRecordTest, WhyTheBurstWaitsIsWhatItsPodsSay) {
  api::Pod waiting = pod("burst", kOnline, "");
  api::Condition scheduled;
  scheduled.type = "PodScheduled";
  scheduled.status = "False";
  scheduled.message = "no node is whole";
  waiting.status = {};
  waiting.status.conditions = {scheduled};
  see(waiting);
  record.noteWaiting("ns", kOnline);
  EXPECT_EQ(record.waiting().at("no node is whole"), 1);
}

}  // namespace
}  // namespace tidegate::drill::live
