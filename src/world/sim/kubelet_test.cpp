#include "world/sim/kubelet.hpp"

#include <gtest/gtest.h>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

namespace names = api::names;
using test::exactOptions;
using test::node;
using test::pod;
using test::timesOf;

// Exact times: the kubelet learns of a change 0.05 s after it, and a status arrives 0.03 s after it is sent.
class KubeletTest : public ::testing::Test {
 protected:
  void run(api::StringMap annotations, std::int64_t gpus = 8) {
    world_.api().create(node("n1"));
    world_.api().create(pod("a", gpus, std::move(annotations)));
    bind("a");
  }
  void bind(const std::string& name) {
    ASSERT_TRUE(world_.api().bind({"default", name, stored(name)->metadata.uid, "n1"}).ok());
  }
  std::shared_ptr<const api::Pod> stored(const std::string& name = "a") {
    return world_.store().find<api::Pod>("default/" + name);
  }
  void deleteAt(double at, std::int64_t grace) {
    world_.at(fromSeconds(at), [grace](SimWorld& world) {
      world.api().remove(refTo<api::Pod>("default", "a"), {.uid = "", .graceSeconds = grace});
    });
  }
  double when(TraceKind kind, const std::string& name = "default/a") {
    const std::vector<double> times = timesOf(world_, kind, name);
    return times.empty() ? -1 : times.back();
  }

  SimWorld world_{exactOptions()};
};

TEST_F(KubeletTest, StartsAndBecomesReadyAfterItsOwnDelays) {
  run({{annotations::kStart, "4"}, {annotations::kReady, "1.5"}});
  world_.runUntil(seconds(20));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodRunning), 0.05 + 4 + 0.03);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodReady), 0.05 + 4 + 1.5 + 0.03);
  EXPECT_EQ(stored()->status.startTime, world_.start() + milliseconds(50));
}

TEST_F(KubeletTest, AStopIsPreStopThenSigtermThenTeardown) {
  run({{annotations::kPreStop, "3"}, {annotations::kStop, "2"}, {annotations::kTeardown, "1"}});
  deleteAt(20, 30);
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodSigterm), 20 + 0.05 + 3);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodGone), 20 + 0.05 + 3 + 2 + 1 + 0.03);
  EXPECT_EQ(when(TraceKind::PodKilled), -1);
}

TEST_F(KubeletTest, TheGraceClockRunsDuringPreStopAndEndsInSigkill) {
  run({{annotations::kPreStop, "8"}, {annotations::kIgnoreSigterm, "true"}, {annotations::kTeardown, "1"}});
  deleteAt(20, 12);
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodSigterm), 20 + 0.05 + 8);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodKilled), 20 + 0.05 + 12);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodGone), 20 + 0.05 + 12 + 1 + 0.03);
}

TEST_F(KubeletTest, AHookThatNeverReturnsIsCutAndSigtermStillGetsTwoSeconds) {
  run({{annotations::kPreStop, "1000"}, {annotations::kIgnoreSigterm, "true"}});
  deleteAt(20, 10);
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodSigterm), 20 + 0.05 + 10);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodKilled), 20 + 0.05 + 12);
}

TEST_F(KubeletTest, AShortenedGraceCutsTheStopUnderWay) {
  run({{annotations::kIgnoreSigterm, "true"}});
  deleteAt(20, 60);
  deleteAt(25, 8);
  world_.runUntil(seconds(100));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodKilled), 25 + 0.05 + 8) << "from when the kubelet learns of it";
}

TEST_F(KubeletTest, AShortenedGraceCutsThePreStopHookToo) {
  run({{annotations::kPreStop, "50"}, {annotations::kStop, "1"}});
  deleteAt(20, 60);
  deleteAt(25, 8);
  world_.runUntil(seconds(100));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodSigterm), 25 + 0.05 + 8);
}

TEST_F(KubeletTest, APodThatHasNotStartedStopsAtOnce) {
  run({{annotations::kStart, "100"}});
  deleteAt(20, 30);
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodGone), 20 + 0.05 + 0.03);
}

TEST_F(KubeletTest, AForcedDeletionKillsTheProcessAfterwards) {
  run({});
  deleteAt(20, 0);
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodGone), 20);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodKilled), 20.05);
}

