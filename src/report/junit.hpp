// junit.xml: each check of each bar as a test case, for CI systems that show such files.
#pragma once

#include <string>

#include "report/model.hpp"

namespace tidegate::report {

std::string renderJunit(const Report& report);

}  // namespace tidegate::report
