// The files a drill writes.
#pragma once

#include <string>

#include "core/error.hpp"

namespace tidegate::drill {

// Makes the directory where it is missing; an error if files cannot be written there. Empty: none is wanted.
Result<Ok> wantDirectory(const std::string& directory);

// Writes `directory`/`name`, making the directory where it is missing.
Result<Ok> writeFile(const std::string& directory, const std::string& name, const std::string& text);

}  // namespace tidegate::drill
