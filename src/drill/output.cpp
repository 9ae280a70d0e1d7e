#include "drill/output.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "drill/command.hpp"
#include "drill/files.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/page.hpp"
#include "report/text.hpp"
#include "report/words.hpp"

namespace tidegate::drill {
namespace {

Result<Ok> writeFiles(const std::string& directory, const report::Report& report) {
  if (directory.empty()) return Ok{};
  Result<Ok> out = writeFile(directory, "report.html", report::renderPage(report));
  if (out) out = writeFile(directory, "report.json", report::renderJson(report));
  if (out) out = writeFile(directory, "junit.xml", report::renderJunit(report));
  return out;
}

}  // namespace

report::Report emptyReport(const DrillOptions& options, const Inputs& inputs) {
  report::Report out;
  out.title = "Promo drill";
  out.command = commandLine(options);
  out.inputs = {{"Nodes", fmt::format("{} of {} GPUs", options.nodes, options.gpusPerNode)},
                {"Burst", fmt::format("{} pods of {} GPUs", options.shape.pods, options.shape.gpusPerPod)},
                {"Burst as", nameOf(options.burst)},
                {"Online queue", inputs.online.name},
                {"Offline queue", inputs.offline.name},
                {"Offline load", options.loadFile.empty() ? "mixed" : options.loadFile},
                {"Recall deadline", report::limitText(options.recallDeadline)},
                {"Seed", std::to_string(options.seed)}};
  out.recallLimit = options.limits.recall;
  out.readyLimit = options.limits.ready;
  out.gpusPerNode = options.gpusPerNode;
  out.gpusTotal = options.nodes * options.gpusPerNode;
  return out;
}

std::string scenarioOf(const DrillOptions& options, const Inputs& inputs, const report::PolicyRun& run) {
  int lent = 0;
  for (const auto& [at, gpus] : run.queues.back().used) {
    if (at <= Duration{}) lent = gpus;
  }
  return fmt::format(
      "{} asked for at once as {} on {} nodes of {} GPUs, while {} had borrowed {} and {} stood idle.",
      report::countText(options.shape.gpus(), "GPU"), options.shape.text(), options.nodes,
      options.gpusPerNode, inputs.offline.name, lent, run.totals.gpusIdleBefore);
}

int present(const report::Report& report, const DrillOptions& options, const Terminal& terminal) {
  const auto colour = terminal.colour ? report::Colour::Ansi : report::Colour::None;
  const bool json = options.output == OutputFormat::Json;
  terminal.out << (json ? report::renderJson(report) : report::renderText(report, colour));
  if (const auto written = writeFiles(options.outDir, report); !written) {
    fmt::print(terminal.err, "error: {}\n", written.error().text());
    return kBadInput;
  }
  if (!options.outDir.empty() && !json) fmt::print(terminal.out, "Report: {}/report.html\n", options.outDir);
  return report.holds() ? kBarsHold : kBarFails;
}

}  // namespace tidegate::drill
