// The report on a terminal: the bars as a table, the breakdown as one line.
#pragma once

#include <string>

#include "report/model.hpp"

namespace tidegate::report {

enum class Colour { None, Ansi };

std::string renderText(const Report& report, Colour colour);

}  // namespace tidegate::report
