#include "drill/drill.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "drill/files.hpp"
#include "drill/judge.hpp"
#include "drill/output.hpp"
#include "drill/stage.hpp"

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

}  // namespace

int runDrill(const DrillOptions& options, const Terminal& terminal) {
  const auto inputs = readInputs(options);
  if (!inputs) {
    for (const Error& error : inputs.error()) fmt::print(terminal.err, "error: {}\n", error.text());
    return kBadInput;
  }
  if (const auto there = wantDirectory(options.outDir); !there) {
    fmt::print(terminal.err, "error: {}\n", there.error().text());
    return kBadInput;
  }
  for (const Error& warning : inputs->warnings) fmt::print(terminal.err, "note: {}\n", warning.text());

  report::Report report = emptyReport(options, *inputs);
  for (const Rule& rule : rulesOf(options.policy))
    report.runs.push_back(runUnder(rule, options, *inputs, terminal));
  report.scenario = scenarioOf(options, *inputs, report.runs.front());

  return present(report, options, terminal);
}

}  // namespace tidegate::drill
