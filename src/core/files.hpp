// Whole files as text, with a bound. The one place that reads what a user names.
//
// An error has the file in `where` and says what is wrong with it: "queues.yaml: cannot be opened: No such
// file or directory".
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "core/error.hpp"

namespace tidegate {

inline constexpr std::size_t kMostFileBytes = 32U << 20;

// Fails if the file is missing, a directory (a pipe is fine), unreadable or longer than kMostFileBytes.
Result<std::string> readFile(const std::string& path);

// The same for a stream that errors call `name`.
Result<std::string> readStream(std::istream& in, const std::string& name);

}  // namespace tidegate
