// Kubernetes quantities, exactly: a decimal or binary suffixed number without rounding on the way in.
// Grammar and suffixes as k8s.io/apimachinery/pkg/api/resource documents them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace tidegate {

__extension__ typedef __int128 Int128;

// A number with nine exact decimal places (the smallest suffix is n = 1e-9). Finer input is rounded away from
// zero, as Kubernetes does. Magnitudes over about 1.7e29, and numbers of more than 38 significant digits, are
// a parse error.
class Quantity {
 public:
  Quantity() = default;
  static Quantity ofInteger(std::int64_t value);
  static Quantity ofMilli(std::int64_t milli);
  static Quantity ofBytes(std::int64_t bytes);  // prints with a binary suffix where one divides it
  static Result<Quantity> parse(std::string_view text);

  // Value rounded away from zero to whole units / to thousandths, clamped to the range of int64.
  std::int64_t value() const;
  std::int64_t milliValue() const;
  bool isNegative() const { return nano_ < 0; }

  // Plain decimal form: "1500m", "8"; "1Ti" keeps a binary suffix when it was parsed with one. parse(text())
  // == *this.
  std::string text() const;
  // For people: as text(), but thousandths as decimals: "114.286", "0.25". Nothing is rounded: texts compare
  // what they tell.
  std::string numberText() const;

  bool operator==(const Quantity& other) const { return nano_ == other.nano_; }
  std::strong_ordering operator<=>(const Quantity& other) const { return nano_ <=> other.nano_; }

 private:
  Int128 nano_ = 0;
  bool binary_ = false;  // written with Ki, Mi, ...: kept for output only
};

}  // namespace tidegate
