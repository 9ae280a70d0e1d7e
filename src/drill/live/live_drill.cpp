#include "drill/live/live_drill.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "drill/command.hpp"
#include "drill/files.hpp"
#include "drill/judge.hpp"
#include "drill/live/reaction.hpp"
#include "drill/live/script.hpp"
#include "drill/output.hpp"
#include "report/words.hpp"

namespace tidegate::drill::live {
namespace {

// The line that asks for this drill again.
std::string commandOf(const LiveOptions& asked) {
  std::string out = commandLine(asked.drill);
  const std::string rule = fmt::format(" --policy {}", nameOf(asked.drill.policy));
  if (const auto at = out.find(rule); at != std::string::npos)
    out.erase(at, rule.size());  // the cluster's own
  out += " --kubeconfig " + asked.kubeconfig;
  if (!asked.context.empty()) out += " --context " + asked.context;
  if (!asked.poolLabel.empty()) out += " --pool-label " + asked.poolLabel;
  if (asked.image != LiveOptions{}.image) out += " --image " + asked.image;
  if (asked.liveVictims) out += " --live-victims";
  return out;
}

class Drill {
 public:
  Drill(const LiveOptions& options, Inputs inputs, const Terminal& terminal, const Connection& connection)
      : command_(commandOf(options)),
        options_(options),
        inputs_(std::move(inputs)),
        terminal_(terminal),
        waiter_(connection.waiter),
        writer_(waiter_, connection.transport),
        mirror_(
            {.loop = waiter_.loop(), .transport = connection.transport},
            {.changed = [this] { waiter_.poke(); },
             .warning = [this](const std::string& text) { fmt::print(terminal_.err, "note: {}\n", text); }}),
        record_(mirror_, [this] { return waiter_.now(); }),
        script_({waiter_, writer_, mirror_, record_}, options_, inputs_),
        begin_(waiter_.now()) {}

  int run() {
    if (const auto ready = script_.prepare(); !ready) {
      for (const std::string& line : ready.error()) fmt::print(terminal_.err, "error: {}\n", line);
      return kBadInput;
    }
    const Result<Ok> played = script_.play([this](const std::string& step) { tell(step); });
    if (!played) fmt::print(terminal_.err, "error: {}\n", played.error().text());
    report::Report report;
    if (played) report = judged();
    const bool clean = cleanUp();
    if (!played) return kBadInput;
    const int code = present(report, options_.drill, terminal_);
    return code == kBarsHold && !clean ? kBarFails : code;
  }

 private:
  void tell(const std::string& step) {
    if (terminal_.progress)
      fmt::print(terminal_.err, "{:7.1f} s  {}\n", toSeconds(waiter_.now() - begin_), step);
  }

  report::Report judged() {
    Measured measured = measure(options_.drill, inputs_, record_);
    report::PolicyRun& run = measured.run;
    run.policy = "live";
    run.about = "Whatever scheduler runs on the cluster.";
    run.bars = judge(options_.drill, inputs_, record_, measured);
    auto& latency = run.bars.front().checks;
    latency.insert(latency.begin(), reaction(record_, inputs_.online.name));
    run.notes = notesOn(options_.drill, record_, measured);
    for (std::string& note : notesOnMeasuring(record_, options_, inputs_.online.name))
      run.notes.push_back(std::move(note));
    report::Report out = emptyReport(options_.drill, inputs_);
    out.title = "Promo drill, live";
    out.command = command_;
    out.inputs.emplace_back("Namespace", script_.nameSpace());
    out.runs.push_back(std::move(run));
    out.scenario = scenarioOf(options_.drill, inputs_, out.runs.front());
    return out;
  }

  // A second signal leaves the rest to the user.
  bool cleanUp() {
    waiter_.goOn();
    const std::vector<std::string> left = script_.cleanUp([this](const std::string& step) { tell(step); });
    if (left.empty()) return true;
    fmt::print(terminal_.err, "error: not cleaned up; to do so later, with what is left:\n");
    for (const std::string& line : left) fmt::print(terminal_.err, "  {}\n", line);
    return false;
  }

  const std::string command_;
  LiveOptions options_;  // with the pool's size, once it is known
  Inputs inputs_;
  const Terminal& terminal_;
  Waiter& waiter_;
  Writer writer_;
  Mirror mirror_;
  LiveRecord record_;
  Script script_;
  Time begin_;
};

}  // namespace

int runLiveDrill(const LiveOptions& options, const Terminal& terminal, const Connection& connection) {
  auto inputs = readInputs(options.drill);
  if (!inputs) {
    for (const Error& error : inputs.error()) fmt::print(terminal.err, "error: {}\n", error.text());
    return kBadInput;
  }
  if (const auto there = wantDirectory(options.drill.outDir); !there) {
    fmt::print(terminal.err, "error: {}\n", there.error().text());
    return kBadInput;
  }
  for (const Error& warning : inputs->warnings) fmt::print(terminal.err, "note: {}\n", warning.text());
  return Drill(options, *std::move(inputs), terminal, connection).run();
}

}  // namespace tidegate::drill::live
