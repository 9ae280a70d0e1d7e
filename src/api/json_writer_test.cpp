#include "api/json_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "api/yaml_writer.hpp"

namespace tidegate::api {
namespace {

void writeSample(auto& out) {
  out.beginObject();
  out.key("empty");
  out.beginArray();
  out.endArray();
  out.key("list");
  out.beginArray();
  out.value(1);
  out.beginObject();
  out.key("a");
  out.value(true);
  out.key("none");
  out.beginObject();
  out.endObject();
  out.endObject();
  out.beginArray();
  out.value(0.5);
  out.value(std::string("x"));
  out.endArray();
  out.endArray();
  out.endObject();
}

TEST(JsonWriter, WritesCompactly) {
  JsonWriter json;
  writeSample(json);
  EXPECT_EQ(json.text(), R"({"empty":[],"list":[1,{"a":true,"none":{}},[0.5,"x"]]})");
}

TEST(JsonWriter, WritesIndented) {
  JsonWriter json(2);
  json.beginObject();
  json.member("a", 1);
  json.key("b");
  json.beginArray();
  json.value("x");
  json.null();
  json.endArray();
  json.endObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    null\n  ]\n}");
}

TEST(JsonWriter, NumbersReadBackAndNeverBreakTheText) {
  const auto written = [](double number) {
    JsonWriter json;
    json.value(number);
    return json.take();
  };
  EXPECT_EQ(written(3), "3");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(-2.5e-7), "-2.5e-07");
  EXPECT_EQ(std::stod(written(1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(std::stod(written(1e300)), 1e300);
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonWriter, EscapesWhatCouldEndAStringOrAScript) {
  EXPECT_EQ(quoteJson("a\"b\\c\n\t\r\x01"), R"("a\"b\\c\n\t\r\u0001")");
  EXPECT_EQ(quoteJson("</script>"), R"("\u003c/script>")");
  EXPECT_EQ(quoteJson("\u5927\xff."), "\"\u5927\uFFFD.\"");
}

TEST(YamlWriter, NestsListsAndMaps) {
  YamlWriter yaml;
  writeSample(yaml);
  EXPECT_EQ(yaml.take(), "empty: []\nlist:\n- 1\n- a: true\n  none: {}\n- - 0.5\n  - x\n");
}

TEST(JsonWriterDeathTest, CallsOutOfOrderAbort) {
  JsonWriter json;
  json.beginObject();
  EXPECT_DEATH(json.value(1), "without a key");
  EXPECT_DEATH(json.endArray(), "without its begin");
}

}  // namespace
}  // namespace tidegate::api
