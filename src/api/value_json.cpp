#include <charconv>

#include "api/json_writer.hpp"
#include "api/value.hpp"

namespace tidegate::api {
namespace {

// A number as JSON spells it: "-1.5e3", not "+1", "01", ".5" or "1.".
bool isJsonNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.front() < '0' || text.front() > '9' || text.back() < '0' || text.back() > '9')
    return false;
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos && (text[dot + 1] < '0' || text[dot + 1] > '9')) return false;
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

void write(JsonWriter& json, const Value& value) {
  if (const Scalar* scalar = value.scalar()) {
    const std::string& text = scalar->text;
    const bool plain =
        !scalar->quoted && (text == "true" || text == "false" || text == "null" || isJsonNumber(text));
    plain ? json.raw(text) : json.value(text);
  } else if (const Items* items = value.items()) {
    json.beginArray();
    for (const Value& item : *items) write(json, item);
    json.endArray();
  } else if (const Members* members = value.members()) {
    json.beginObject();
    for (const Member& member : *members) {
      json.key(member.key);
      write(json, member.value);
    }
    json.endObject();
  } else {
    json.null();
  }
}

}  // namespace

std::string jsonOf(const Value& value) {
  JsonWriter json;
  write(json, value);
  return json.take();
}

}  // namespace tidegate::api
