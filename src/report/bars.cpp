#include <algorithm>

#include "report/parts.hpp"
#include "report/words.hpp"

namespace tidegate::report {
namespace {

void renderGauge(Markup& out, const Check& check) {
  const double filled = std::clamp(*check.share, 0.0, 1.0) * 100;
  out.open("svg", {{"class", "gauge"}, {"aria-hidden", "true"}});
  out.leaf("rect", {{"class", "groove"}, {"width", "100%"}, {"height", "4"}, {"rx", "2"}});
  out.leaf("rect", {{"class", check.holds ? "level" : "level over"},
                    {"width", percent(filled)},
                    {"height", "4"},
                    {"rx", "2"}});
  out.close();
}

void renderCheck(Markup& out, const Check& check) {
  out.open("li", {{"class", check.holds ? "check" : "check failed"}});
  out.open("div", {{"class", "row"}});
  out.element("span", {{"class", "what"}}, check.what);
  out.element("span", {{"class", "limit"}}, check.limit);
  out.element("strong", {}, check.measured);
  out.close();
  if (check.share) renderGauge(out, check);
  if (!check.holds) out.element("p", {{"class", "cause"}}, check.cause);
  out.close();
}

std::string phaseClass(std::size_t index) {
  return "p" + std::to_string(index);
}

}  // namespace

void renderLegend(Markup& out, std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  out.open("ul", {{"class", "legend"}});
  for (const auto& [fill, meaning] : entries) {
    out.open("li").open("svg", {{"class", "swatch"}, {"aria-hidden", "true"}});
    out.leaf("rect", {{"class", fill}, {"width", "12"}, {"height", "12"}, {"rx", "2"}});
    out.close().text(meaning).close();
  }
  out.close().line();
}

void renderBars(Markup& out, const PolicyRun& run) {
  out.open("section", {{"class", "bars"}, {"aria-label", "Acceptance bars"}});
  for (const Bar& bar : run.bars) {
    out.open("article", {{"class", bar.holds() ? "card" : "card failed"}});
    out.open("h2").text(bar.title);
    out.element("span", {{"class", bar.holds() ? "chip pass" : "chip fail"}}, bar.holds() ? "pass" : "FAIL");
    out.close().open("ul");
    for (const Check& check : bar.checks) renderCheck(out, check);
    out.close().close().line();
  }
  out.close().line();
}

void renderPhases(Markup& out, const PolicyRun& run) {
  Duration total{};
  for (const Phase& phase : run.phases) total += phase.length.value_or(Duration{});
  if (total <= Duration{}) return;

  out.open("section").element("h2", {}, "Where the time goes");
  out.element("p", {{"class", "hint"}}, "The critical path from the burst's first pod to its last Ready.");
  out.open("svg", {{"class", "phases"}, {"aria-hidden", "true"}});
  double x = 0;
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const double width = 100 * toSeconds(run.phases[i].length.value_or(Duration{})) / toSeconds(total);
    const std::string fill = phaseClass(i);
    out.leaf("rect", {{"class", fill}, {"x", percent(x)}, {"width", percent(width)}, {"height", "100%"}});
    x += width;
  }
  out.close().open("ol", {{"class", "phase-list"}});
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const Phase& phase = run.phases[i];
    const std::string fill = phaseClass(i);
    out.open("li", {{"title", phase.what}}).open("svg", {{"class", "swatch"}, {"aria-hidden", "true"}});
    out.leaf("rect", {{"class", fill}, {"width", "12"}, {"height", "12"}, {"rx", "2"}}).close();
    out.element("span", {}, phase.name).element("strong", {}, durationText(phase.length)).close();
  }
  out.close().close().line();
}

}  // namespace tidegate::report
