// What the value of a flag must be like. Each returns what is wrong with it, or "": the form that CLI11 takes
// checks in, which puts the flag's name before it.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "core/time.hpp"

namespace tidegate::cli {

// Of a flag whose default is had by leaving it out.
std::string checkGiven(const std::string& text);
// A name without blanks and control characters, of at most 253 bytes.
std::string checkWord(const std::string& text);
// "namespace/name" as Kubernetes names objects: an RFC 1123 label and subdomain.
std::string checkObjectName(const std::string& text);
// "key=value", as labels are.
std::string checkLabel(const std::string& text);

// At least / at most so long, ends included.
struct DurationRange {
  Duration least{};
  Duration most = std::chrono::hours(24);
};
Result<Duration> parseDurationIn(const std::string& text, DurationRange range);

// A whole number of 64 bits, in decimal digits only.
Result<std::uint64_t> parseSeed(const std::string& text);

}  // namespace tidegate::cli
