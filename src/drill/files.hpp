// The files a drill reads and writes.
#pragma once

#include <string>

#include "core/error.hpp"

namespace tidegate::drill {

inline constexpr std::size_t kMostBytes = 32U << 20;

// The text of a file. Fails, naming it, if it cannot be read or is longer than kMostBytes.
Result<std::string> readFile(const std::string& path);

// Writes `directory`/`name`, making the directory where it is missing.
Result<Ok> writeFile(const std::string& directory, const std::string& name, const std::string& text);

}  // namespace tidegate::drill
