// FNV-1a, 64 bits (Fowler, Noll, Vo): a number from a text, the same everywhere and always.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidegate {

inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325ULL;

// `hash`: of what stands before the text.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = kFnvStart) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace tidegate
