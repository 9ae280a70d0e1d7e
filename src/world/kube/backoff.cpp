#include "world/kube/backoff.hpp"

#include <charconv>

namespace tidegate::kube {

Duration retryAfter(const HttpResponse& response, Duration most) {
  const auto header = response.headers.find("retry-after");
  if (header == response.headers.end()) return {};
  const std::string& text = header->second;
  std::int64_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc{} || end != text.data() + text.size() || count <= 0) return {};
  return std::min<Duration>(seconds(std::min<std::int64_t>(count, 86400)), most);
}

}  // namespace tidegate::kube
