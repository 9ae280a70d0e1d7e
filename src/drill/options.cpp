#include "drill/options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tidegate::drill {
namespace {

std::optional<int> wholeNumber(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = error == std::errc{} && end == text.data() + text.size();
  return complete && value >= low && value <= high ? std::optional{value} : std::nullopt;
}

}  // namespace

std::string Shape::text() const {
  return fmt::format("{}x{}", pods, gpusPerPod);
}

Result<Shape> parseShape(std::string_view text) {
  const auto cross = text.find('x');
  if (cross != std::string_view::npos) {
    const auto pods = wholeNumber(text.substr(0, cross), 1, 1024);
    const auto gpus = wholeNumber(text.substr(cross + 1), 1, 64);
    if (pods && gpus) return Shape{.pods = *pods, .gpusPerPod = *gpus};
  }
  return fail(fmt::format("want PODSxGPUS such as 8x8, 16x4 or 64x1, got \"{}\"", text));
}

}  // namespace tidegate::drill
