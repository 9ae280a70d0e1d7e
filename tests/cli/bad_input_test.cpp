// Bad input ends with status 2, nothing on standard output, and an error that tells the file, the line and
// the field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program.hpp"

namespace tidegate::clitest {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kNode = R"(apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable: {cpu: "8", nvidia.com/gpu: "8", pods: "110"}
)";

std::string queue(const std::string& name, const std::string& spec) {
  return "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " + name +
         "}\nspec:\n" + spec;
}

class BadInputTest : public testing::Test {
 protected:
  // Plans with the text as in.yaml. Returns the errors.
  std::string planOf(const std::string& text) {
    program_.write("in.yaml", text);
    return fails("plan -f in.yaml");
  }
  std::string fails(const std::string& arguments) {
    const Ran ran = program_.run(arguments);
    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    EXPECT_EQ(ran.out, "");
    return ran.err;
  }
  static void expectOne(const std::string& errors) {
    EXPECT_EQ(std::ranges::count(errors, '\n'), 1) << errors;
  }

  Program program_;
};

TEST_F(BadInputTest, BrokenQuantity) {
  const std::string errors = planOf(queue("q", "  capability:\n    nvidia.com/gpu: 8xyz\n"));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:7:"));
  EXPECT_THAT(errors, HasSubstr("spec.capability"));
  EXPECT_THAT(errors, HasSubstr("8xyz"));
}

TEST_F(BadInputTest, QuantityBeyondAnyNumber) {
  const std::string errors = planOf(queue("q", "  deserved:\n    nvidia.com/gpu: 1e60\n"));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:7:"));
  EXPECT_THAT(errors, HasSubstr("spec.deserved"));
}

TEST_F(BadInputTest, QueueCycle) {
  const std::string errors = planOf(queue("a", "  parent: b\n") + queue("b", "  parent: a\n"));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:6:"));
  EXPECT_THAT(errors, HasSubstr("spec.parent"));
}

TEST_F(BadInputTest, QueueCycleOverFiles) {
  program_.write("a.yaml", queue("a", "  parent: b\n"));
  program_.write("b.yaml", queue("b", "  parent: a\n"));
  const std::string errors = fails("plan -f a.yaml -f b.yaml");
  expectOne(errors);
  EXPECT_THAT(errors, HasSubstr("spec.parent"));
}

TEST_F(BadInputTest, GuaranteesAboveTheParents) {
  const std::string guarantee = "  guarantee: {resource: {nvidia.com/gpu: 4}}\n";
  const std::string errors = planOf(queue("p", guarantee) + queue("a", guarantee + "  parent: p\n") +
                                    queue("b", guarantee + "  parent: p\n"));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:"));
  EXPECT_THAT(errors, HasSubstr("spec.guarantee"));
}

TEST_F(BadInputTest, WrongType) {
  const std::string errors = planOf(queue("q", "  weight: many\n"));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:6:"));
  EXPECT_THAT(errors, HasSubstr("spec.weight"));
  EXPECT_THAT(errors, HasSubstr("many"));
}

TEST_F(BadInputTest, EveryErrorIsTold) {
  const std::string errors = planOf(queue("q", "  weight: many\n  reclaimable: maybe\n"));
  EXPECT_EQ(std::ranges::count(errors, '\n'), 2) << errors;
}

TEST_F(BadInputTest, UnknownPlugin) {
  program_.write("in.yaml", kNode);
  program_.write("conf", "actions: \"allocate, reclaim\"\ntiers:\n- plugins:\n  - name: capasity\n");
  const std::string errors = fails("plan -f in.yaml --conf conf");
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("conf:4:"));
  EXPECT_THAT(errors, HasSubstr("capasity"));
  EXPECT_THAT(errors, HasSubstr("capacity"));
}

TEST_F(BadInputTest, UnknownAction) {
  program_.write("in.yaml", kNode);
  program_.write("conf", "actions: \"allocat, reclaim\"\n");
  const std::string errors = fails("plan -f in.yaml --conf conf");
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("conf:1:"));
  EXPECT_THAT(errors, HasSubstr("did you mean"));
}

TEST_F(BadInputTest, EmptyFile) {
  const std::string errors = planOf("");
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml"));
  EXPECT_THAT(errors, HasSubstr("empty"));
}

TEST_F(BadInputTest, EmptyStandardInput) {
  EXPECT_THAT(fails("plan -f - < /dev/null"), HasSubstr("empty"));
}

