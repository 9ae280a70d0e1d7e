#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/value.hpp"

namespace tidegate::api {
namespace {

using testing::HasSubstr;

Value readOne(std::string_view text) {
  auto documents = readDocuments(text, "f.yaml");
  EXPECT_TRUE(documents) << documents.error().text();
  if (!documents || documents->size() != 1) return {};
  return std::move(documents->front());
}

std::string errorOf(std::string_view text, const DocumentLimits& limits = {}) {
  const auto documents = readDocuments(text, "f.yaml", limits);
  return documents ? "no error" : documents.error().text();
}

TEST(Documents, KnowWhereEachValueStands) {
  const Value root = readOne("a: 1\nb:\n  c: [x, \"y\"]\n");
  ASSERT_NE(root.find("b"), nullptr);
  const Value* list = root.find("b")->find("c");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->at, (Position{3, 6}));
  EXPECT_EQ((*list->items())[1].at, (Position{3, 10}));
  EXPECT_EQ(*(*list->items())[0].scalar(), (Scalar{"x", false}));
  EXPECT_EQ(*(*list->items())[1].scalar(), (Scalar{"y", true}));
}

TEST(Documents, JsonKnowsWhereEachValueStandsToo) {
  const Value root = readOne("{\n\t\"a\": [1,\n\t\ttrue], \"b\": {\"c\": \"x\"}}");
  EXPECT_EQ((*root.find("a")->items())[1].at, (Position{3, 3}));
  EXPECT_EQ(root.find("b")->find("c")->at, (Position{3, 21}));
  EXPECT_EQ(*root.find("b")->find("c")->scalar(), (Scalar{"x", true}));
}

TEST(Documents, ComeSeveralInAFile) {
  EXPECT_EQ(readDocuments("---\na: 1\n---\n---\nb: 2\n...\n", "f")->size(), 2U);
  EXPECT_EQ(readDocuments("{\"a\":1}\n{\"b\":2}\n", "f")->size(), 2U);
  EXPECT_EQ(readDocuments("\xEF\xBB\xBF"
                          "a: 1\n",
                          "f")
                ->size(),
            1U)
      << "byte order mark";
  EXPECT_EQ(readDocuments("# only a comment\n", "f")->size(), 0U);
  EXPECT_EQ(readDocuments("", "f")->size(), 0U);
}

TEST(Documents, FlowYamlIsNotTakenForBrokenJson) {
  EXPECT_EQ(readOne("{kind: Queue, spec: {weight: 1}}").textOf("kind"), "Queue");
}

TEST(Documents, AliasesAndMergeKeysAreExpanded) {
  const Value root = readOne("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nsame: *b\n");
  EXPECT_EQ(root.find("use")->textOf("x"), "1");
  EXPECT_EQ(root.find("use")->textOf("y"), "3");
  EXPECT_EQ(root.find("same")->textOf("y"), "2");
  EXPECT_EQ(readOne("a: {\"<<\": plain text}").find("a")->textOf("<<"), "plain text");
}

TEST(Documents, JsonStringsAreUnescaped) {
  const Value root = readOne(R"({"t":"\ttab \/ \"q\" \u5927 \ud83c\udf0a \u0000."})");
  EXPECT_EQ(root.textOf("t"), std::string_view("\ttab / \"q\" \u5927 \U0001f30a \0.", 22));
}

struct Broken {
  const char* text;
  const char* message;
};
class DocumentsRefuse : public testing::TestWithParam<Broken> {};
TEST_P(DocumentsRefuse, WithThePlace) {
  EXPECT_THAT(errorOf(GetParam().text), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, DocumentsRefuse,
    testing::Values(Broken{"a: 1\n\tb: 2\n", "f.yaml:2:"}, Broken{"a: [1, 2\n", "f.yaml:2:"},
                    Broken{"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: key \"a\" is given twice"},
                    Broken{"a: {x: 1, x: 2}", "f.yaml:1:11: key \"x\" is given twice"},
                    Broken{"- a\n, - b\n", "f.yaml:2:1: unexpected text"},
                    Broken{"a: 1\n---\n, b\n", "f.yaml:3:1: unexpected text"},
                    Broken{"? [a, b]\n: 1\n", "a key must be text"}, Broken{"a: *nothing\n", "f.yaml:1:"},
                    Broken{"a: &x [*x]\n", "an alias inside its own anchor"},
                    Broken{"a:\n  <<: [1]\n", "only maps can be merged"},
                    Broken{"ok: 1\nbad: \"\xff\"\n", "f.yaml:2:7: this byte is not UTF-8"}));

INSTANTIATE_TEST_SUITE_P(
    Json, DocumentsRefuse,
    testing::Values(Broken{"{\"a\": 1,\n \"a\": 2}", "f.yaml:2:2: key \"a\" is given twice"},
                    Broken{"{\"a\" 1}", "f.yaml:1:6: want a colon"},
                    Broken{"{\"a\": 01", "\"01\" is no JSON value"},
                    Broken{"{\"a\": \"x", "f.yaml:1:7: a string that does not end"},
                    Broken{"{\"a\": \"\\ud83c\"}", "half of a surrogate pair"},
                    Broken{"{\"a\": \"\\udf0a\"}", "half of a surrogate pair"},
                    Broken{"{\"a\": \"\\x\"}", "unknown escape"},
                    Broken{"{\"a\": \"\\u12g4\"}", "hexadecimal"}, Broken{"[\"a\", ", "want a value"},
                    Broken{"[\"a\" \"b\"]", "want a comma or a closing bracket"},
                    Broken{"{\"a\": \"line\nbreak\"", "control character"}));

TEST(Documents, LimitsHold) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto self = std::to_string(i);
    const auto below = std::to_string(i - 1);
    bomb += "a" + self + ": &a" + self + " [";
    for (int k = 0; k < 9; ++k) bomb += (k > 0 ? ", *a" : "*a") + below;
    bomb += "]\n";
  }
  EXPECT_THAT(errorOf(bomb), HasSubstr("aliases expand to more than 100000 values"));
  EXPECT_THAT(errorOf(std::string(10'000, '[')), HasSubstr("nested deeper than 100 levels"));
  EXPECT_THAT(errorOf("a: " + std::string(200, '[') + std::string(200, ']')), HasSubstr("nested deeper"));
  EXPECT_THAT(errorOf("a: [1, 2, 3, 4]", {.nodes = 4}), HasSubstr("more than 4 values"));
  EXPECT_THAT(errorOf("[1, 2, 3, 4]", {.nodes = 4}), HasSubstr("more than 4 values"));
  EXPECT_THAT(errorOf("a: [" + std::string(50'000, '['), {.yamlValueBytes = 10'000}),
              HasSubstr("more than 10000 bytes"));
  EXPECT_THAT(errorOf("a: " + std::string(50'000, 'x'), {.yamlValueBytes = 10'000}),
              HasSubstr("more than 10000 bytes"));
  EXPECT_EQ(errorOf("a: " + std::string(50'000, 'x')), "no error");
  EXPECT_EQ(errorOf("a: 1", {.bytes = 3}), "f.yaml: the file has 4 bytes; at most 3 are read");
}

}  // namespace
}  // namespace tidegate::api
