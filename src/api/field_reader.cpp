#include "api/field_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/text.hpp"

namespace tidegate::api {
namespace {

std::optional<std::int64_t> toInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Said of text in quotes that would be right without them.
const char* quotesHint(const Scalar& scalar) {
  return scalar.quoted ? ": write it without quotes" : "";
}

}  // namespace

FieldReader::Step::Step(FieldReader& reader, std::string_view name)
    : reader_(reader), length_(reader.path_.size()) {
  if (length_ > 0) reader_.path_ += '.';
  reader_.path_ += name;
}

FieldReader::Step::Step(FieldReader& reader, std::size_t index)
    : reader_(reader), length_(reader.path_.size()) {
  fmt::format_to(std::back_inserter(reader_.path_), "[{}]", index);
}

void FieldReader::reportUnknown(const UnknownField& unknown) {
  const std::string_view near = nearestName(unknown.member.key, unknown.names);
  std::string message = "unknown field";
  if (!near.empty()) {
    message += fmt::format("; did you mean {}?", near);
  } else if (unknown.strictHint != nullptr && *unknown.strictHint != '\0') {
    message += fmt::format("; {}", unknown.strictHint);
  }
  const Step step(*this, unknown.member.key);
  if (unknown.strictHint != nullptr) {
    findings_.error(unknown.member.at, path_, std::move(message));
  } else {
    findings_.warn(unknown.member.at, path_, std::move(message));
  }
}

void FieldReader::readScalar(const Value& value, std::string& out) {
  if (const Scalar* scalar = value.scalar()) {
    out = scalar->text;
  } else {
    error(value, "want text, got " + value.describe());
  }
}

void FieldReader::readScalar(const Value& value, bool& out) {
  const Scalar* scalar = value.scalar();
  const bool known = scalar != nullptr && (scalar->text == "true" || scalar->text == "false");
  if (known && !scalar->quoted) {
    out = scalar->text == "true";
    return;
  }
  error(value,
        fmt::format("want true or false, got {}{}", value.describe(), known ? quotesHint(*scalar) : ""));
}

void FieldReader::readScalar(const Value& value, double& out) {
  const Scalar* scalar = value.scalar();
  double number = 0;
  if (scalar != nullptr && !scalar->quoted) {
    const char* end = scalar->text.data() + scalar->text.size();
    const auto [stop, failure] = std::from_chars(scalar->text.data(), end, number);
    if (failure == std::errc{} && stop == end && std::isfinite(number)) {
      out = number;
      return;
    }
  }
  error(value, "want a number, got " + value.describe());
}

void FieldReader::readScalar(const Value& value, Time& out) {
  const Scalar* scalar = value.scalar();
  if (scalar == nullptr) {
    error(value, "want a time, got " + value.describe());
  } else if (const auto time = parseTime(scalar->text)) {
    out = *time;
  } else {
    error(value, time.error().message);
  }
}

void FieldReader::readScalar(const Value& value, Quantity& out) {
  const Scalar* scalar = value.scalar();
  if (scalar == nullptr) {
    const bool tooDeep = value.members() != nullptr && path_.ends_with(".resource");
    error(value,
          fmt::format("want a quantity, got {}{}", value.describe(),
                      tooDeep ? "; the list stands directly in the field above, without `resource:`" : ""));
    return;
  }
  const auto quantity = Quantity::parse(scalar->text);
  if (!quantity) {
    error(value, quantity.error().message);
  } else if (quantity->isNegative()) {
    error(value, fmt::format("want zero or more, got {}", value.describe()));
  } else {
    out = *quantity;
  }
}

void FieldReader::readScalar(const Value& value, IntOrPercent& out) {
  const Scalar* scalar = value.scalar();
  std::string_view text = scalar == nullptr ? std::string_view{} : std::string_view{scalar->text};
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = toInteger(text);
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
    error(value, fmt::format("want a whole number or a percentage such as 30%, got {}", value.describe()));
    return;
  }
  out = {.value = static_cast<std::int32_t>(*number), .percent = percent};
}

std::optional<std::int64_t> FieldReader::readInteger(const Value& value, Range range) {
  const Scalar* scalar = value.scalar();
  const auto number = scalar == nullptr ? std::nullopt : toInteger(scalar->text);
  if (!number || scalar->quoted) {
    error(value,
          fmt::format("want an integer, got {}{}", value.describe(), number ? quotesHint(*scalar) : ""));
    return std::nullopt;
  }
  if (*number < range.low) {
    error(value, fmt::format("want at least {}, got {}", range.low, *number));
    return std::nullopt;
  }
  if (*number > range.high) {
    error(value, fmt::format("want at most {}, got {}", range.high, *number));
    return std::nullopt;
  }
  return number;
}

}  // namespace tidegate::api
