// report.json: every figure of the report for programs. The fields are documented in docs/drill.md.
#pragma once

#include <string>

#include "report/model.hpp"

namespace tidegate::report {

std::string renderJson(const Report& report);

}  // namespace tidegate::report
