#include "lines.hpp"

#include <charconv>

#include "core/text.hpp"

namespace tidegate::scenario {
namespace {

constexpr std::int32_t kMostNames = 10000;

std::string fullName(std::string_view name) {
  if (name == "mem") return "memory";
  return std::string(name);
}

// "n[1-3]" without repeats or commas.
Result<std::vector<std::string>> expandRange(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::vector<std::string>{std::string(text)};
  const std::size_t dash = text.find('-', open);
  const std::size_t close = text.find(']', open);
  if (dash == std::string_view::npos || close == std::string_view::npos || dash > close)
    return fail("want a range like n[1-4], got \"" + std::string(text) + "\"");
  TIDEGATE_TRY(const std::int32_t first, parseCount(text.substr(open + 1, dash - open - 1)));
  TIDEGATE_TRY(const std::int32_t last, parseCount(text.substr(dash + 1, close - dash - 1)));
  if (last < first || last - first >= kMostNames) return fail("bad range \"" + std::string(text) + "\"");
  std::vector<std::string> names;
  for (std::int32_t i = first; i <= last; ++i)
    names.push_back(std::string(text.substr(0, open)) + std::to_string(i) +
                    std::string(text.substr(close + 1)));
  return names;
}

}  // namespace

const std::string& Line::option(const std::string& name) const {
  static const std::string kEmpty;
  const auto found = options.find(name);
  return found == options.end() ? kEmpty : found->second;
}

Line splitLine(std::string_view text, int number) {
  Line line{.number = number, .word = ""};
  for (std::string_view token : splitText(text, ' ')) {
    token = trimText(token);
    if (token.empty()) continue;
    const std::size_t equals = token.find('=');
    if (line.word.empty()) {
      line.word = token;
    } else if (equals != std::string_view::npos) {
      line.options[std::string(token.substr(0, equals))] = std::string(token.substr(equals + 1));
    } else {
      line.args.emplace_back(token);
    }
  }
  return line;
}

Result<std::vector<std::string>> expandNames(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view part : splitText(text, ',')) {
    std::int32_t repeats = 1;
    if (const std::size_t star = part.find('*'); star != std::string_view::npos) {
      TIDEGATE_TRY(repeats, parseCount(part.substr(star + 1)));
      part = part.substr(0, star);
    }
    TIDEGATE_TRY(const std::vector<std::string> range, expandRange(part));
    for (const std::string& name : range) names.insert(names.end(), static_cast<std::size_t>(repeats), name);
    if (names.size() > static_cast<std::size_t>(kMostNames)) return fail("too many names");
  }
  return names;
}

Result<ResourceList> parseAmounts(std::string_view text) {
  ResourceList amounts;
  for (const std::string_view part : splitText(text, ',')) {
    const std::size_t colon = part.find(':');
    const bool named = colon != std::string_view::npos;
    if (!named && !amounts.empty())
      return fail("only the first amount may stand without a name: " + std::string(part));
    TIDEGATE_TRY(amounts[named ? fullName(part.substr(0, colon)) : "nvidia.com/gpu"],
                 Quantity::parse(named ? part.substr(colon + 1) : part));
  }
  return amounts;
}

Result<std::int32_t> parseCount(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    return fail("want a count, got \"" + std::string(text) + "\"");
  return value;
}

}  // namespace tidegate::scenario
