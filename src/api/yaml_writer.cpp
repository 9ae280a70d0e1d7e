#include "api/yaml_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "api/json_writer.hpp"
#include "core/error.hpp"

namespace tidegate::api {
namespace {

// Plain only what no YAML version reads as anything but text.
bool isPlainSafe(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  const auto harmless = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), harmless)) return false;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  static constexpr std::array<std::string_view, 9> kWords = {"true", "false", "null", "yes", "no",
                                                             "on",   "off",   "y",    "n"};
  return std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
}

std::string quoteYaml(std::string_view text) {
  return isPlainSafe(text) ? std::string(text) : quoteJson(text);
}

}  // namespace

void YamlWriter::startLine() {
  Level& level = levels_.back();
  const bool goesOn = level.empty && level.inlineStart;
  level.empty = false;
  if (goesOn || out_.empty()) return;
  out_.push_back('\n');
  out_.append(level.indent, ' ');
}

void YamlWriter::key(std::string_view name) {
  TIDEGATE_CHECK(!levels_.empty() && levels_.back().object, "a key outside of a YAML map");
  startLine();
  out_ += quoteYaml(name);
  out_.push_back(':');
}

void YamlWriter::beforeValue() {
  if (levels_.empty() || levels_.back().object) return;
  startLine();
  out_ += "- ";
}

void YamlWriter::begin(Level level) {
  beforeValue();
  if (!levels_.empty()) {
    const Level& above = levels_.back();
    level.inlineStart = !above.object;
    // Items of a list stand under its key, all else two deeper.
    level.indent = above.indent + (above.object && !level.object ? 0 : 2);
  }
  levels_.push_back(level);
}

void YamlWriter::end(std::string_view whenEmpty) {
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) return;
  if (!levels_.empty() && levels_.back().object) out_.push_back(' ');
  out_ += whenEmpty;
}

void YamlWriter::plain(std::string_view text) {
  beforeValue();
  if (!levels_.empty() && levels_.back().object) out_.push_back(' ');
  out_ += text;
}

void YamlWriter::value(std::string_view text) {
  plain(quoteYaml(text));
}

void YamlWriter::value(double number) {
  JsonWriter json;
  json.value(number);
  plain(json.text());
}

}  // namespace tidegate::api
