#include "api/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace tidegate::api {
namespace {

void appendEscaped(std::string& out, std::string_view text) {
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '<') {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out.push_back(c);
        }
    }
  }
}

}  // namespace

std::string quoteJson(std::string_view text) {
  std::string out = "\"";
  while (const auto bad = findInvalidUtf8(text)) {
    appendEscaped(out, text.substr(0, *bad));
    appendUtf8(out, 0xFFFD);
    text.remove_prefix(*bad + 1);
  }
  appendEscaped(out, text);
  out.push_back('"');
  return out;
}

void JsonWriter::newLine() {
  if (indent_ == 0) return;
  out_.push_back('\n');
  out_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::beforeValue() {
  if (levels_.empty()) {
    TIDEGATE_CHECK(out_.empty(), "a second value at the top of a JSON text");
    return;
  }
  Level& level = levels_.back();
  if (level.object) {
    TIDEGATE_CHECK(level.keyGiven, "a value without a key in a JSON object");
    level.keyGiven = false;
    return;
  }
  if (!level.empty) out_.push_back(',');
  level.empty = false;
  newLine();
}

void JsonWriter::key(std::string_view name) {
  TIDEGATE_CHECK(!levels_.empty() && levels_.back().object && !levels_.back().keyGiven, "a key out of place");
  Level& level = levels_.back();
  if (!level.empty) out_.push_back(',');
  level.empty = false;
  level.keyGiven = true;
  newLine();
  out_ += quoteJson(name);
  out_ += indent_ == 0 ? ":" : ": ";
}

void JsonWriter::begin(char bracket) {
  beforeValue();
  out_.push_back(bracket);
  levels_.push_back({.object = bracket == '{'});
}

void JsonWriter::end(char bracket) {
  TIDEGATE_CHECK(!levels_.empty() && levels_.back().object == (bracket == '}') && !levels_.back().keyGiven,
                 "an end without its begin");
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) newLine();
  out_.push_back(bracket);
}

void JsonWriter::raw(std::string_view json) {
  beforeValue();
  out_ += json;
}

void JsonWriter::value(std::string_view text) {
  raw(quoteJson(text));
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
  } else if (number == std::trunc(number) && std::abs(number) < 1e15) {
    raw(fmt::format("{:.0f}", number));
  } else {
    raw(fmt::format("{}", number));
  }
}

}  // namespace tidegate::api
