// Reading whole files, with a bound.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "core/error.hpp"

namespace tidegate::cli {

inline constexpr std::size_t kMostBytes = 32U << 20;

// The text of a file. Fails, naming the file, if it is missing, no regular file (a pipe is fine), or longer
// than kMostBytes.
Result<std::string> readFile(const std::string& path);

// The same for a stream that errors call `name`.
Result<std::string> readStream(std::istream& in, const std::string& name);

}  // namespace tidegate::cli
