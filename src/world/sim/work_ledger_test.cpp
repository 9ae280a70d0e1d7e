#include "world/sim/work_ledger.hpp"

#include <gtest/gtest.h>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

namespace names = api::names;
using test::pod;

// A ledger driven by hand; no kubelets, no API server.
class WorkLedgerTest : public ::testing::Test {
 protected:
  void gang(std::int32_t minimum) {
    api::PodGroup group;
    group.metadata.name = "g";
    group.metadata.namespace_ = "default";
    group.spec.minMember = minimum;
    store_.put(group);
  }
  api::Pod member(const std::string& uid) {
    api::Pod it = pod(uid, 1, {{names::kGroupName, "g"}});
    for (api::Container& container : it.spec.containers)
      container.resources.requests = container.resources.limits;
    it.metadata.uid = uid;
    it.metadata.ownerReferences = {
        {.apiVersion = "x/v1", .kind = "Trainer", .name = "t", .uid = "t-uid", .controller = true}};
    return it;
  }
  void join(const std::string& uid) { ledger_.join(member(uid), timing_); }
  void pass(double secondsToPass) {
    const Time end = clock_.now() + fromSeconds(secondsToPass);
    while (!clock_.empty() && clock_.nextTime() <= end) clock_.step();
    clock_.advanceTo(end);
  }
  // Progress is brought up to date by asking.
  double done(const std::string& uid) {
    ledger_.unsaved(uid);
    return toSeconds(work().done);
  }
  const JobWork& work(std::size_t index = 0) { return *ledger_.jobs().at(index); }

  EventQueue clock_{Time{}};
  ObjectStore store_;
  int saves_ = 0;
  std::vector<std::string> finished_;
  WorkLedger ledger_{clock_,
                     store_,
                     {.saved = [this](const JobWork&, const auto&) { ++saves_; },
                      .finished = [this](const JobWork&, const auto& uids) { finished_ = uids; },
                      .stopped = [](const JobWork&, const WorkStop&) {},
                      .resumed = [](const JobWork&, const WorkResume&) {}}};
  PodTiming timing_ = [] {
    PodTiming it;
    it.run = seconds(100);
    return it;
  }();
};

TEST_F(WorkLedgerTest, AGangWorksOnlyWhole) {
  gang(2);
  join("a");
  pass(10);
  EXPECT_EQ(done("a"), 0);
  join("b");
  pass(10);
  EXPECT_EQ(done("a"), 10);
  ledger_.leave("b");
  pass(10);
  EXPECT_EQ(done("a"), 10);
}

TEST_F(WorkLedgerTest, TheWorkEndsAtItsTime) {
  gang(2);
  join("a");
  join("b");
  pass(99);
  EXPECT_TRUE(finished_.empty());
  pass(1);
  EXPECT_EQ(finished_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(work().finishedAt, Time{} + seconds(100));
}

TEST_F(WorkLedgerTest, AJobStoppedUnsavedGoesBackToItsCheckpoint) {
  gang(2);
  timing_.checkpointInterval = seconds(10);
  join("a");
  join("b");
  pass(25);
  EXPECT_EQ(saves_, 2);
  ledger_.die("a");
  ledger_.die("b");
  ASSERT_EQ(work().stops.size(), 1u);
  EXPECT_EQ(work().stops[0].step, 25);
  EXPECT_EQ(work().stops[0].savedStep, 20);
  EXPECT_EQ(work().lostGpuSeconds, 2 * 5);
  pass(50);
  join("c");
  join("d");
  ASSERT_EQ(work().resumes.size(), 1u);
  EXPECT_EQ(work().resumes[0].fromStep, 20);
  pass(80);
  EXPECT_EQ(finished_.size(), 2u);
}

TEST_F(WorkLedgerTest, ACheckpointNeedsEveryMember) {
  gang(2);
  join("a");
  join("b");
  pass(30);
  ledger_.beginSave("a");
  ledger_.beginSave("b");
  pass(2);
  ledger_.endSave("a");
  EXPECT_EQ(work().saved, Duration{});
  ledger_.endSave("b");
  EXPECT_EQ(work().saved, seconds(30)) << "the job stalled while it saved";
  EXPECT_EQ(saves_, 1);
}

TEST_F(WorkLedgerTest, AMemberThatDiesBeforeItHasSavedTearsTheCheckpoint) {
  gang(2);
  join("a");
  join("b");
  pass(30);
  ledger_.leave("a");
  ledger_.leave("b");
  ledger_.beginSave("a");
  ledger_.beginSave("b");
  ledger_.endSave("a");
  ledger_.die("a");
  ledger_.die("b");
  EXPECT_EQ(work().saved, Duration{});
  EXPECT_EQ(work().lostGpuSeconds, 60);
}

TEST_F(WorkLedgerTest, MembersThatSaveAndGoOneByOneLoseNothing) {
  gang(2);
  join("a");
  join("b");
  pass(30);
  ledger_.leave("a");
  ledger_.beginSave("a");
  ledger_.leave("b");
  ledger_.beginSave("b");
  ledger_.endSave("a");
  ledger_.die("a");
  ledger_.endSave("b");
  ledger_.die("b");
  EXPECT_EQ(work().saved, seconds(30));
  EXPECT_EQ(work().lostGpuSeconds, 0);
}

TEST_F(WorkLedgerTest, OneLostMemberOfAGangCostsTheWholeGang) {
  gang(2);
  join("a");
  join("b");
  pass(30);
  ledger_.die("a");
  EXPECT_TRUE(work().stops.empty()) << "nobody has found out yet";
  pass(5);
  join("c");
  ASSERT_EQ(work().stops.size(), 1u);
  EXPECT_EQ(work().lostGpuSeconds, 60);
  pass(10);
  EXPECT_EQ(done("b"), 10);
}

TEST_F(WorkLedgerTest, SharesWithoutAGangAreTakenUpByASuccessor) {
  timing_.checkpointInterval = seconds(10);
  join("a");  // no PodGroup "g" in the store
  join("b");
  pass(15);
  ledger_.die("a");
  join("c");
  ASSERT_EQ(ledger_.jobs().size(), 2u);
  EXPECT_EQ(work(0).name, "default/t");
  EXPECT_EQ(work(1).name, "default/t#1");
  EXPECT_EQ(work(0).resumes.at(0).fromStep, 10);
  pass(1);
  EXPECT_EQ(done("c"), 11);
}

TEST_F(WorkLedgerTest, AnElasticJobGoesOnSlowerWithFewer) {
  gang(1);
  api::VcJob owner = test::vcJob("t", 4, test::podTemplate(1));
  store_.put(owner);
  const auto elastic = [&](const std::string& uid) {
    api::Pod it = member(uid);
    it.metadata.ownerReferences[0].apiVersion = api::VcJob::kApiVersion;
    ledger_.join(it, timing_);
  };
  for (const char* uid : {"a", "b", "c", "d"}) elastic(uid);
  EXPECT_EQ(work().size, 4);
  pass(20);
  ledger_.leave("d");
  ledger_.die("d");
  ledger_.leave("c");
  ledger_.die("c");
  pass(20);
  EXPECT_EQ(done("a"), 30);
  EXPECT_EQ(work().lostGpuSeconds, 0);
}

}  // namespace
}  // namespace tidegate::sim
