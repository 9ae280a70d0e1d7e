#include "scheduler/conf_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/text.hpp"

namespace tidegate::scheduler {

std::string didYouMean(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view near = nearestName(word, names);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

std::optional<double> toNumber(const api::Value& value) {
  const api::Scalar* scalar = value.scalar();
  if (scalar == nullptr) return std::nullopt;
  double number = 0;
  const char* end = scalar->text.data() + scalar->text.size();
  const auto [stop, failure] = std::from_chars(scalar->text.data(), end, number);
  if (failure != std::errc{} || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<bool> toBool(const api::Value& value) {
  const api::Scalar* scalar = value.scalar();
  if (scalar == nullptr) return std::nullopt;
  std::string word = scalar->text;
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* yes : {"true", "yes", "on", "y"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"false", "no", "off", "n"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

std::optional<Duration> toDuration(const api::Value& value) {
  const api::Scalar* scalar = value.scalar();
  if (scalar == nullptr) return std::nullopt;
  const auto duration = parseDuration(scalar->text);
  if (!duration || *duration < Duration{0}) return std::nullopt;
  return *duration;
}

}  // namespace tidegate::scheduler
