#include "controllers/object_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.hpp"

namespace tidegate::controllers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace names = api::names;

class ObjectChecksTest : public testing::Test {
 protected:
  // The events about what happens, as "kind name: message"; Ticks come when they were asked for.
  std::vector<std::string> on(const Event& event) {
    std::vector<std::string> out;
    for (const Command& command : checks.handle(event, now)) {
      if (const auto* wake = std::get_if<WakeAt>(&command.action)) wakeAt = wake->at;
      if (const auto* news = std::get_if<Emit>(&command.action)) {
        EXPECT_TRUE(news->warning);
        out.push_back(news->reason + " " + news->about.name + ": " + news->message);
      }
    }
    return out;
  }
  std::vector<std::string> settle() {
    if (!wakeAt) return {};
    now = *std::exchange(wakeAt, std::nullopt);
    return on(Tick{});
  }
  static api::Queue queue(const std::string& name, const std::string& parent) {
    api::Queue out;
    out.metadata.name = name;
    out.metadata.uid = "u-" + name;
    out.spec.parent = parent;
    return out;
  }
  std::vector<std::string> see(const api::Object& object) { return on(ObjectSeen{object}); }
  std::vector<std::string> lose(const std::string& name) {
    return on(ObjectGone{.ref = api::refOf(queue(name, "")), .uid = "u-" + name});
  }

  ObjectChecks checks;
  Time now{};
  std::optional<Time> wakeAt;
};

TEST_F(ObjectChecksTest, ABadValueIsToldOnceAndEachNewOne) {
  api::Queue bad = queue("q", "");
  bad.metadata.annotations[names::kMinRuntime] = "-5m";
  EXPECT_THAT(see(bad), ElementsAre(HasSubstr("BadAnnotation q: annotation tidegate.dev/min-runtime: want")));
  EXPECT_THAT(see(bad), IsEmpty());
  bad.metadata.annotations[names::kMinRuntime] = "soon";
  EXPECT_THAT(see(bad), ElementsAre(HasSubstr("got \"soon\"; the default is used")));
  bad.metadata.annotations[names::kMinRuntime] = "5m";
  EXPECT_THAT(see(bad), IsEmpty());
}

TEST_F(ObjectChecksTest, AHundredPodsOfOneControllerAreOneNews) {
  std::vector<std::string> told;
  for (int i = 0; i < 100; ++i) {
    api::Pod pod;
    pod.metadata.name = "p" + std::to_string(i);
    pod.metadata.uid = "u" + std::to_string(i);
    pod.metadata.annotations[names::kPreemptable] = "maybe";
    pod.metadata.ownerReferences = {
        {.apiVersion = "apps/v1", .kind = "ReplicaSet", .name = "r", .uid = "rs", .controller = true}};
    for (std::string& each : see(pod)) told.push_back(std::move(each));
  }
  EXPECT_THAT(told, ElementsAre(HasSubstr("false is used: it is never a victim")));
}

TEST_F(ObjectChecksTest, AnUnknownParentIsToldWhenTheRestIsThere) {
  EXPECT_THAT(see(queue("child", "late")), IsEmpty());
  EXPECT_THAT(see(queue("late", "root")), IsEmpty());
  EXPECT_THAT(settle(), IsEmpty());
  see(queue("orphan", "nowhere"));
  see(queue("below", "orphan"));
  EXPECT_THAT(settle(), ElementsAre("BadParent orphan: spec.parent: there is no queue \"nowhere\"; the queue "
                                    "stands under root until there is"));
  see(queue("other", ""));
  EXPECT_THAT(settle(), IsEmpty());
  lose("late");
  EXPECT_THAT(settle(), ElementsAre(HasSubstr("BadParent child: ")));
  see(queue("late", ""));
  EXPECT_THAT(settle(), IsEmpty());
  lose("late");
  EXPECT_THAT(settle(), SizeIs(1));  // once more: it was well meanwhile
}

TEST_F(ObjectChecksTest, ACircleIsToldOnEachOfIt) {
  see(queue("a", "b"));
  see(queue("b", "c"));
  see(queue("c", "a"));
  see(queue("d", "a"));
  see(queue("e", "e"));
  EXPECT_THAT(settle(),
              ElementsAre(HasSubstr("BadParent a: spec.parent: \"b\" closes a circle (a > b > c > a)"),
                          HasSubstr("BadParent b: "), HasSubstr("BadParent c: "),
                          HasSubstr("closes a circle (e > e); the queue stands under root")));
}

}  // namespace
}  // namespace tidegate::controllers
