// What a controller asks for in every step, sent through an outbox to a server that is slow: each command
// once, however long the queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "protocol/outbox.hpp"
#include "world/kube/commands_fixture.hpp"

namespace tidegate::kube {
namespace {

using testing::Each;
using testing::Le;
using testing::SizeIs;

class SlowServerTest : public CommandsTest {
 protected:
  // Asks for `count` binds every second, with so many requests at a time. `answerOldest` says what becomes of
  // what waits at the server.
  template <class Answer>
  void askFor(int time, int count, Answer answerOldest) {
    for (int second = 0; second < time; ++second) {
      for (int i = 0; i < count; ++i) outbox.send("bind/p" + std::to_string(i), bind(name(i)), loop.now());
      for (Command& command : outbox.take()) {
        ++commands[std::get<Bind>(command.action).name];
        runner->run(std::move(command), [this](const CommandDone& answer) {
          if (outbox.finished(answer, loop.now()) && answer.outcome == Outcome::Succeeded) ++successes;
        });
      }
      answerOldest(second);
      loop.advance(seconds(1));
    }
  }
  // The oldest `count` requests, in the last of each `every` seconds.
  struct Pace {
    int every;
    int count;
  };
  std::function<void(int)> answering(int status, Pace pace) {
    return [this, status, pace](int second) {
      if (second % pace.every != pace.every - 1) return;
      for (int i = 0; i < pace.count; ++i) transport.answer(status);
    };
  }
  static std::string name(int i) { return "p" + std::to_string(i); }
  std::vector<int> sends() const {
    std::vector<int> out;
    for (const auto& [pod, count] : commands) out.push_back(count);
    return out;
  }

  Outbox outbox;
  std::map<std::string, int> commands;  // by pod
  int successes = 0;
};

TEST_F(SlowServerTest, WhatWaitsInTheQueueIsNotSentAgain) {
  make({.inFlight = 2});
  askFor(60, 100, answering(201, {.every = 9, .count = 2}));
  EXPECT_THAT(sends(), SizeIs(100));
  EXPECT_EQ(successes, 12);
  // Those that were done and never show it are asked for again, behind the others.
  EXPECT_THAT(sends(), Each(Le(2)));
  EXPECT_LE(runner->metrics().queued, 100U);
}

// Each request times out, and is asked for again: by as many commands as there are intentions.
TEST_F(SlowServerTest, AServerThatNeverAnswersHasEachIntentionOnce) {
  make({.inFlight = 4});
  askFor(60, 20, answering(0, {.every = 10, .count = 4}));
  EXPECT_THAT(sends(), SizeIs(20));
  EXPECT_THAT(sends(), Each(Le(3)));
  EXPECT_EQ(successes, 0);
  EXPECT_LE(runner->metrics().queued + runner->metrics().inFlight, 20U);
}

// What the outbox rests on: whatever the server answers, each command ends once.
class AnyAnswerTest : public CommandsTest {
 protected:
  void runSome(Rng& rng) {
    const std::string name = "x" + std::to_string(rng.below(3));
    const api::ObjectRef group = ref("PodGroup", "scheduling.volcano.sh/v1beta1", name.c_str());
    const std::vector<Action> all = {
        bind(name),
        Patch{.target = group, .uid = "u1", .annotations = {{"k", "v"}}},
        Patch{.target = group, .uid = "u1", .condition = api::Condition{"T", "True", "", "", {}}},
        Patch{.target = group, .uid = "u1"},
        DeletePod{.namespace_ = "a", .name = name, .uid = "u1", .viaEviction = true},
        WriteRecall{},
        DeleteRecall{.name = name},
        Signal{"a", name, "u1", "8080", "/save", "r1", loop.now() + seconds(5)},
        Emit{.about = group, .reason = "R", .message = "m"},
        Create{.target = group, .json = "{}"},
        Delete{.target = group, .uid = "u1"},
        Delete{.target = ref("Nonsense", "v1"), .uid = "u1"},
        Merge{.target = group, .uid = "u1", .json = R"({"spec":{}})"},
        WriteStatus{
            .target = group, .uid = "u1", .resourceVersion = {}, .statusJson = R"({"phase":"Running"})"},
        StorePod{.namespace_ = "a", .name = name, .uid = "u1", .facts = {}},
        RemakePod{.namespace_ = "a", .name = name, .uid = "u1"}};
    run(all[rng.below(all.size())]);
  }
  void answerSome(Rng& rng) {
    static const std::vector<int> kStatuses = {0, 200, 200, 200, 200, 401, 403, 404, 409, 422, 429, 500, 503};
    static const std::vector<std::string> kBodies = {
        "{}", "no JSON", kConflict,
        R"({"metadata":{"uid":"u1","resourceVersion":"7"},"spec":{},"status":{"podIP":"10.0.0.7"}})",
        R"({"metadata":{"uid":"u1","resourceVersion":"7"},"spec":{"nodeName":"n2"},"status":{}})"};
    if (!signals.sent.empty() && rng.chance(0.3)) {
      const auto answer = std::exchange(signals.sent.back().second, {});
      signals.sent.pop_back();
      answer({.status = rng.chance(0.5) ? 200 : 0, .body = {}, .headers = {}, .error = {}});
    } else if (!transport.pending.empty() && rng.chance(0.7)) {
      transport.answerAt(rng.below(transport.pending.size()), kStatuses[rng.below(kStatuses.size())],
                         kBodies[rng.below(kBodies.size())], {{"retry-after", std::to_string(rng.below(4))}});
    } else {
      loop.advance(milliseconds(500));
    }
  }
};

TEST_F(AnyAnswerTest, EachCommandEndsOnce) {
  Rng rng{11};
  for (int round = 0; round < 60; ++round) {
    make({.inFlight = 4, .eventsInFlight = 2});
    done.clear();
    const CommandId before = lastId;
    for (int i = 0; i < 40; ++i) {
      runSome(rng);
      answerSome(rng);
    }
    for (int i = 0; i < 20000 && !runner->idle(); ++i) answerSome(rng);
    loop.advance(seconds(600));
    ASSERT_TRUE(runner->idle());
    std::multiset<CommandId> ended;
    for (const CommandDone& each : done) ended.insert(each.id);
    EXPECT_THAT(ended, SizeIs(40));
    for (CommandId id = before + 1; id <= lastId; ++id) EXPECT_EQ(ended.count(id), 1U) << id;
  }
}

}  // namespace
}  // namespace tidegate::kube
