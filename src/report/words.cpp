#include "report/words.hpp"

#include <fmt/format.h>

namespace tidegate::report {

std::string durationText(const std::optional<Duration>& d) {
  if (!d) return "never";
  const std::string sign = *d < Duration{} ? "-" : "";
  const Duration size = std::chrono::abs(*d);
  if (size < seconds(100)) return fmt::format("{}{:.2f} s", sign, toSeconds(size));
  const auto total = std::chrono::round<seconds>(size).count();
  if (total < 3600) return fmt::format("{}{} min {:02} s", sign, total / 60, total % 60);
  const auto minutes = total / 60;
  return fmt::format("{}{} h {:02} min", sign, minutes / 60, minutes % 60);
}

std::string limitText(Duration d) {
  if (d < seconds(100) && d % seconds(1) == Duration{}) return fmt::format("{} s", d / seconds(1));
  return durationText(d);
}

std::string countText(std::int64_t n, const std::string& singular) {
  return fmt::format("{} {}{}", n, singular, n == 1 ? "" : "s");
}

std::string workText(std::int64_t gpuSeconds) {
  const auto amount = static_cast<double>(gpuSeconds);
  if (gpuSeconds < 120) return fmt::format("{} GPU s", gpuSeconds);
  if (gpuSeconds < 2 * 3600) return fmt::format("{:.1f} GPU min", amount / 60);
  return fmt::format("{:.1f} GPU h", amount / 3600);
}

}  // namespace tidegate::report
