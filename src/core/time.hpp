// Time is passed in, never read: no function of the core looks at a clock.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace tidegate {

using Duration = std::chrono::microseconds;
using Time = std::chrono::sys_time<Duration>;  // UTC

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline double toSeconds(Duration d) {
  return static_cast<double>(d.count()) / 1e6;
}
inline Duration fromSeconds(double s) {
  return Duration{static_cast<Duration::rep>(s * 1e6)};
}

// RFC 3339 as Kubernetes writes it ("2026-06-18T19:59:00Z", fractions and offsets are read too).
Result<Time> parseTime(std::string_view text);
// Whole seconds print without a fraction, others with six digits (metav1.MicroTime).
std::string formatTime(Time t);

// "30s", "5m", "1h30m", "250ms": Go's time.ParseDuration, as Kubernetes configuration uses it.
Result<Duration> parseDuration(std::string_view text);
std::string formatDuration(Duration d);

}  // namespace tidegate
