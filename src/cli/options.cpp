#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <map>

#include "cli/describe_run.hpp"
#include "cli/option_kinds.hpp"

namespace tidegate::cli {
namespace {

using drill::BurstKind;
using drill::PolicyChoice;

const std::map<std::string, Output> kOutputs = {{"text", Output::Text}, {"json", Output::Json}};
const std::map<std::string, drill::OutputFormat> kDrillOutputs = {{"text", drill::OutputFormat::Text},
                                                                  {"json", drill::OutputFormat::Json}};
const std::map<std::string, BurstKind> kBursts = {
    {"deployment", BurstKind::Deployment}, {"job", BurstKind::Job}, {"pods", BurstKind::Pods}};
const std::map<std::string, PolicyChoice> kPolicies = {{"tidegate", PolicyChoice::Tidegate},
                                                       {"pod-by-pod", PolicyChoice::PodByPod},
                                                       {"lyra-count", PolicyChoice::LyraCount},
                                                       {"compare", PolicyChoice::Compare}};

void describePlan(CLI::App& app, PlanCommand& plan) {
  app.add_option(
         "-f,--file", plan.files,
         "Objects as kubectl get -o yaml (or json) prints them: nodes, pods, queues, podgroups, priority "
         "classes, budgets, jobs, hypernodes. Repeat it for more files; - reads standard input. Required.")
      ->type_name("FILE");
  app.add_option("--conf", plan.conf,
                 "volcano-scheduler.conf, bare or in its ConfigMap. Default: the built-in chain.")
      ->type_name("FILE");
  addParsed(app, "--now", plan.now, parseTime, "RFC3339",
            "The time to plan for. Default: the newest time in the input.");
  app.add_option("--cycles", plan.cycles,
                 "Run exactly so many cycles. Default: until a cycle changes nothing.")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_flag("--keep-terminating", plan.keepTerminating,
               "Evicted pods do not leave; the pods they make room for are shown as pipelined.");
  addChoice(app, "-o,--output", plan.output, kOutputs, "What to print. Default: text.");
}

void describeBurst(CLI::App& app, drill::DrillOptions& options) {
  app.add_option("--nodes", options.nodes, "Nodes of the cluster. Default: 25.")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  app.add_option("--gpus-per-node", options.gpusPerNode, "GPUs of each node. Default: 8.")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  addParsed(app, "--shape", options.shape, drill::parseShape, "PODSxGPUS", "The burst. Default: 8x8.");
  addChoice(app, "--burst", options.burst, kBursts, "How the burst comes. Default: deployment.");
  addChoice(app, "--policy", options.policy, kPolicies,
            "Who chooses the victims; compare runs all. Default: tidegate.");
  app.add_option("--seed", options.seed, "Seed of everything that is drawn. Default: 1.")->type_name("N");
}

void describeInputs(CLI::App& app, drill::DrillOptions& options) {
  app.add_option("--queues", options.queuesFile, "Queues to use. Default: those of examples/promo-drill.")
      ->type_name("FILE");
  app.add_option("--conf", options.confFile, "volcano-scheduler.conf, bare or in its ConfigMap.")
      ->type_name("FILE");
  app.add_option("--offline", options.offlineFile, "Offline jobs to start with, in place of the usual mix.")
      ->type_name("FILE");
  app.add_option("--load", options.loadFile, "Offline jobs drawn from a trace, in place of the usual mix.")
      ->type_name("CSV");
  app.add_option("--out", options.outDir, "Write report.html, report.json and junit.xml there.")
      ->type_name("DIR");
  addChoice(app, "-o,--output", options.output, kDrillOutputs, "What to print. Default: text.");
}

void describeTimes(CLI::App& app, drill::DrillOptions& options) {
  addDuration(app, "--limit-recall", options.limits.recall, "Bar: every victim gone within. Default: 15s.");
  addDuration(app, "--limit-ready", options.limits.ready,
              "Bar: every pod of the burst ready within. Default: 30s.");
  addDuration(app, "--recall-deadline", options.recallDeadline, "What the scheduler aims at. Default: 15s.");
  addDuration(app, "--checkpoint", options.timings.checkpoint,
              "Time a checkpoint takes. Default: drawn, 2s to 8s.");
  addDuration(app, "--stop", options.timings.stop, "SIGTERM to gone. Default: drawn, 0.5s to 2s.");
  addDuration(app, "--ready", options.timings.ready, "Start to ready of an online pod. Default: 6s.");
  addDuration(app, "--peak", options.timings.peak, "How long the burst is kept. Default: 5m.");
  app.add_option("--held-pods", options.heldPods,
                 "So many victim pods are held by a finalizer and never leave.")
      ->check(CLI::Range(0, 10000))
      ->type_name("N");
}

void describeDrill(CLI::App& app, DrillCommand& drill) {
  describeBurst(app, drill.options);
  describeInputs(app, drill.options);
  describeTimes(app, drill.options);
  app.footer("Exit status: 0 if every bar holds, 1 if one fails, 2 on bad input.");
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
  CLI::App* const runApp = app.add_subcommand("run", "Run scheduler and controllers on a cluster.");
  CLI::App* const planApp =
      app.add_subcommand("plan", "Show what the scheduler would do with a cluster, and why.");
  CLI::App* const drillApp =
      app.add_subcommand("drill", "Rehearse a peak on an embedded cluster and judge it.");
  CLI::App* const versionApp = app.add_subcommand("version", "Print the version.");
  describePlan(*planApp, plan);
  describeDrill(*drillApp, drill);
  describeRun(*runApp, run);
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
  // Not left to the library, which would complain of this before it complains of a misspelt flag.
  if (planApp->parsed() && plan.files.empty()) return misused("plan ", "--file is required");
  if (planApp->parsed()) return plan;
  if (drillApp->parsed()) return drill;
  if (runApp->parsed()) return run;
  if (versionApp->parsed()) return VersionCommand{};
  return misused("", "want a command: run, plan, drill or version");
}

}  // namespace tidegate::cli
