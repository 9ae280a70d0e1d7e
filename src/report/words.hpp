// How figures read in every rendering: the same number looks the same on the terminal and on the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time.hpp"

namespace tidegate::report {

// "6.41 s", "2 min 05 s", "1 h 12 min", with a minus sign before T0; "never" where there is none.
std::string durationText(const std::optional<Duration>& d);
// A limit as people say it: "15 s" without a fraction where there is none.
std::string limitText(Duration d);
// "1 GPU", "64 GPUs"
std::string countText(std::int64_t n, const std::string& singular);
// GPU-seconds as "45 GPU s", "12.4 GPU min" or "3.2 GPU h".
std::string workText(std::int64_t gpuSeconds);

}  // namespace tidegate::report
