#include "run/conf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/components.hpp"

namespace tidegate::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

api::ConfigMap mapOf(std::map<std::string, std::string> data) {
  api::ConfigMap map;
  map.metadata.name = "conf";
  map.metadata.namespace_ = "volcano-system";
  map.data = std::move(data);
  return map;
}

const char* const kReclaimOnly = "actions: reclaim\ntiers:\n- plugins:\n  - name: gang\n";
const char* const kAllocateOnly = "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n";

struct Fixture : testing::Test {
  std::vector<scheduler::Policy> used;
  ConfMapController controller{"volcano-system/conf", kReclaimOnly,
                               [this](const scheduler::Policy& policy) { used.push_back(policy); }};
  std::vector<Command> see(const api::ConfigMap& map) { return controller.handle(ObjectSeen{map}, Time{}); }
};

TEST_F(Fixture, TheConfInUseIsNoNews) {
  EXPECT_TRUE(see(mapOf({{"volcano-scheduler.conf", kReclaimOnly}})).empty());
  EXPECT_TRUE(used.empty());
}

TEST_F(Fixture, ANewConfIsTakenAndTold) {
  const auto commands = see(mapOf({{"volcano-scheduler.conf", kAllocateOnly}}));
  ASSERT_EQ(used.size(), 1U);
  EXPECT_THAT(used[0].actions, ElementsAre(scheduler::ActionKind::Allocate));
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_FALSE(std::get<Emit>(commands[0].action).warning);
}

TEST_F(Fixture, ABadConfChangesNothingAndIsToldOnce) {
  const auto bad = mapOf({{"volcano-scheduler.conf", "actions: gangPreempt\n"}});
  const auto commands = see(bad);
  EXPECT_TRUE(used.empty());
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_TRUE(std::get<Emit>(commands[0].action).warning);
  EXPECT_THAT(std::get<Emit>(commands[0].action).message, HasSubstr("gangPreempt"));
  EXPECT_TRUE(see(bad).empty());
}

TEST_F(Fixture, AfterABadConfTheOldOneMayComeBack) {
  see(mapOf({{"volcano-scheduler.conf", "actions: nonsense\n"}}));
  see(mapOf({{"volcano-scheduler.conf", kReclaimOnly}}));
  EXPECT_EQ(used.size(), 1U);
}

TEST_F(Fixture, AMapThatIsGoneIsToldOnceAndTakenWhenItIsBack) {
  see(mapOf({{"volcano-scheduler.conf", kReclaimOnly}}));
  const api::ObjectRef ref = api::refOf(mapOf({}));
  const auto commands = controller.handle(ObjectGone{.ref = ref, .uid = ""}, Time{});
  ASSERT_EQ(commands.size(), 1U);
  const Emit& news = std::get<Emit>(commands[0].action);
  EXPECT_TRUE(news.warning);
  EXPECT_EQ(news.reason, "ConfGone");
  EXPECT_EQ(news.about.name, "conf");
  EXPECT_THAT(news.message, HasSubstr("the conf in use stays"));
  EXPECT_TRUE(used.empty());
  see(mapOf({{"volcano-scheduler.conf", kAllocateOnly}}));
  EXPECT_EQ(used.size(), 1U);
}

TEST_F(Fixture, OtherMapsAreNotLookedAt) {
  auto other = mapOf({{"volcano-scheduler.conf", kAllocateOnly}});
  other.metadata.name = "other";
  EXPECT_TRUE(see(other).empty());
  EXPECT_TRUE(used.empty());
}

TEST(ConfText, IsTheOnlyEntryOrTheOneOfThatName) {
  EXPECT_EQ(*confTextOf(mapOf({{"scheduler.yaml", "a"}})), "a");
  EXPECT_EQ(*confTextOf(mapOf({{"x", "a"}, {"volcano-scheduler.conf", "b"}})), "b");
  EXPECT_THAT(confTextOf(mapOf({{"x", "a"}, {"y", "b"}})).error().text(), HasSubstr("there are 2"));
}

TEST(Components, AreNamed) {
  EXPECT_THAT(*parseComponents("scheduler,vcjob-controller,scheduler"),
              ElementsAre(Component::Scheduler, Component::VcJobController));
  EXPECT_THAT(parseComponents("scheduler,").error().message, HasSubstr("got \"\""));
  EXPECT_THAT(parseComponents("queue").error().message, HasSubstr("queue-controller"));
}

}  // namespace
}  // namespace tidegate::run
