#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "cli/describe_drill.hpp"
#include "cli/describe_run.hpp"
#include "cli/option_kinds.hpp"

namespace tidegate::cli {
namespace {

const std::map<std::string, Output> kOutputs = {{"text", Output::Text}, {"json", Output::Json}};

constexpr const char* kFooter =
    "tidegate COMMAND --help lists the flags of a command.\n"
    "Exit status: 0 if all went well, 1 if a bar of the drill fails or run cannot go on, 2 on bad input.";

void describePlan(CLI::App& app, PlanCommand& plan) {
  app.add_option(
         "-f,--file", plan.files,
         "Objects as kubectl get -o yaml (or json) prints them: nodes, pods, queues, podgroups, priority "
         "classes, budgets, hypernodes; jobs and recalls, for who is suspended. Repeat it for more files; - "
         "reads standard input. Required.")
      ->check(checkGiven)
      ->type_name("FILE");
  addText(app, "--conf", plan.conf, "FILE",
          "volcano-scheduler.conf, bare or in its ConfigMap. Default: the built-in chain.");
  addParsed(app, "--now", plan.now, parseTime, "RFC3339",
            "The time to plan for. Default: the newest time in the input.");
  app.add_option("--cycles", plan.cycles,
                 "Run exactly so many cycles. Default: until a cycle changes nothing.")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_flag("--keep-terminating", plan.keepTerminating,
               "Evicted pods do not leave; the pods they make room for are shown as pipelined.");
  addChoice(app, "-o,--output", plan.output, kOutputs, "What to print. Default: text.");
  app.footer("Exit status: 0 if it could plan, 2 on bad input.");
}

std::unexpected<Exit> misused(const std::string& command, const std::string& message) {
  return std::unexpected(
      Exit{.code = kBadInput, .text = "tidegate: " + message + "\nSee tidegate " + command + "--help.\n"});
}

}  // namespace

std::expected<Command, Exit> parseCommandLine(int argc, const char* const* argv) {
  CLI::App app("Lends idle GPUs of a Kubernetes cluster and takes them back in seconds.", "tidegate");
  PlanCommand plan;
  DrillCommand drill;
  RunCommand run;
  bool version = false;
  app.add_flag("-V,--version", version, "Print the version and exit.");
  CLI::App* const runApp = app.add_subcommand("run", "Run scheduler and controllers on a cluster.");
  CLI::App* const planApp =
      app.add_subcommand("plan", "Show what the scheduler would do with a cluster, and why.");
  CLI::App* const drillApp =
      app.add_subcommand("drill", "Rehearse a peak, on an embedded cluster or a live one, and judge it.");
  CLI::App* const versionApp = app.add_subcommand("version", "Print the version.");
  describePlan(*planApp, plan);
  describeDrill(*drillApp, drill);
  describeRun(*runApp, run);
  app.footer(kFooter);  // after the commands, which would take it over
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    return std::unexpected(Exit{.code = 0, .text = text.str()});
  } catch (const CLI::ParseError& error) {
    return misused(planApp->parsed()    ? "plan "
                   : drillApp->parsed() ? "drill "
                   : runApp->parsed()   ? "run "
                                        : "",
                   error.what());
  }
  if (version || versionApp->parsed()) return VersionCommand{};
  // Not left to the library, which would complain of this before it complains of a misspelt flag.
  if (planApp->parsed() && plan.files.empty()) return misused("plan ", "--file is required");
  if (std::ranges::count(plan.files, "-") > 1)
    return misused("plan ", "--file: standard input (-) can be read only once");
  if (planApp->parsed()) return plan;
  if (drillApp->parsed()) return drill;
  if (runApp->parsed()) return run;
  return misused("", "want a command: run, plan, drill or version");
}

}  // namespace tidegate::cli
