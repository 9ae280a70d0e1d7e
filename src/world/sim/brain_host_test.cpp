// The brain's view of the world: watches, client, faults.
#include "world/sim/brain_host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "world/sim/test_support.hpp"

namespace tidegate::sim {
namespace {

using test::exactOptions;
using test::node;
using test::pod;

// Keeps what it is shown, and sends what it is told to.
class RecordingBrain : public BrainPort {
 public:
  std::vector<Command> handle(const Event& event, Time now) override {
    if (const auto* seen = std::get_if<ObjectSeen>(&event)) {
      const api::ObjectMeta& metadata = api::metadataOf(seen->object);
      mirror[api::refOf(seen->object)] = metadata.uid + "@" + metadata.resourceVersion;
      const std::uint64_t version = std::stoull(metadata.resourceVersion);
      std::uint64_t& last = lastVersion[api::refOf(seen->object)];
      if (version < last) wentBack = true;
      last = version;
    } else if (const auto* gone = std::get_if<ObjectGone>(&event)) {
      mirror.erase(gone->ref);
      lastVersion.erase(gone->ref);
    } else if (const auto* done = std::get_if<CommandDone>(&event)) {
      outcomes[done->id] = done->outcome;
      doneAt[done->id] = now;
    } else {
      ticks.push_back(now);
    }
    return std::exchange(next, {});
  }
  void restart() override {
    ++restarts;
    mirror.clear();
    lastVersion.clear();
  }

  std::vector<Command> next;  // sent after the next event
  std::map<api::ObjectRef, std::string> mirror;
  std::map<api::ObjectRef, std::uint64_t> lastVersion;
  std::map<CommandId, Outcome> outcomes;
  std::map<CommandId, Time> doneAt;
  std::vector<Time> ticks;
  bool wentBack = false;
  int restarts = 0;
};

std::map<api::ObjectRef, std::string> truth(const SimWorld& world) {
  std::map<api::ObjectRef, std::string> objects;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const auto& [key, object] : world.store().table(kind)) {
      const api::ObjectMeta& metadata = api::metadataOf(*object);
      objects[api::refOf(*object)] = metadata.uid + "@" + metadata.resourceVersion;
    }
  }
  return objects;
}

Command deleteOf(CommandId id, const api::Pod& pod) {
  return {id, DeletePod{pod.metadata.namespace_, pod.metadata.name, pod.metadata.uid, 30, false}};
}

