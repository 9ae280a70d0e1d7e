#include "core/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace tidegate {
namespace {

using std::chrono::days;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Takes exactly `width` digits from the front.
std::optional<int> takeDigits(std::string_view& text, std::size_t width) {
  if (text.size() < width) return std::nullopt;
  int value = 0;
  for (char c : text.substr(0, width)) {
    if (!isDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, std::string_view choices) {
  if (text.empty() || choices.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// "2026-06-18"
std::optional<std::chrono::sys_days> takeDate(std::string_view& text) {
  const auto year = takeDigits(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = takeDigits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = takeDigits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

// ".123456789": digits past the sixth are dropped.
std::optional<Duration> takeFraction(std::string_view& text) {
  if (!take(text, ".")) return Duration{0};
  if (text.empty() || !isDigit(text.front())) return std::nullopt;
  Duration::rep micros = 0;
  Duration::rep place = 100'000;
  for (; !text.empty() && isDigit(text.front()); text.remove_prefix(1), place /= 10) {
    micros += (text.front() - '0') * place;
  }
  return Duration{micros};
}

// "19:59:00.25"
std::optional<Duration> takeClock(std::string_view& text) {
  const auto hour = takeDigits(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = takeDigits(text, 2);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = takeDigits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const auto fraction = takeFraction(text);
  if (!fraction) return std::nullopt;
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + seconds{*second} + *fraction;
}

// "Z", "+08:00"
std::optional<Duration> takeOffset(std::string_view& text) {
  if (take(text, "Zz")) return Duration{0};
  const bool west = text.starts_with('-');
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = takeDigits(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = takeDigits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const Duration offset = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return west ? -offset : offset;
}

std::optional<Time> readTime(std::string_view text) {
  const auto date = takeDate(text);
  if (!date || !take(text, "Tt")) return std::nullopt;
  const auto clock = takeClock(text);
  if (!clock) return std::nullopt;
  const auto offset = takeOffset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return Time{*date} + *clock - *offset;
}

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::array kUnits = {
    Unit{"ns", 1},         Unit{"us", 1'000},        Unit{"\u00b5s", 1'000},    Unit{"\u03bcs", 1'000},
    Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"h", 3'600'000'000'000}};

// One "1.5h" from the front, in nanoseconds; nullopt if it is not one, or too large for Go's int64 of
// nanoseconds.
std::optional<std::int64_t> takeTerm(std::string_view& text) {
  __extension__ using Wide = __int128;
  Wide whole = 0;
  Wide fraction = 0;
  Wide scale = 1;
  bool anyDigit = false;
  for (; !text.empty() && isDigit(text.front()); text.remove_prefix(1), anyDigit = true) {
    whole = whole * 10 + (text.front() - '0');
    if (whole > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  }
  const bool dotted = take(text, ".");
  for (; dotted && !text.empty() && isDigit(text.front()); text.remove_prefix(1), anyDigit = true) {
    if (scale > 1'000'000'000'000'000) continue;  // digits below any unit
    fraction = fraction * 10 + (text.front() - '0');
    scale *= 10;
  }
  const std::size_t end = std::min(text.find_first_of("0123456789."), text.size());
  const auto* unit = std::find_if(kUnits.begin(), kUnits.end(),
                                  [&](const Unit& u) { return u.name == text.substr(0, end); });
  if (!anyDigit || unit == kUnits.end()) return std::nullopt;
  text.remove_prefix(end);
  const Wide nanos = whole * unit->nanos + fraction * unit->nanos / scale;
  if (nanos > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(nanos);
}

std::optional<Duration> readDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  take(text, "+-");
  if (text == "0") return Duration{0};
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    const auto term = takeTerm(text);
    if (!term || __builtin_add_overflow(total, *term, &total)) return std::nullopt;
  }
  const auto micros = std::chrono::duration_cast<Duration>(std::chrono::nanoseconds{total});
  return negative ? -micros : micros;
}

}  // namespace

Result<Time> parseTime(std::string_view text) {
  if (const auto time = readTime(text)) return *time;
  return fail(fmt::format("want a time such as 2026-06-18T19:59:00Z, got \"{}\"", text.substr(0, 64)));
}

std::string formatTime(Time t) {
  const auto day = std::chrono::floor<days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{t - day};
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() != 0) out += fmt::format(".{:06}", clock.subseconds().count());
  return out + "Z";
}

Result<Duration> parseDuration(std::string_view text) {
  if (const auto duration = readDuration(text)) return *duration;
  return fail(fmt::format("want a duration such as 30s, 5m or 1h30m, got \"{}\"", text.substr(0, 64)));
}

std::string formatDuration(Duration d) {
  if (d == Duration{0}) return "0s";
  std::string out;
  if (d < Duration{0}) {
    out = "-";
    d = -d;
  }
  const std::chrono::hh_mm_ss clock{d};
  const auto micros = clock.subseconds().count();
  if (d < seconds{1})
    return out + (micros % 1000 == 0 ? fmt::format("{}ms", micros / 1000) : fmt::format("{}us", micros));
  if (clock.hours().count() != 0) out += fmt::format("{}h", clock.hours().count());
  if (clock.minutes().count() != 0) out += fmt::format("{}m", clock.minutes().count());
  if (clock.seconds().count() == 0 && micros == 0) return out;
  std::string fraction = micros == 0 ? "" : fmt::format(".{:06}", micros);
  while (fraction.ends_with('0')) fraction.pop_back();
  return out + fmt::format("{}{}s", clock.seconds().count(), fraction);
}

}  // namespace tidegate
