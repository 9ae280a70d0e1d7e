#include "core/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace tidegate {

std::string Error::text() const {
  std::string out = where.file;
  if (where.line > 0) out += fmt::format("{}{}", out.empty() ? "line " : ":", where.line);
  if (where.line > 0 && where.column > 0) out += fmt::format(":{}", where.column);
  for (const std::string* part : {&field, &message}) {
    if (part->empty()) continue;
    if (!out.empty()) out += ": ";
    out += *part;
  }
  return out;
}

void checkFailed(const char* file, int line, const char* expression, const std::string& message) {
  fmt::print(stderr, "{}:{}: invariant broken: {} ({})\n", file, line, message, expression);
  std::fflush(stderr);
  std::abort();
}

}  // namespace tidegate
