#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/markup.hpp"

namespace tidegate::report {
namespace {

std::ptrdiff_t failures(const Bar& bar) {
  return std::ranges::count(bar.checks, false, &Check::holds);
}

void renderCheck(Markup& out, const Bar& bar, const Check& check) {
  out.open("testcase", {{"classname", "drill." + bar.id}, {"name", check.what}});
  if (!check.holds) {
    out.element("failure",
                {{"message", fmt::format("{} is {}, want {}", check.what, check.measured, check.limit)}},
                check.cause);
  }
  out.close().line();
}

}  // namespace

std::string renderJunit(const Report& report) {
  Markup out;
  out.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out.open("testsuites", {{"name", report.title}}).line();
  if (!report.runs.empty()) {
    for (const Bar& bar : report.runs.front().bars) {
      out.open("testsuite", {{"name", bar.title},
                             {"tests", std::to_string(bar.checks.size())},
                             {"failures", std::to_string(failures(bar))}});
      out.line();
      for (const Check& check : bar.checks) renderCheck(out, bar, check);
      out.close().line();
    }
  }
  out.close().line();
  return out.take();
}

}  // namespace tidegate::report
