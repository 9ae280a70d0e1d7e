#include "report/page.hpp"

#include <fmt/format.h>

#include "report/parts.hpp"

namespace tidegate::report {
namespace {

// A gate half down in the water.
constexpr const char* kMark =
    R"(<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M5 4v24M27 4v24" class="post"/>)"
    R"(<path d="M9 5h14v11H9z" class="gate"/><path d="M3 22c3-3 5-3 8 0s5 3 8 0 5-3 10 0" class="tide"/>)"
    R"(<path d="M3 27c3-3 5-3 8 0s5 3 8 0 5-3 10 0" class="tide"/></svg>)";

void renderHead(Markup& out, const Report& report) {
  out.raw("<!doctype html>\n");
  out.open("html", {{"lang", "en"}}).open("head").line();
  out.raw(R"(<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">)");
  out.raw(R"(<meta name="color-scheme" content="light dark">)").line();
  out.element("title", {},
              fmt::format("{}: {}", report.title, report.holds() ? "all bars hold" : "a bar fails"));
  out.open("style").raw(kStyle).close().close().line();
}

void renderHeader(Markup& out, const Report& report) {
  out.open("header");
  out.open("div", {{"class", "brand"}}).raw(kMark).element("span", {}, "tidegate").close();
  out.open("div", {{"class", "headline"}});
  out.element("h1", {}, report.title);
  out.element("p", {{"class", report.holds() ? "verdict pass" : "verdict fail"}},
              report.holds() ? "All bars hold" : "A bar fails");
  out.close();
  out.element("p", {{"class", "lede"}}, report.scenario);
  out.close().line();
}

void renderNotes(Markup& out, const PolicyRun& run) {
  if (run.notes.empty()) return;
  out.open("ul", {{"class", "notes"}});
  for (const std::string& note : run.notes) out.element("li", {}, note);
  out.close().line();
}

void renderFooter(Markup& out, const Report& report) {
  out.open("footer");
  out.element("h2", {}, "Inputs").open("dl");
  for (const auto& [name, value] : report.inputs) {
    out.open("div").element("dt", {}, name).element("dd", {}, value).close();
  }
  out.close();
  out.open("p").text("Times are virtual and counted from the moment the burst is asked for. ");
  out.text("The same inputs and seed give this page again, to the byte:").close();
  out.open("pre").element("code", {}, report.command).close();
  out.close().line();
}

}  // namespace

std::string renderPage(const Report& report) {
  Markup out;
  renderHead(out, report);
  out.open("body").open("main");
  renderHeader(out, report);
  if (!report.runs.empty()) {
    const PolicyRun& run = report.runs.front();
    renderBars(out, run);
    renderNotes(out, run);
    renderPhases(out, run);
    renderGantt(out, report, run);
    renderTiles(out, report, run);
    renderUsage(out, report, run);
    renderJobs(out, run);
    renderComparison(out, report);
  }
  renderFooter(out, report);
  out.close().close().close().line();
  return out.take();
}

}  // namespace tidegate::report
