#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/words.hpp"

namespace tidegate::report {
namespace {

class Paint {
 public:
  explicit Paint(Colour colour) : colour_(colour) {}
  std::string verdict(bool holds) const { return holds ? wrap("32", "pass") : wrap("1;31", "FAIL"); }
  std::string strong(const std::string& text) const { return wrap("1", text); }
  std::string faint(const std::string& text) const { return wrap("2", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const {
    return colour_ == Colour::Ansi ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  Colour colour_;
};

// Columns as wide as their widest entry.
struct Widths {
  std::size_t what = 0;
  std::size_t measured = 0;
  std::size_t limit = 0;
};

Widths widthsOf(const PolicyRun& run) {
  Widths out;
  for (const Bar& bar : run.bars) {
    for (const Check& check : bar.checks) {
      out.what = std::max(out.what, check.what.size());
      out.measured = std::max(out.measured, check.measured.size());
      out.limit = std::max(out.limit, check.limit.size());
    }
  }
  return out;
}

std::string barsText(const PolicyRun& run, const Paint& paint) {
  const Widths width = widthsOf(run);
  std::string out;
  int n = 0;
  for (const Bar& bar : run.bars) {
    out += fmt::format("\n{}  {}\n", paint.strong(fmt::format("{}. {}", ++n, bar.title)),
                       paint.verdict(bar.holds()));
    for (const Check& check : bar.checks) {
      out += fmt::format("   {:<{}}  {:>{}}  {:<{}}  {}\n", check.what, width.what, check.measured,
                         width.measured, check.limit, width.limit, paint.verdict(check.holds));
      if (!check.holds) out += fmt::format("     because: {}\n", check.cause);
    }
  }
  return out;
}

std::string phasesText(const PolicyRun& run, const Paint& paint) {
  std::string names;
  std::string figures;
  for (const Phase& phase : run.phases) {
    const std::string figure = durationText(phase.length);
    const std::size_t width = std::max(phase.name.size(), figure.size());
    names += fmt::format("  {:>{}}", phase.name, width);
    figures += fmt::format("  {:>{}}", figure, width);
  }
  return fmt::format("\n{}\n {}\n {}\n", paint.strong("Where the time goes"), paint.faint(names), figures);
}

std::string jobsText(const PolicyRun& run, const Paint& paint) {
  if (run.jobs.empty()) return "";
  std::string out = fmt::format("\n{}\n", paint.strong("Jobs that gave GPUs back"));
  std::size_t width = 0;
  for (const JobRow& job : run.jobs) width = std::max(width, job.name.size());
  for (const JobRow& job : run.jobs) {
    out += fmt::format("   {:<{}}  {:>7}  lost {:<12}  {:<23}  {}\n", job.name, width,
                       countText(job.gpusStopped, "GPU"), workText(job.lostGpuSeconds),
                       job.resumedAt ? "back after " + durationText(job.resumedAt) : "not back",
                       job.resumedFromStep ? fmt::format("from step {}", *job.resumedFromStep) : "");
    if (!job.note.empty()) out += fmt::format("     {}\n", job.note);
  }
  return out;
}

std::string comparisonText(const Report& report, const Paint& paint) {
  if (report.runs.size() < 2) return "";
  std::string out = fmt::format("\n{}\n", paint.strong("Against plain rules"));
  out += paint.faint(fmt::format("   {:<12} {:>12} {:>12} {:>12} {:>13} {:>14}  {}\n", "rule", "ready",
                                 "GPUs stopped", "gangs broken", "nodes shared", "work lost", "bars"));
  for (const PolicyRun& run : report.runs) {
    const Totals& t = run.totals;
    out += fmt::format("   {:<12} {:>12} {:>12} {:>12} {:>13} {:>14}  {}\n", run.policy,
                       durationText(t.lastReady), t.gpusStopped, t.gangsBroken, t.nodesShared,
                       workText(t.lostGpuSeconds), paint.verdict(run.holds()));
  }
  return out;
}

}  // namespace

std::string renderText(const Report& report, Colour colour) {
  const Paint paint(colour);
  if (report.runs.empty()) return "";
  const PolicyRun& run = report.runs.front();
  std::string out = barsText(run, paint) + phasesText(run, paint) + jobsText(run, paint);
  for (const std::string& note : run.notes) out += fmt::format("\nNote: {}\n", note);
  out += comparisonText(report, paint);
  out +=
      fmt::format("\n{}\n", report.holds() ? paint.strong("All bars hold.") : paint.strong("A bar fails."));
  return out;
}

}  // namespace tidegate::report
