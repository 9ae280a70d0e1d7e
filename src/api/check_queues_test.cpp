#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/read.hpp"

namespace tidegate::api {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One queue per document, in three lines, the last with its spec.
std::string queue(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue,\n metadata: {name: " + name +
         "},\n spec: {" + spec + "}}\n";
}

struct Told {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

Told check(const std::string& text, Strictness strictness = Strictness::Lenient) {
  const ReadResult result = readObjects(text, "q.yaml", {.strictness = strictness});
  Told told;
  if (!result) {
    for (const Error& error : result.error()) told.errors.push_back(error.text());
    return told;
  }
  for (const Error& warning : result->warnings) told.warnings.push_back(warning.text());
  return told;
}

TEST(Queues, SoundOnesAreAcceptedWithoutAWord) {
  for (const auto strictness : {Strictness::Lenient, Strictness::Strict}) {
    const Told told = check(
        queue("a", "weight: 3, capability: {gpu: 8}, guarantee: {resource: {gpu: 2}}, deserved: {gpu: 4}") +
            queue("b", "parent: a, guarantee: {resource: {gpu: 2}}, capability: {gpu: 8}") +
            queue("c", "parent: a, capability: {gpu: 8}") +
            queue("d", "parent: root, guarantee: {resource: {gpu: 2}}"),
        strictness);
    EXPECT_THAT(told.errors, IsEmpty());
    EXPECT_THAT(told.warnings, IsEmpty());
  }
}

struct Case {
  const char* spec;
  const char* message;
};

class MisplacedField : public testing::TestWithParam<Case> {};
TEST_P(MisplacedField, IsAnError) {
  EXPECT_THAT(check(queue("q", GetParam().spec)).errors, ElementsAre(HasSubstr(GetParam().message)));
}
INSTANTIATE_TEST_SUITE_P(
    Spec, MisplacedField,
    testing::Values(Case{"resource: {capability: {gpu: 8}}",
                         "q.yaml:4:9: spec.resource: unknown field; capability, deserved and guarantee stand "
                         "directly under spec"},
                    Case{"guarantee: {nvidia.com/gpu: 2}",
                         "spec.guarantee.nvidia.com/gpu: unknown field; the list of a guarantee stands"},
                    Case{"deServed: {gpu: 2}", "spec.deServed: unknown field; did you mean deserved?"},
                    Case{"deserved: {resource: {gpu: 2}}",
                         "spec.deserved.resource: want a quantity, got a map; the list stands directly"},
                    Case{"capabilities: {gpu: 2}", "did you mean capability?"},
                    Case{"capability: [{gpu: 2}]", "spec.capability: want a map, got a list"},
                    Case{"capability: {gpu: [2]}", "spec.capability.gpu: want a quantity, got a list"},
                    Case{"capability: {gpu: -2}", "spec.capability.gpu: want zero or more"},
                    Case{"weight: 0", "want at least 1, got 0"},
                    Case{"weight: -1", "want at least 1, got -1"},
                    Case{"weight: many", "spec.weight: want an integer, got \"many\""},
                    Case{"weight: '3'", "spec.weight: want an integer, got \"3\": write it without quotes"},
                    Case{"reclaimable: 'yes'", "spec.reclaimable: want true or false, got \"yes\""},
                    Case{"parent: q", "spec.parent: queue q names itself as its parent"}));

TEST(Queues, CapabilityIsReadInBothSpellings) {
  const ReadResult result =
      readObjects(queue("q", "capability: {resource: {nvidia.com/gpu: 192}}"), "q.yaml");
  ASSERT_TRUE(result);
  EXPECT_EQ(std::get<Queue>(result->objects.at(0)).spec.capability.at("nvidia.com/gpu").value(), 192);
  EXPECT_THAT(check(queue("q", "capability: {resource: {nvidia.com/gpu: 192}}")).warnings,
              ElementsAre(AllOf(HasSubstr("q.yaml:4:21: spec.capability: nested under `resource:`"),
                                HasSubstr("Volcano"))));
}

class OddQueue : public testing::TestWithParam<Case> {};
TEST_P(OddQueue, IsAWarningOrAnErrorIfStrict) {
  EXPECT_THAT(check(queue("q", GetParam().spec)).warnings, ElementsAre(HasSubstr(GetParam().message)));
  EXPECT_THAT(check(queue("q", GetParam().spec), Strictness::Strict).errors,
              ElementsAre(HasSubstr(GetParam().message)));
}
INSTANTIATE_TEST_SUITE_P(
    Spec, OddQueue,
    testing::Values(Case{"capability: {gpu: 4}, deserved: {gpu: 8}",
                         "q.yaml:4:47: spec.deserved.gpu: queue q: deserved 8 is more than its capability 4"},
                    Case{"guarantee: {resource: {gpu: 6}}, deserved: {gpu: 4}",
                         "spec.guarantee.resource.gpu: queue q: guarantee 6 is more than its deserved 4"},
                    Case{"guarantee: {resource: {gpu: 6}}, capability: {gpu: 4}",
                         "guarantee 6 is more than its capability 4"},
                    Case{"parent: nobody",
                         "spec.parent: queue q names the parent nobody, which is not declared"},
                    Case{"parent: rot", "did you mean root?"}));

TEST(Queues, AbsentIsNotZero) {
  EXPECT_THAT(
      check(queue("q", "guarantee: {resource: {gpu: 2}}, capability: {cpu: 1, gpu: 4}, deserved: {cpu: 1}"))
          .warnings,
      IsEmpty());
}

TEST(Queues, ChildrenGuaranteedMoreThanTheirParentAreAnErrorThatNamesThem) {
  const std::string text = queue("top", "guarantee: {resource: {gpu: 10}}") +
                           queue("a", "parent: top, guarantee: {resource: {gpu: 5}}") +
                           queue("b", "parent: top, guarantee: {resource: {gpu: 6}}");
  EXPECT_THAT(
      check(text).errors,
      ElementsAre(
          "q.yaml:4:37: spec.guarantee.resource.gpu: queue top declares guarantee 10, less than its children "
          "together, 11 (a 5, b 6)"));
}

TEST(Queues, ChildrenThatDeserveMoreThanTheirParentAreOdd) {
  const std::string text = queue("top", "deserved: {gpu: 10}, capability: {gpu: 8}") +
                           queue("a", "parent: top, deserved: {gpu: 5}") +
                           queue("b", "parent: top, deserved: {gpu: 6}, capability: {gpu: 9}");
  EXPECT_THAT(check(text).warnings,
              testing::UnorderedElementsAre(
                  HasSubstr("(a 5, b 6)"), HasSubstr("deserved 10 is more than its capability 8"),
                  HasSubstr("queue b may have 9, more than the capability 8 of its parent top")));
}

TEST(Queues, ACycleIsToldOnce) {
  const std::string text =
      queue("x", "parent: a") + queue("a", "parent: b") + queue("b", "parent: c") + queue("c", "parent: a");
  EXPECT_THAT(check(text).errors,
              ElementsAre("q.yaml:8:17: spec.parent: the parents form a cycle: a -> b -> c -> a"));
}

TEST(Queues, TheSameNameTwiceIsAnError) {
  EXPECT_THAT(check(queue("a", "weight: 1") + queue("a", "weight: 2")).errors,
              ElementsAre("q.yaml:7:19: metadata.name: queue a is declared twice; first in q.yaml:2"));
}

TEST(Queues, AParentMayStandInAnotherFile) {
  const std::string child = queue("child", "parent: top");
  const std::string top = queue("top", "weight: 1");
  const std::vector<SourceText> files = {{"child.yaml", child}, {"top.yaml", top}};
  EXPECT_TRUE(readFiles(files, {.strictness = Strictness::Strict}));
  const std::vector<SourceText> twice = {{"one.yaml", top}, {"two.yaml", top}};
  const ReadResult result = readFiles(twice);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().at(0).text(),
            "two.yaml:3:19: metadata.name: queue top is declared twice; first in one.yaml:2");
}

TEST(Queues, AResourceThatNoNodeOffersIsTold) {
  const std::string node =
      "---\n{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {nvidia.com/gpu: 8}}}\n";
  EXPECT_THAT(
      check(node + queue("q", "capability: {nvidia.com/gpus: 8}")).warnings,
      ElementsAre(HasSubstr(
          "spec.capability.nvidia.com/gpus: no node offers nvidia.com/gpus; did you mean nvidia.com/gpu?")));
  EXPECT_THAT(check(queue("q", "capability: {nvidia.com/gpus: 8}")).warnings, IsEmpty());
}

}  // namespace
}  // namespace tidegate::api
