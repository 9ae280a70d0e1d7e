#include "cli/option_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/text.hpp"

namespace tidegate::cli {
namespace {

constexpr std::size_t kLongestName = 253;

// Labels with dots between them.
bool isSubdomain(std::string_view text) {
  if (text.size() > kLongestName) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!isDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string checkGiven(const std::string& text) {
  return text.empty() ? "is empty; leave the flag out for its default" : "";
}

std::string checkWord(const std::string& text) {
  if (text.empty()) return checkGiven(text);
  if (text.size() > kLongestName) return fmt::format("want at most {} bytes", kLongestName);
  const bool plain = std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
  return plain ? "" : fmt::format("want a name without blanks, got \"{}\"", text);
}

std::string checkObjectName(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return fmt::format("want NAMESPACE/NAME, got \"{}\"", text);
  if (isDnsLabel(text.substr(0, slash)) && isSubdomain(text.substr(slash + 1))) return "";
  return fmt::format("want NAMESPACE/NAME of lower case letters, digits and - (in NAME also .), got \"{}\"",
                     text);
}

std::string checkLabel(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool good = equals != std::string::npos && equals > 0 && checkWord(text).empty();
  return good ? "" : fmt::format("want KEY=VALUE, got \"{}\"", text);
}

Result<Duration> parseDurationIn(const std::string& text, DurationRange range) {
  TIDEGATE_TRY(const Duration duration, parseDuration(text));
  if (duration >= range.least && duration <= range.most) return duration;
  return fail(fmt::format("want {} to {}, got \"{}\"", formatDuration(range.least),
                          formatDuration(range.most), text));
}

Result<std::uint64_t> parseSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, seed);
  if (failure == std::errc{} && stopped == end) return seed;
  return fail(fmt::format("want a whole number from 0 to {}, got \"{}\"", UINT64_MAX, text));
}

}  // namespace tidegate::cli
