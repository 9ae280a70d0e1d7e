#include "core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace tidegate {
namespace {

constexpr Int128 kNano = 1'000'000'000;
constexpr int kNanoDigits = 9;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// The parts of "-12.5Ki" or "12e3". The value is digits * 10^exponent * 2^binaryShift.
struct Parts {
  bool negative = false;
  Int128 digits = 0;
  int exponent = 0;
  int binaryShift = 0;
};

struct Suffix {
  std::string_view text;
  int exponent;
  int binaryShift;
};
constexpr std::array kSuffixes = {
    Suffix{"", 0, 0},    Suffix{"n", -9, 0},  Suffix{"u", -6, 0},  Suffix{"m", -3, 0},
    Suffix{"k", 3, 0},   Suffix{"M", 6, 0},   Suffix{"G", 9, 0},   Suffix{"T", 12, 0},
    Suffix{"P", 15, 0},  Suffix{"E", 18, 0},  Suffix{"Ki", 0, 10}, Suffix{"Mi", 0, 20},
    Suffix{"Gi", 0, 30}, Suffix{"Ti", 0, 40}, Suffix{"Pi", 0, 50}, Suffix{"Ei", 0, 60},
};

enum class Fault { Malformed, TooLarge };

bool multiply(Int128& value, Int128 factor) {
  return !__builtin_mul_overflow(value, factor, &value);
}

// Reads "12.50" from the front of `text`. Zeros that end the fraction carry nothing and are left out, so that
// they cannot overflow.
std::optional<Fault> readNumber(std::string_view& text, Parts& parts) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  const std::size_t dot = number.find('.');
  if (std::count(number.begin(), number.end(), '.') > 1 ||
      std::none_of(number.begin(), number.end(), isDigit)) {
    return Fault::Malformed;
  }
  if (dot != std::string_view::npos) {
    while (number.back() == '0') number.remove_suffix(1);
    parts.exponent -= static_cast<int>(number.size() - dot - 1);
  }
  for (char c : number) {
    if (c == '.') continue;
    if (!multiply(parts.digits, 10)) return Fault::TooLarge;
    if (__builtin_add_overflow(parts.digits, static_cast<Int128>(c - '0'), &parts.digits))
      return Fault::TooLarge;
  }
  return std::nullopt;
}

// "e3", "E-6": an exponent. A lone "E" is the suffix exa.
std::optional<Fault> readExponent(std::string_view text, Parts& parts) {
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), isDigit)) return Fault::Malformed;
  constexpr int kBeyondAnyRange = 100'000;
  int exponent = 0;
  for (char c : text) exponent = std::min(exponent * 10 + (c - '0'), kBeyondAnyRange);
  parts.exponent += negative ? -exponent : exponent;
  return std::nullopt;
}

std::optional<Fault> readSuffix(std::string_view text, Parts& parts) {
  if (text.size() > 1 && (text[0] == 'e' || text[0] == 'E') && text != "Ei") return readExponent(text, parts);
  const auto* suffix =
      std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const Suffix& s) { return s.text == text; });
  if (suffix == kSuffixes.end()) return Fault::Malformed;
  parts.exponent += suffix->exponent;
  parts.binaryShift = suffix->binaryShift;
  return std::nullopt;
}

Int128 divideAwayFromZero(Int128 value, Int128 divisor) {
  const Int128 quotient = value / divisor;
  if (value % divisor == 0) return quotient;
  return value < 0 ? quotient - 1 : quotient + 1;
}

// The value in billionths; nullopt if it does not fit.
std::optional<Int128> toNano(const Parts& parts) {
  Int128 value = parts.negative ? -parts.digits : parts.digits;
  if (value == 0) return 0;
  if (!multiply(value, Int128{1} << parts.binaryShift)) return std::nullopt;
  int shift = parts.exponent + kNanoDigits;
  for (; shift > 0; --shift) {
    if (!multiply(value, 10)) return std::nullopt;
  }
  constexpr int kMostDigits =
      38;  // 10^39 does not fit Int128: anything that fits, divided by it, rounds to 1
  Int128 divisor = 1;
  if (shift < -kMostDigits) return value < 0 ? -1 : 1;
  for (; shift < 0; ++shift) divisor *= 10;
  return divideAwayFromZero(value, divisor);
}

std::int64_t clampToInt64(Int128 value) {
  constexpr Int128 kLow = std::numeric_limits<std::int64_t>::min();
  constexpr Int128 kHigh = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, kLow, kHigh));
}

Error explain(Fault fault, std::string_view text) {
  constexpr std::size_t kShown = 40;
  const std::string shown =
      text.size() > kShown ? std::string(text.substr(0, kShown)) + "..." : std::string(text);
  if (fault == Fault::TooLarge) {
    return Error{.message = fmt::format("quantity \"{}\" is too large or has too many digits", shown)};
  }
  return Error{.message = fmt::format("want a quantity such as 8, 500m or 64Gi, got \"{}\"", shown)};
}

}  // namespace

Quantity Quantity::ofInteger(std::int64_t value) {
  Quantity q;
  q.nano_ = value * kNano;
  return q;
}

Quantity Quantity::ofMilli(std::int64_t milli) {
  Quantity q;
  q.nano_ = milli * (kNano / 1000);
  return q;
}

Quantity Quantity::ofBytes(std::int64_t bytes) {
  Quantity q = ofInteger(bytes);
  q.binary_ = true;
  return q;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  std::string_view rest = text;
  Parts parts;
  parts.negative = rest.starts_with('-');
  if (parts.negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (auto fault = readNumber(rest, parts)) return fail(explain(*fault, text));
  if (auto fault = readSuffix(rest, parts)) return fail(explain(*fault, text));
  const std::optional<Int128> nano = toNano(parts);
  if (!nano) return fail(explain(Fault::TooLarge, text));
  Quantity q;
  q.nano_ = *nano;
  q.binary_ = parts.binaryShift > 0;
  return q;
}

std::int64_t Quantity::value() const {
  return clampToInt64(divideAwayFromZero(nano_, kNano));
}

std::int64_t Quantity::milliValue() const {
  return clampToInt64(divideAwayFromZero(nano_, kNano / 1000));
}

std::string Quantity::text() const {
  if (nano_ % kNano != 0) {
    if (nano_ % 1'000'000 == 0) return fmt::format("{}m", nano_ / 1'000'000);
    if (nano_ % 1'000 == 0) return fmt::format("{}u", nano_ / 1'000);
    return fmt::format("{}n", nano_);
  }
  Int128 whole = nano_ / kNano;
  static constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t power = 0;
  while (binary_ && whole != 0 && whole % 1024 == 0 && power + 1 < kBinary.size()) {
    whole /= 1024;
    ++power;
  }
  return fmt::format("{}{}", whole, kBinary[power]);
}

std::string Quantity::numberText() const {
  constexpr Int128 kMilli = kNano / 1000;
  const Int128 size = nano_ < 0 ? -nano_ : nano_;
  if (size % kNano == 0 || size % kMilli != 0) return text();
  const Int128 thousandths = size / kMilli;
  std::string out = fmt::format("{}{}.{:03}", nano_ < 0 ? "-" : "", thousandths / 1000,
                                static_cast<int>(thousandths % 1000));
  out.erase(out.find_last_not_of('0') + 1);
  return out;
}

}  // namespace tidegate