TEST_F(BadInputTest, HugeFile) {
  const std::string errors = planOf(std::string(50U << 20, 'x'));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml"));
  EXPECT_THAT(errors, HasSubstr("32 MiB"));
}

TEST_F(BadInputTest, HugeStandardInput) {
  EXPECT_THAT(fails("plan -f - < /dev/zero"), HasSubstr("32 MiB"));
}

TEST_F(BadInputTest, YamlBomb) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 1; k < 10; ++k) text += ", " + before;
    text += "]\n";
  }
  const std::string errors = planOf(text);
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:"));
}

TEST_F(BadInputTest, DeepNesting) {
  const std::string errors = planOf("a: " + std::string(100000, '[') + std::string(100000, ']'));
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:1:"));
}

TEST_F(BadInputTest, BinaryJunk) {
  std::string junk;
  for (int i = 0; i < 4096; ++i) junk += static_cast<char>(i * 7919 % 256);
  const std::string errors = planOf(junk);
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("in.yaml:"));
}

TEST_F(BadInputTest, MissingFile) {
  const std::string errors = fails("plan -f nowhere.yaml");
  expectOne(errors);
  EXPECT_THAT(errors, StartsWith("nowhere.yaml: "));
}

TEST_F(BadInputTest, Directory) {
  std::filesystem::create_directory(program_.folder() + "/cases");
  const std::string errors = fails("plan -f cases");
  expectOne(errors);
  EXPECT_THAT(errors, HasSubstr("is a directory"));
}

TEST_F(BadInputTest, MissingConf) {
  program_.write("in.yaml", kNode);
  EXPECT_THAT(fails("plan -f in.yaml --conf nowhere"), StartsWith("nowhere: "));
}

TEST_F(BadInputTest, FilesThatCannotBeRead) {
  std::filesystem::create_directory(program_.folder() + "/folder");
  program_.write("in.yaml", kNode);
  for (const std::string& asks :
       {std::string("plan -f "), std::string("plan -f in.yaml --conf "), std::string("drill --queues "),
        std::string("drill --conf "), std::string("drill --offline "), std::string("drill --load "),
        std::string("run --kubeconfig "), std::string("drill --kubeconfig ")}) {
    EXPECT_THAT(fails(asks + "nowhere"), HasSubstr("nowhere")) << asks;
    EXPECT_THAT(fails(asks + "folder"), HasSubstr("folder: is a directory, want a file")) << asks;
  }
}

TEST_F(BadInputTest, AFolderThatCannotBeMade) {
  program_.write("file", "");
  for (const char* folder : {"file", "file/below", "/proc/drill"}) {
    const std::string errors = fails(std::string("drill --out ") + folder);
    expectOne(errors);
    EXPECT_THAT(errors, HasSubstr(folder));
  }
}

TEST_F(BadInputTest, AnnotationsThatCannotBeMeant) {
  program_.write("in.yaml",
                 std::string(kNode) + queue("q", "  weight: 1\n") +
                     "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata:\n  name: odd\n"
                     "  annotations: {tidegate.dev/min-runtime: -5m}\n");
  const Ran ran = program_.run("plan -f in.yaml");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("Queue odd: annotation tidegate.dev/min-runtime: want a duration"));
}

TEST_F(BadInputTest, NegativeDuration) {
  const std::string errors = fails("run --coalesce -5s");
  EXPECT_THAT(errors, StartsWith("tidegate: --coalesce: want 0s to 1m, got \"-5s\""));
}

TEST_F(BadInputTest, UnknownFlag) {
  EXPECT_THAT(fails("plan --frobnicate"), HasSubstr("--frobnicate"));
}

TEST_F(BadInputTest, UnknownCommand) {
  EXPECT_THAT(fails("plam"), HasSubstr("plam"));
}

TEST_F(BadInputTest, NoCommand) {
  EXPECT_NE(fails(""), "");
}

TEST_F(BadInputTest, BadTime) {
  EXPECT_THAT(fails("plan -f in.yaml --now yesterday"), HasSubstr("--now"));
}

TEST_F(BadInputTest, BadFormat) {
  EXPECT_THAT(fails("plan -f in.yaml -o xml"), HasSubstr("json|text"));
}

TEST_F(BadInputTest, BadShape) {
  EXPECT_THAT(fails("drill --shape 8by8"), HasSubstr("--shape"));
}

}  // namespace
}  // namespace tidegate::clitest