TEST_F(KubeletTest, ANewPodIsRefusedWhileDevicesAreNotFree) {
  run({{annotations::kTeardown, "5"}});
  world_.api().create(pod("b", 1));
  deleteAt(20, 0);
  world_.at(seconds(21), [this](SimWorld&) { bind("b"); });
  world_.runUntil(seconds(60));
  EXPECT_EQ(stored("b")->status.phase, "Failed");
  EXPECT_EQ(stored("b")->status.reason, "OutOfnvidia.com/gpu");
}

TEST_F(KubeletTest, ACheckpointRequestIsAnsweredByAnnotation) {
  run({{annotations::kCheckpoint, "4"}});
  world_.at(seconds(20), [](SimWorld& world) {
    world.api().modify<api::Pod>("default/a", "", [](api::Pod& it) {
      it.metadata.annotations[names::kCheckpointRequested] = "r1 2024-10-04T00:01:00Z";
    });
  });
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::CheckpointRequested), 20 + 0.05 + 1);
  EXPECT_DOUBLE_EQ(when(TraceKind::CheckpointSaved), 20 + 0.05 + 1 + 4);
  EXPECT_EQ(stored()->metadata.annotations.at(names::kCheckpointDone), "r1");
  EXPECT_EQ(test::countOf(world_, TraceKind::CheckpointSaved), 1u) << "one request, one save";
}

TEST_F(KubeletTest, APodThatCannotSaveStaysSilent) {
  run({{names::kCheckpointRequested, "r1 2024-10-04T00:01:00Z"}});
  world_.runUntil(seconds(60));
  EXPECT_EQ(when(TraceKind::CheckpointRequested), -1);
  EXPECT_FALSE(stored()->metadata.annotations.contains(names::kCheckpointDone));
}

TEST_F(KubeletTest, SigtermSavesIfDeclaredAndTimeIsLeft) {
  run({{annotations::kCheckpoint, "4"},
       {annotations::kSaveOnSigterm, "true"},
       {annotations::kRun, "1000"},
       {annotations::kStart, "1"},
       {annotations::kReady, "1"},
       {annotations::kStop, "0.5"}});
  deleteAt(20, 30);
  world_.runUntil(seconds(60));
  EXPECT_DOUBLE_EQ(when(TraceKind::CheckpointSaved), 20.05 + 4);
  const JobWork& work = *world_.work().jobs().at(0);
  EXPECT_EQ(work.saved, fromSeconds(20.05 - 2.05));
  EXPECT_EQ(work.lostGpuSeconds, 0);
}

TEST_F(KubeletTest, ASaveCutByTheGraceIsLost) {
  run({{annotations::kCheckpoint, "10"},
       {annotations::kSaveOnSigterm, "true"},
       {annotations::kRun, "1000"},
       {annotations::kStart, "1"},
       {annotations::kReady, "1"}});
  deleteAt(20, 5);
  world_.runUntil(seconds(60));
  EXPECT_EQ(when(TraceKind::CheckpointSaved), -1);
  EXPECT_DOUBLE_EQ(when(TraceKind::PodKilled), 25.05);
  EXPECT_EQ(world_.work().jobs().at(0)->lostGpuSeconds, 8 * 18) << "8 GPUs, 18 s since Ready";
}

TEST_F(KubeletTest, ANodeThatDiesTakesItsProcessesAndKeepsItsPods) {
  run({});
  world_.at(seconds(20), [](SimWorld& world) { world.crashNode("n1"); });
  deleteAt(30, 5);
  world_.runUntil(seconds(100));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodKilled), 20);
  EXPECT_DOUBLE_EQ(when(TraceKind::NodeNotReady, "n1"), 60);
  ASSERT_NE(stored(), nullptr) << "nobody confirms the deletion";
  world_.recoverNode("n1");
  world_.runUntil(seconds(101));
  EXPECT_EQ(stored(), nullptr);
  EXPECT_DOUBLE_EQ(when(TraceKind::NodeReady, "n1"), 100);
}

TEST_F(KubeletTest, PodsOfALostNodeAreDeletedAfterTheToleration) {
  run({});
  world_.crashNode("n1");
  world_.runUntil(seconds(341));
  EXPECT_DOUBLE_EQ(when(TraceKind::PodTerminating), 340) << "40 s until NotReady, 300 s of toleration";
  EXPECT_NE(stored(), nullptr);
  world_.api().remove(refTo<api::Node>("", "n1"));
  world_.runUntil(seconds(400));
  EXPECT_EQ(stored(), nullptr) << "the garbage collector takes pods of nodes that are gone";
}

}  // namespace
}  // namespace tidegate::sim
