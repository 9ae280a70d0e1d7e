// Quantities, times and durations: what is read prints as something that reads as the same.
#include <cstdint>
#include <string_view>

#include "core/error.hpp"
#include "core/quantity.hpp"
#include "core/time.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto quantity = Quantity::parse(text)) {
    const auto again = Quantity::parse(quantity->text());
    TIDEGATE_CHECK(again && *again == *quantity, "quantity " + quantity->text());
    TIDEGATE_CHECK(quantity->isNegative() == (quantity->value() < 0), "sign of " + quantity->text());
  }
  if (const auto time = parseTime(text)) {
    // Years beyond 9999 and before 0, which an offset can reach, are no RFC 3339.
    const auto again = parseTime(formatTime(*time));
    TIDEGATE_CHECK(!again || *again == *time, "time " + formatTime(*time));
  }
  if (const auto duration = parseDuration(text)) {
    const auto again = parseDuration(formatDuration(*duration));
    TIDEGATE_CHECK(again && *again == *duration, "duration " + formatDuration(*duration));
  }
  return 0;
}
