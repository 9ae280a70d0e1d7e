#include "world/kube/json_fields.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tidegate::kube {
namespace {

namespace sj = simdjson::ondemand;

// What kubectl apply keeps of the object it was given: a second copy of it.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string_view typeOf(sj::value value) {
  sj::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return "broken JSON";
  switch (type) {
    case sj::json_type::array:
      return "a list";
    case sj::json_type::object:
      return "a map";
    case sj::json_type::number:
      return "a number";
    case sj::json_type::string:
      return "text";
    case sj::json_type::boolean:
      return "true or false";
    case sj::json_type::null:
      return "null";
  }
  return "broken JSON";
}

// The digits of a number, or the content of a text.
std::optional<std::string_view> scalarText(sj::value value) {
  sj::json_type type{};
  std::string_view text;
  if (value.type().get(type) != simdjson::SUCCESS) return std::nullopt;
  if (type == sj::json_type::string) {
    const auto plain = plainText(value.raw_json_token().data() + 1);
    if (plain) return plain;
    if (value.get(text) == simdjson::SUCCESS) return text;
  }
  if (type == sj::json_type::number) {
    text = value.raw_json_token();
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }
  return std::nullopt;
}

}  // namespace

bool JsonFields::textOf(JsonValue& value, std::string_view& text) {
  const std::string_view token = value.raw_json_token();
  if (!token.starts_with('"')) return false;
  const auto plain = plainText(token.data() + 1);
  if (!plain) return value.get(text) == simdjson::SUCCESS;
  text = *plain;
  return true;
}

bool JsonFields::keeps(std::string_view mapKey) const {
  return !options_.lean || mapKey != kLastApplied;
}

bool JsonFields::fail(const Step* at, std::string_view message) {
  std::string path;
  for (; at != nullptr; at = at->parent) {
    const std::string step = at->name.empty() ? fmt::format("[{}]", at->index) : std::string(at->name);
    path = path.empty() || path.front() == '[' ? step + path : step + "." + path;
  }
  error_ = path.empty() ? std::string(message) : fmt::format("{}: {}", path, message);
  return false;
}

bool JsonFields::wrongType(JsonValue value, std::string_view want, const Step* at) {
  return fail(at, fmt::format("want {}, got {}", want, typeOf(value)));
}

bool JsonFields::broken(simdjson::error_code code, const Step* at) {
  return fail(at, fmt::format("broken JSON: {}", simdjson::error_message(code)));
}

bool JsonFields::nested(JsonValue value, const char* inner, std::string& out, const Step* at) {
  std::map<std::string, std::string> level;
  if (!read(value, level, {}, at)) return false;
  if (const auto found = level.find(inner); found != level.end()) out = found->second;
  return true;
}

bool JsonFields::eitherForm(JsonValue value, const char* inner, ResourceList& out, const Step* at) {
  JsonObject object;
  bool null = false;
  if (const auto code = value.is_null().get(null)) return broken(code, at);
  if (null) return true;
  if (value.get(object) != simdjson::SUCCESS) return wrongType(value, "a map", at);
  for (auto member : object) {
    simdjson::ondemand::field field;
    std::string_view key;
    sj::json_type type{};
    if (const auto code = std::move(member).get(field)) return broken(code, at);
    if (const auto code = keyOf(field, key)) return broken(code, at);
    if (const auto code = field.value().type().get(type)) return broken(code, at);
    const Step step{.parent = at, .name = key};
    const bool deeper = key == inner && type == sj::json_type::object;
    if (deeper ? !readMap(field.value(), out, {}, &step)
               : !read(JsonValue(field.value()), out[std::string(key)], {}, &step)) {
      return false;
    }
  }
  return true;
}

bool JsonFields::readScalar(JsonValue value, std::string& out, const Step* at) {
  std::string_view text;
  if (!textOf(value, text)) return wrongType(value, "text", at);
  out = text;
  return true;
}

bool JsonFields::readScalar(JsonValue value, bool& out, const Step* at) {
  return value.get(out) == simdjson::SUCCESS || wrongType(value, "true or false", at);
}

bool JsonFields::readScalar(JsonValue value, double& out, const Step* at) {
  return value.get(out) == simdjson::SUCCESS || wrongType(value, "a number", at);
}

bool JsonFields::readScalar(JsonValue value, Time& out, const Step* at) {
  std::string_view text;
  if (!textOf(value, text)) return wrongType(value, "a time", at);
  const auto time = parseTime(text);
  if (!time) return fail(at, time.error().message);
  out = *time;
  return true;
}

bool JsonFields::readScalar(JsonValue value, Quantity& out, const Step* at) {
  const auto text = scalarText(value);
  if (!text) return wrongType(value, "a quantity", at);
  const auto quantity = Quantity::parse(*text);
  if (!quantity) return fail(at, quantity.error().message);
  if (quantity->isNegative()) return fail(at, fmt::format("want zero or more, got {}", *text));
  out = *quantity;
  return true;
}

bool JsonFields::readScalar(JsonValue value, api::IntOrPercent& out, const Step* at) {
  const auto whole = scalarText(value);
  std::string_view text = whole.value_or("");
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  std::int32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!whole || failure != std::errc{} || end != text.data() + text.size() || number < 0) {
    return fail(at,
                fmt::format("want a whole number or a percentage, got {}", whole.value_or(typeOf(value))));
  }
  out = {.value = number, .percent = percent};
  return true;
}

std::optional<std::int64_t> JsonFields::readInteger(JsonValue value, api::Range range, const Step* at) {
  std::int64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS) {
    wrongType(value, "an integer", at);
  } else if (number < range.low || number > range.high) {
    fail(at, fmt::format("want {} to {}, got {}", range.low, range.high, number));
  } else {
    return number;
  }
  return std::nullopt;
}

}  // namespace tidegate::kube
