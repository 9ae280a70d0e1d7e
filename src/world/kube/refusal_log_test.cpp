// Which refused commands the log is told of, and how often.
#include "world/kube/refusal_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/kube/commands_fixture.hpp"

namespace tidegate::kube {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;

Bind bindOf(const std::string& name, const std::string& ns = "a") {
  return {.namespace_ = ns, .name = name, .uid = "u", .node = "n1"};
}
std::string forbidden(const std::string& name, const std::string& ns = "a") {
  return "pods \"" + name + "\" is forbidden: User \"t\" cannot create resource \"pods/binding\" in \"" + ns +
         "\"";
}

class RefusalLogTest : public testing::Test {
 protected:
  ManualLoop loop_;
  std::vector<std::string> lines_;
  RefusalLog log_{loop_, [this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(RefusalLogTest, OneLineForEachKindOfCommandAndReason) {
  log_.refused(bindOf("p0"), forbidden("p0"));
  log_.refused(bindOf("p0"), forbidden("p0"));
  log_.refused(bindOf("p1", "b"), forbidden("p1", "b"));
  EXPECT_THAT(lines_, ElementsAre("Bind of Pod a/p0 was refused: " + forbidden("p0")));
  log_.refused(bindOf("p0"), "Binding \"p0\" is invalid");
  log_.refused(DeletePod{.namespace_ = "a", .name = "p0", .uid = "u"}, forbidden("p0"));
  log_.refused(DeleteRecall{.name = "recall-3"}, "no");
  EXPECT_THAT(lines_, SizeIs(4));
  EXPECT_EQ(lines_.back(), "DeleteRecall of Recall recall-3 was refused: no");
}

TEST_F(RefusalLogTest, WhatGoesOnIsToldAgainWithItsCount) {
  for (int i = 0; i < 1200; ++i) {
    log_.refused(bindOf("p" + std::to_string(i)), forbidden("p" + std::to_string(i)));
    loop_.advance(seconds(1));
  }
  EXPECT_THAT(lines_, SizeIs(2));
  EXPECT_THAT(lines_.back(), EndsWith(" (and 599 more like it since this was told)"));
}

TEST_F(RefusalLogTest, ReasonsWithoutEndDoNotFillTheLog) {
  for (int i = 0; i < 1000; ++i) log_.refused(bindOf("p"), "hook says " + std::to_string(i));
  EXPECT_THAT(lines_, SizeIs(50));
}

class RefusedCommandsTest : public CommandsTest {
 protected:
  RefusedCommandsTest() {
    runner.emplace(
        CommandRunner::Services{.loop = loop,
                                .transport = transport,
                                .signals = &signals,
                                .warning = [this](const std::string& line) { lines.push_back(line); }},
        CommandOptions{}, Rng{3});
  }
  std::vector<std::string> lines;
};

TEST_F(RefusedCommandsTest, WhatIsForbiddenOrInvalidIsTold) {
  const std::string denied = R"({"kind":"Status","code":403,"reason":"Forbidden","message":"may not"})";
  for (int i = 0; i < 3; ++i) {
    run(bind("p"));
    transport.answer(403, denied);
    EXPECT_EQ(outcome(), Outcome::Rejected);
  }
  EXPECT_THAT(lines, ElementsAre("Bind of Pod a/p was refused: may not"));
  run(Delete{.target = ref("Queue", "scheduling.volcano.sh/v1beta1"), .uid = "u"});
  transport.answer(422, R"({"kind":"Status","code":422,"reason":"Invalid","message":"wrong"})");
  EXPECT_EQ(outcome(), Outcome::Rejected);
  EXPECT_THAT(lines, SizeIs(2));
}

TEST_F(RefusedCommandsTest, WhatIsRefusedInTheNormalCourseOfThingsIsNotTold) {
  run(DeletePod{.namespace_ = "a", .name = "p", .uid = "u", .graceSeconds = 1, .viaEviction = true});
  transport.answer(429, R"({"kind":"Status","code":429,"reason":"TooManyRequests","message":"budget",
                           "details":{"causes":[{"reason":"DisruptionBudget"}]}})");
  EXPECT_EQ(outcome(), Outcome::Rejected);
  run(Create{.target = ref("ConfigMap", "v1"), .json = "{}"});
  transport.answer(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"ends",
                           "details":{"causes":[{"reason":"NamespaceTerminating"}]}})");
  EXPECT_EQ(outcome(), Outcome::Rejected);
  run(bind("p"));
  transport.answer(409, kConflict);
  transport.answer(200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n2"}})");
  EXPECT_EQ(outcome(), Outcome::Rejected);
  EXPECT_THAT(lines, IsEmpty());
}

}  // namespace
}  // namespace tidegate::kube
