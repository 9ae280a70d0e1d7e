#include "brain/pod_news.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace tidegate {
namespace {

class PodNewsTest : public testing::Test {
 protected:
  void given(int pods) {
    for (int i = 0; i < pods; ++i) {
      api::Pod pod;
      pod.metadata.name = fmt::format("p{}", i);
      pod.metadata.namespace_ = "default";
      pod.metadata.uid = fmt::format("u{}", i);
      pod.spec.schedulerName = "tidegate";
      state_.apply(pod);
    }
  }

  struct Said {
    std::vector<Patch> conditions;
    std::vector<Emit> events;
  };

  // A cycle in which all pods wait for this reason. Every patch is answered.
  Said cycleAt(double t, const std::string& reason) {
    scheduler::Decisions decisions;
    for (const auto& [key, id] : state_.podIndex()) decisions.pending.push_back({id, reason});
    const Time now = start_ + fromSeconds(t);
    news_.tell(state_, decisions, outbox_, now);
    return take(now);
  }

  Said take(Time now) {
    Said said;
    for (const Command& command : outbox_.take()) {
      if (const auto* patch = std::get_if<Patch>(&command.action)) said.conditions.push_back(*patch);
      if (const auto* event = std::get_if<Emit>(&command.action)) said.events.push_back(*event);
      outbox_.finished({.id = command.id, .outcome = Outcome::Succeeded, .message = {}}, now);
    }
    return said;
  }

  Time start_ = Time{} + std::chrono::hours(24 * 20000);
  ClusterState state_;
  Outbox outbox_;
  PodNews news_{{.mostPerCycle = 10}};
};

TEST_F(PodNewsTest, APodThatStaysPendingIsToldWhy) {
  given(1);
  EXPECT_TRUE(cycleAt(0, "no room").events.empty()) << "it may be bound in the next cycle";
  const Said said = cycleAt(5, "no room");
  ASSERT_EQ(said.events.size(), 1U);
  EXPECT_EQ(said.events[0].reason, "FailedScheduling");
  EXPECT_EQ(said.events[0].message, "no room");
  EXPECT_TRUE(said.events[0].warning);
  EXPECT_EQ(said.events[0].about.name, "p0");
  ASSERT_EQ(said.conditions.size(), 1U);
  const api::Condition& condition = *said.conditions[0].condition;
  EXPECT_EQ(condition.type, "PodScheduled");
  EXPECT_EQ(condition.status, "False");
  EXPECT_EQ(condition.reason, "Unschedulable");
  EXPECT_EQ(condition.message, "no room");
  EXPECT_EQ(condition.lastTransitionTime, start_);
}

TEST_F(PodNewsTest, TheSameIsSaidAgainEveryFiveMinutes) {
  given(1);
  cycleAt(0, "no room");
  std::size_t events = 0;
  std::size_t conditions = 0;
  for (int t = 5; t <= 1000; t += 5) {
    const Said said = cycleAt(t, "no room");
    events += said.events.size();
    conditions += said.conditions.size();
  }
  EXPECT_EQ(events, 4U);  // at 5, 305, 605, 905
  EXPECT_EQ(conditions, 1U);
}

TEST_F(PodNewsTest, AReasonThatFlickersIsToldEveryHalfMinute) {
  given(1);
  cycleAt(0, "no room");
  std::size_t events = 0;
  for (int t = 5; t < 305; t += 5) events += cycleAt(t, fmt::format("{} GPUs are missing", t)).events.size();
  EXPECT_EQ(events, 10U);
}

TEST_F(PodNewsTest, AStormIsToldInPartsAndNobodyIsLeftOut) {
  given(95);
  cycleAt(0, "no room");
  std::set<std::string> told;
  for (int cycle = 1; cycle <= 10; ++cycle) {
    // The reasons change all the time: that does not keep those from being told who wait for their first
    // word.
    const Said said = cycleAt(cycle * 31.0, fmt::format("reason {}", cycle));
    EXPECT_LE(said.events.size(), 10U);
    EXPECT_EQ(said.events.size(), said.conditions.size());
    for (const Emit& event : said.events) told.insert(event.about.name);
  }
  EXPECT_EQ(told.size(), 95U);
}

TEST_F(PodNewsTest, APodThatIsMadeAgainIsAnother) {
  given(1);
  cycleAt(0, "no room");
  EXPECT_EQ(cycleAt(5, "no room").events.size(), 1U);
  state_.remove({api::Pod::kKind, api::Pod::kApiVersion, "default", "p0"}, "u0");
  api::Pod pod;
  pod.metadata.name = "p0";
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = "another";
  state_.apply(pod);
  EXPECT_TRUE(cycleAt(10, "no room").events.empty());
  EXPECT_EQ(cycleAt(15, "no room").events.size(), 1U);
}

TEST_F(PodNewsTest, ABoundPodIsToldWhere) {
  news_.bound({.namespace_ = "default", .name = "p0", .uid = "u0", .node = "n1"}, outbox_);
  const Said said = take(start_);
  ASSERT_EQ(said.events.size(), 1U);
  EXPECT_EQ(said.events[0].reason, "Scheduled");
  EXPECT_FALSE(said.events[0].warning);
  EXPECT_EQ(said.events[0].message, "Successfully assigned default/p0 to n1");
}

}  // namespace
}  // namespace tidegate
