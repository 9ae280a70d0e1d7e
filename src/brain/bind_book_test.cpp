#include "brain/bind_book.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <set>

#include "core/rng.hpp"

namespace tidegate {
namespace {

constexpr std::size_t kMost = 3;

class BindBookTest : public testing::Test {
 protected:
  BindBookTest() {
    api::Node node;
    node.metadata.name = "n";
    node.status.allocatable["pods"] = *Quantity::parse("1000");
    state_.apply(node);
  }

  static api::Pod podOf(int i, int priority = 0) {
    api::Pod pod;
    pod.metadata.name = fmt::format("p{}", i);
    pod.metadata.namespace_ = "default";
    pod.metadata.uid = fmt::format("u{}", i);
    pod.spec.schedulerName = "tidegate";
    pod.spec.priority = priority;
    return pod;
  }
  const PodInfo& pod(int i) const { return state_.pod(state_.findPod(fmt::format("default/p{}", i))); }

  bool bind(int i, int priority = 0) {
    state_.apply(podOf(i, priority));
    return book_.bind(state_, state_.findPod(fmt::format("default/p{}", i)), state_.findNode("n"), outbox_,
                      now_);
  }
  void confirm(int i) {
    api::Pod bound = podOf(i);
    bound.spec.nodeName = "n";
    state_.apply(bound);
  }

  std::vector<std::string> handedOver() {
    std::vector<std::string> names;
    for (const Command& command : outbox_.take()) {
      names.push_back(std::get<Bind>(command.action).name);
      ids_[names.back()] = command.id;
    }
    return names;
  }
  void answer(const std::string& name, Outcome outcome) {
    const auto sent = outbox_.finished({.id = ids_.at(name), .outcome = outcome, .message = ""}, now_);
    if (sent) book_.finished(*sent, outcome, state_, outbox_, now_);
  }

  Time now_ = Time{} + std::chrono::hours(24 * 20000);
  ClusterState state_;
  Outbox outbox_;
  BindBook book_{kMost};
  std::map<std::string, CommandId> ids_;
};

using testing::Test;
using Names = std::vector<std::string>;

TEST_F(BindBookTest, MoreThanTheMostUnansweredWaitAndCountAsBound) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bind(i));
  EXPECT_EQ(handedOver(), (Names{"p0", "p1", "p2"}));
  EXPECT_TRUE(pod(4).assumed);
  answer("p1", Outcome::Succeeded);
  EXPECT_EQ(handedOver(), Names{"p3"});
  EXPECT_TRUE(pod(1).assumed) << "answered, not yet seen";
}

TEST_F(BindBookTest, ABurstsBindsPassThoseThatWait) {
  for (int i = 0; i < 6; ++i) bind(i);
  handedOver();
  bind(6, 1000);
  answer("p0", Outcome::Succeeded);
  EXPECT_EQ(handedOver(), Names{"p6"});
}

TEST_F(BindBookTest, ASeenBindMakesRoomBeforeItsAnswer) {
  for (int i = 0; i < 4; ++i) bind(i);
  handedOver();
  confirm(0);
  book_.step(state_, outbox_, now_);
  EXPECT_EQ(handedOver(), Names{"p3"});
}

TEST_F(BindBookTest, OfAPodThatIsGoneNothingIsHandedOver) {
  for (int i = 0; i < 5; ++i) bind(i);
  handedOver();
  state_.remove(api::refOf(podOf(3)), "u3");
  answer("p0", Outcome::Succeeded);
  EXPECT_EQ(handedOver(), Names{"p4"});
}

TEST_F(BindBookTest, WhatIsVoidByThenIsNotHandedOver) {
  for (int i = 0; i < 5; ++i) bind(i);
  handedOver();
  state_.assumeRecalled(state_.findPod("default/p3"));
  answer("p0", Outcome::Succeeded);
  EXPECT_EQ(handedOver(), Names{"p4"});
  EXPECT_FALSE(pod(3).bound());
  bind(5);
  state_.remove({.kind = "Node", .apiVersion = "v1", .namespace_ = "", .name = "n"});
  answer("p1", Outcome::Succeeded);
  EXPECT_TRUE(handedOver().empty());
  EXPECT_TRUE(pod(5).pending());
}

TEST_F(BindBookTest, ARefusedBindIsUndoneAndMayNotBeTriedAtOnce) {
  bind(0);
  handedOver();
  answer("p0", Outcome::Conflict);
  EXPECT_TRUE(pod(0).pending());
  EXPECT_FALSE(bind(0));
  EXPECT_TRUE(outbox_.takeRetry()) << "somebody has to look again";
  now_ += seconds(1);
  EXPECT_TRUE(bind(0));
}

// Whatever the world answers, and in whichever order: never more than the most are out, and in the end each
// pod is bound.
RC_GTEST_FIXTURE_PROP(BindBookTest, EveryPodIsBoundInTheEnd, (std::uint64_t seed)) {
  constexpr int kPods = 30;
  Rng rng(seed);
  std::set<std::string> out;
  std::set<std::string> done;
  std::set<int> confirmed;
  for (int step = 0; step < 3000 && confirmed.size() < kPods; ++step) {
    now_ += milliseconds(static_cast<int>(rng.between(0, 400)));
    for (int i = 0; i < kPods; ++i) {
      const PodId id = state_.findPod(fmt::format("default/p{}", i));
      if (id == kNone ? rng.chance(0.1) : state_.pod(id).pending())
        bind(i, static_cast<int>(rng.between(0, 2)));
    }
    for (const std::string& name : handedOver()) out.insert(name);
    RC_ASSERT(out.size() <= kMost);
    if (!out.empty() && rng.chance(0.7)) {
      const std::string name =
          *std::next(out.begin(), rng.between(0, static_cast<std::int64_t>(out.size()) - 1));
      const bool works = rng.chance(0.7);
      out.erase(name);
      if (works) done.insert(name);
      answer(name, works ? Outcome::Succeeded : Outcome::Conflict);
    }
    if (!done.empty() && rng.chance(0.5)) {
      const std::string name = *done.begin();
      done.erase(name);
      out.erase(name);  // sent again, and no longer waited for
      confirmed.insert(std::stoi(name.substr(1)));
      confirm(std::stoi(name.substr(1)));
    }
    if (rng.chance(0.3)) book_.step(state_, outbox_, now_);
  }
  RC_ASSERT(confirmed.size() == kPods);
}

}  // namespace
}  // namespace tidegate
