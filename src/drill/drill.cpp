#include "drill/drill.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "drill/command.hpp"
#include "drill/files.hpp"
#include "drill/judge.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/page.hpp"
#include "report/text.hpp"
#include "report/words.hpp"

namespace tidegate::drill {
namespace {

using scheduler::VictimPolicy;

struct Rule {
  VictimPolicy policy;
  const char* name;
  const char* about;
};
constexpr Rule kTidegate{VictimPolicy::Tidegate, "tidegate",
                         "Whole gangs on whole nodes, the least work lost."};
constexpr Rule kPodByPod{VictimPolicy::PodByPod, "pod-by-pod",
                         "One pod at a time by priority, as plain preemption does; gangs are not looked at."};
constexpr Rule kLyraCount{
    VictimPolicy::LyraCount, "lyra-count",
    "Lyra's rule (EuroSys'23), implemented anew: the servers whose freeing stops the fewest jobs."};

std::vector<Rule> rulesOf(PolicyChoice choice) {
  switch (choice) {
    case PolicyChoice::Tidegate:
      return {kTidegate};
    case PolicyChoice::PodByPod:
      return {kPodByPod};
    case PolicyChoice::LyraCount:
      return {kLyraCount};
    case PolicyChoice::Compare:
      return {kTidegate, kPodByPod, kLyraCount};
  }
  return {};
}

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

report::PolicyRun runUnder(const Rule& rule, const DrillOptions& options, const Inputs& inputs,
                           const Terminal& terminal) {
  Stage stage(options, inputs, rule.policy);
  stage.play([&](const std::string& step) {
    if (terminal.progress) fmt::print(terminal.err, "{}: {}\n", rule.name, step);
  });
  Measured measured = measure(options, inputs, stage);
  measured.run.policy = rule.name;
  measured.run.about = rule.about;
  measured.run.bars = judge(options, inputs, stage, measured);
  measured.run.notes = notesOn(options, stage, measured);
  if (terminal.progress) {
    fmt::print(terminal.err, "{}: the longest decision took {:.1f} ms of real time\n", rule.name,
               static_cast<double>(stage.brain().longestStep().count()) / 1000);
  }
  return std::move(measured.run);
}

Result<Ok> writeFiles(const std::string& directory, const report::Report& report) {
  if (directory.empty()) return Ok{};
  Result<Ok> out = writeFile(directory, "report.html", report::renderPage(report));
  if (out) out = writeFile(directory, "report.json", report::renderJson(report));
  if (out) out = writeFile(directory, "junit.xml", report::renderJunit(report));
  return out;
}

}  // namespace

int runDrill(const DrillOptions& options, const Terminal& terminal) {
  const auto inputs = readInputs(options);
  if (!inputs) {
    for (const Error& error : inputs.error()) fmt::print(terminal.err, "error: {}\n", error.text());
    return kBadInput;
  }
  for (const Error& warning : inputs->warnings) fmt::print(terminal.err, "note: {}\n", warning.text());

  report::Report report = emptyReport(options, *inputs);
  for (const Rule& rule : rulesOf(options.policy))
    report.runs.push_back(runUnder(rule, options, *inputs, terminal));
  report.scenario = scenarioOf(options, *inputs, report.runs.front());

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
