// report.html: one file that opens offline, light and dark, on a desk or on a phone.
#pragma once

#include <string>

#include "report/model.hpp"

namespace tidegate::report {

std::string renderPage(const Report& report);

}  // namespace tidegate::report
