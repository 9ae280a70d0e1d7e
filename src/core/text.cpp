#include "core/text.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tidegate {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Edit distance in which swapping two neighbouring letters counts once (optimal string alignment).
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> beforePrevious(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], beforePrevious[j - 2] + 1);
    }
    std::swap(beforePrevious, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

// How many slips still count as the same word; short words would otherwise match anything.
std::size_t tolerance(std::size_t length) {
  if (length <= 2) return 0;
  if (length <= 4) return 1;
  return length <= 8 ? 2 : 3;
}

// Bytes of the UTF-8 character at the front; 0 if there is none (overlong forms and surrogates are none).
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool beyond = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::string_view nearestName(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 128;  // keeps the quadratic distance cheap on hostile input
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t bestDistance = tolerance(word.size()) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > word.size() + bestDistance || word.size() > candidate.size() + bestDistance)
      continue;
    const std::size_t distance = editDistance(word, candidate);
    if (distance >= bestDistance) continue;
    bestDistance = distance;
    best = candidate;
  }
  return best;
}

std::vector<std::string_view> splitText(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trimText(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string listText(const std::vector<std::string>& items, std::size_t most) {
  const std::size_t named = items.size() <= most ? items.size() : std::max<std::size_t>(most, 2) - 1;
  std::string out;
  for (std::size_t i = 0; i < named; ++i) out += (i == 0 ? "" : ", ") + items[i];
  if (named < items.size()) out += " and " + std::to_string(items.size() - named) + " more";
  return out;
}

std::optional<std::size_t> findInvalidUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

void appendUtf8(std::string& out, std::uint32_t codePoint) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | ((codePoint >> shift) & 0x3F)));
  };
  if (codePoint < 0x80) {
    out.push_back(static_cast<char>(codePoint));
  } else if (codePoint < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (codePoint >> 6)));
    tail(0);
  } else if (codePoint < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (codePoint >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | (codePoint >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool isDnsLabel(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kLongest && alphanumeric(text.front()) &&
         alphanumeric(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return alphanumeric(c) || c == '-'; });
}

}  // namespace tidegate
