#include "world/kube/curl_clock.hpp"

#include <chrono>

namespace tidegate::kube {

Time CurlClock::read() {
  using std::chrono::duration_cast;
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto counted = std::chrono::steady_clock::now().time_since_epoch();
  return advance(Time{duration_cast<Duration>(wall)}, duration_cast<Duration>(counted));
}

}  // namespace tidegate::kube
