// Small text helpers used where users read what we write.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate {

// The candidate with the smallest edit distance to `word` (ignoring case), or "" if none is close.
std::string_view nearestName(std::string_view word, std::span<const std::string_view> candidates);

std::vector<std::string_view> splitText(std::string_view text, char separator);
std::string_view trimText(std::string_view text);

// "a, b, c", and where there are more than `most`: "a, b and 3 more", in which "3 more" is counted as one.
// Never "and 1 more", which says less than the name would.
std::string listText(const std::vector<std::string>& items, std::size_t most);

// RFC 1123 label: lower case letters, digits and '-', not at either end, 1 to 63.
bool isDnsLabel(std::string_view text);

// Where the first byte stands that belongs to no UTF-8 character; nullopt if all do.
std::optional<std::size_t> findInvalidUtf8(std::string_view text);
// Adds one code point (not a surrogate, at most 0x10FFFF).
void appendUtf8(std::string& out, std::uint32_t codePoint);

}  // namespace tidegate
