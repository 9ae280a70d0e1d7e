// The files a drill writes.
#pragma once

#include <string>

#include "core/error.hpp"

namespace tidegate::drill {

// Writes `directory`/`name`, making the directory where it is missing.
Result<Ok> writeFile(const std::string& directory, const std::string& name, const std::string& text);

}  // namespace tidegate::drill