// Creates, changes and deletes pods at random for a minute.
void churn(SimWorld& world, std::uint64_t seed) {
  Rng draw{seed};
  for (int i = 0; i < 400; ++i) {
    const std::string name = "p" + std::to_string(draw.below(12));
    const auto what = draw.below(3);
    world.at(milliseconds(draw.between(0, 60'000)), [name, what, i](SimWorld& it) {
      if (what == 0) it.api().create(pod(name));
      if (what == 1) it.api().remove(refTo<api::Pod>("default", name));
      if (what == 2) {
        it.api().modify<api::Pod>("default/" + name, "",
                                  [i](api::Pod& each) { each.metadata.labels["i"] = std::to_string(i); });
      }
    });
  }
}

TEST(RateLimitTest, LetsABurstThroughThenKeepsTheRate) {
  RateLimit limit(10, 3);
  const Time now{};
  std::vector<Duration> delays;
  for (int i = 0; i < 6; ++i) delays.push_back(limit.admit(now) - now);
  EXPECT_EQ(delays, (std::vector<Duration>{milliseconds(0), milliseconds(0), milliseconds(0),
                                           milliseconds(100), milliseconds(200), milliseconds(300)}));
  EXPECT_EQ(limit.admit(now + seconds(10)), now + seconds(10));
}

TEST(BrainHostTest, ShowsWhatIsThereAndWhatChangesLate) {
  RecordingBrain brain;
  SimWorld world(exactOptions(), &brain);
  world.api().create(node("n1"));
  world.runUntil({});
  EXPECT_EQ(brain.mirror, truth(world));
  world.api().create(pod("a"));
  world.runUntil(milliseconds(14));
  EXPECT_NE(brain.mirror, truth(world));
  world.runUntil(milliseconds(15));
  EXPECT_EQ(brain.mirror, truth(world));
}

TEST(BrainHostTest, CommandsTakeTheirTimeAndAnswer) {
  RecordingBrain brain;
  SimWorld world(exactOptions(), &brain);
  world.api().create(pod("a"));
  const auto stored = world.store().find<api::Pod>("default/a");
  brain.next = {deleteOf(1, *stored),
                {2, Bind{"default", "b", "", "n1"}},
                {3, WakeAt{world.start() + seconds(5)}},
                {4, Bind{"default", "a", stored->metadata.uid, "n1"}}};
  world.runUntil(seconds(10));
  EXPECT_EQ(brain.outcomes, (std::map<CommandId, Outcome>{
                                {1, Outcome::Succeeded}, {2, Outcome::NotFound}, {4, Outcome::NotFound}}));
  EXPECT_EQ(brain.doneAt[1], world.start() + milliseconds(16)) << "there and back";
  EXPECT_EQ(brain.ticks, (std::vector<Time>{world.start() + seconds(5)}));
}

TEST(BrainHostTest, AManyCommandsGoAtTheClientsRate) {
  SimOptions options = exactOptions();
  options.api.clientRate = 100;
  options.api.clientBurst = 10;
  RecordingBrain brain;
  SimWorld world(options, &brain);
  world.api().create(pod("a"));
  for (CommandId id = 1; id <= 110; ++id) brain.next.push_back({id, Bind{"default", "x", "", "n1"}});
  world.runUntil(seconds(10));
  ASSERT_EQ(brain.doneAt.size(), 110u);
  EXPECT_EQ(brain.doneAt[10], world.start() + milliseconds(16));
  EXPECT_EQ(brain.doneAt[110], world.start() + seconds(1) + milliseconds(16));
}

TEST(BrainHostTest, ALostAnswerIsUnknownThoughTheWriteWasMade) {
  SimOptions options = exactOptions();
  options.faults.loseAnswer = 1;
  RecordingBrain brain;
  SimWorld world(options, &brain);
  world.api().create(pod("a"));
  brain.next = {deleteOf(1, *world.store().find<api::Pod>("default/a"))};
  world.runUntil(seconds(10));
  EXPECT_EQ(brain.outcomes[1], Outcome::Unknown);
  EXPECT_EQ(world.store().find<api::Pod>("default/a"), nullptr);
}

TEST(BrainHostTest, AConflictMeansNothingWasWritten) {
  SimOptions options = exactOptions();
  options.faults.conflict = 1;
  RecordingBrain brain;
  SimWorld world(options, &brain);
  world.api().create(pod("a"));
  brain.next = {deleteOf(1, *world.store().find<api::Pod>("default/a"))};
  world.runUntil(seconds(10));
  EXPECT_EQ(brain.outcomes[1], Outcome::Conflict);
  EXPECT_NE(world.store().find<api::Pod>("default/a"), nullptr);
}

TEST(BrainHostTest, ARestartedBrainIsShownEverythingAndHearsNoOldAnswers) {
  SimOptions options = exactOptions();
  options.faults.restarts = {{.at = {}, .atCommand = 2, .downFor = seconds(3)}};
  RecordingBrain brain;
  SimWorld world(options, &brain);
  world.api().create(node("n1"));
  world.api().create(pod("a"));
  world.api().create(pod("b"));
  brain.next = {deleteOf(1, *world.store().find<api::Pod>("default/a")),
                deleteOf(2, *world.store().find<api::Pod>("default/b")),
                {3, WakeAt{world.start() + seconds(1)}}};
  world.runUntil(seconds(10));
  EXPECT_EQ(brain.restarts, 1);
  EXPECT_TRUE(brain.outcomes.empty());
  EXPECT_TRUE(brain.ticks.empty());
  EXPECT_EQ(brain.mirror, truth(world));
  EXPECT_EQ(world.store().find<api::Pod>("default/a"), nullptr) << "it was on its way";
  EXPECT_NE(world.store().find<api::Pod>("default/b"), nullptr) << "it was not";
}

TEST(BrainHostTest, WhateverTheWatchesLoseTheMirrorEndsTrue) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.faults.breakWatch = 0.05;
    options.faults.duplicateEvent = 0.2;
    options.faults.delayEvent = 0.1;
    options.faults.restarts = {{.at = seconds(20), .atCommand = {}, .downFor = seconds(2)}};
    RecordingBrain brain;
    SimWorld world(options, &brain);
    churn(world, seed);
    world.runUntil(seconds(120));
    EXPECT_EQ(brain.mirror, truth(world)) << "seed " << seed;
    EXPECT_FALSE(brain.wentBack) << "seed " << seed << ": a kind's events came out of order";
  }
}

TEST(BrainHostTest, ASignalIsAnsweredWhenTheCheckpointIsSaved) {
  RecordingBrain brain;
  SimWorld world(exactOptions(), &brain);
  world.api().create(node("n1"));
  world.api().create(pod("a", 1, {{annotations::kCheckpoint, "4"}, {api::names::kCheckpointPort, "8080"}}));
  const std::string uid = world.store().find<api::Pod>("default/a")->metadata.uid;
  world.api().bind({"default", "a", uid, "n1"});
  world.runUntil(seconds(20));
  const Signal signal{"default", "a", uid, "8080", "/save", "r1", world.start() + seconds(40)};
  Signal elsewhere = signal;
  elsewhere.port = "9";
  Signal nobody = signal;
  nobody.uid = "another";
  brain.next = {{1, signal}, {2, elsewhere}, {3, nobody}};
  world.api().create(node("n2"));  // any event
  world.runUntil(seconds(40));
  EXPECT_EQ(brain.outcomes, (std::map<CommandId, Outcome>{
                                {1, Outcome::Succeeded}, {2, Outcome::Rejected}, {3, Outcome::NotFound}}));
  EXPECT_EQ(brain.doneAt[1], world.start() + seconds(20) + milliseconds(15 + 8 + 4000 + 8));
}

}  // namespace
}  // namespace tidegate::sim
