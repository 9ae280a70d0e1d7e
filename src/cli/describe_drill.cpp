#include "cli/describe_drill.hpp"

#include <map>

#include "cli/option_kinds.hpp"

namespace tidegate::cli {
namespace {

using drill::BurstKind;
using drill::PolicyChoice;
using drill::live::LiveOptions;

const std::map<std::string, drill::OutputFormat> kDrillOutputs = {{"text", drill::OutputFormat::Text},
                                                                  {"json", drill::OutputFormat::Json}};
const std::map<std::string, BurstKind> kBursts = {
    {"deployment", BurstKind::Deployment}, {"job", BurstKind::Job}, {"pods", BurstKind::Pods}};
const std::map<std::string, PolicyChoice> kPolicies = {{"tidegate", PolicyChoice::Tidegate},
                                                       {"pod-by-pod", PolicyChoice::PodByPod},
                                                       {"lyra-count", PolicyChoice::LyraCount},
                                                       {"compare", PolicyChoice::Compare}};

// A limit of nothing holds for nothing.
constexpr DurationRange kLimit = {.least = milliseconds(1)};

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
  addParsed(app, "--seed", options.seed, parseSeed, "N", "Seed of everything that is drawn. Default: 1.");
}

void describeInputs(CLI::App& app, drill::DrillOptions& options) {
  addText(app, "--queues", options.queuesFile, "FILE",
          "Queues to use. Default: those of examples/promo-drill.");
  addText(app, "--conf", options.confFile, "FILE", "volcano-scheduler.conf, bare or in its ConfigMap.");
  addText(app, "--offline", options.offlineFile, "FILE",
          "Offline jobs to start with, in place of the usual mix.");
  addText(app, "--load", options.loadFile, "CSV",
          "Offline jobs drawn from a trace, in place of the usual mix.");
  addText(app, "--out", options.outDir, "DIR", "Write report.html, report.json and junit.xml there.");
  addChoice(app, "-o,--output", options.output, kDrillOutputs, "What to print. Default: text.");
}

void describeTimes(CLI::App& app, drill::DrillOptions& options) {
  addDuration(app, "--limit-recall", options.limits.recall, "Bar: every victim gone within. Default: 15s.",
              kLimit);
  addDuration(app, "--limit-ready", options.limits.ready,
              "Bar: every pod of the burst ready within. Default: 30s.", kLimit);
  addDuration(app, "--recall-deadline", options.recallDeadline, "What the scheduler aims at. Default: 15s.",
              kLimit);
  addDuration(app, "--checkpoint", options.timings.checkpoint,
              "Time a checkpoint takes. Default: drawn, 2s to 8s.");
  addDuration(app, "--stop", options.timings.stop, "SIGTERM to gone. Default: drawn, 0.5s to 2s.");
  addDuration(app, "--ready", options.timings.ready, "Start to ready of an online pod. Default: 6s.");
  addDuration(app, "--peak", options.timings.peak,
              "How long the burst is kept. Default: 5m; on a live cluster 30s.");
  app.add_option("--held-pods", options.heldPods,
                 "So many victim pods are held by a finalizer: they end, and never go.")
      ->check(CLI::Range(0, 10000))
      ->type_name("N");
}

constexpr const char* kLiveGroup = "On a live cluster";

void describeLive(CLI::App& app, LiveOptions& live) {
  addText(app, "--kubeconfig", live.kubeconfig, "FILE",
          "Play the drill on the cluster of this file, in a namespace and queues of its own.")
      ->group(kLiveGroup);
  addText(app, "--context", live.context, "NAME", "Context of the kubeconfig. Default: its current one.")
      ->group(kLiveGroup);
  app.add_option("--pool-label", live.poolLabel, "Only nodes with this label. Default: all that have GPUs.")
      ->check(checkLabel)
      ->type_name("KEY=VALUE")
      ->group(kLiveGroup);
  app.add_option("--image", live.image, "What the pods run. Default: " + live.image + ".")
      ->check(checkWord)
      ->type_name("IMAGE")
      ->group(kLiveGroup);
  app.add_flag("--live-victims", live.liveVictims,
               "Use the queues that are there, and let jobs that are not the drill's be recalled.")
      ->group(kLiveGroup);
}

// What the cluster itself decides cannot be asked of it.
constexpr const char* kEmbeddedOnly[] = {"--nodes", "--gpus-per-node",   "--policy",
                                         "--conf",  "--recall-deadline", "--held-pods"};
constexpr const char* kLiveOnly[] = {"--context", "--pool-label", "--image", "--live-victims"};

void checkTogether(const CLI::App& app, DrillCommand& drill, const LiveOptions& live) {
  const bool isLive = app.count("--kubeconfig") > 0;
  for (const char* flag : kEmbeddedOnly) {
    if (isLive && app.count(flag) > 0)
      throw CLI::ValidationError(flag, "is for the embedded cluster, not for that of --kubeconfig");
  }
  for (const char* flag : kLiveOnly) {
    if (!isLive && app.count(flag) > 0) throw CLI::ValidationError(flag, "needs --kubeconfig");
  }
  if (!isLive) return;
  if (app.count("--peak") == 0) drill.options.timings.peak = drill::live::kDefaultPeak;
  drill.live = live;
  drill.live->drill = drill.options;
}

}  // namespace

void describeDrill(CLI::App& app, DrillCommand& drill) {
  describeBurst(app, drill.options);
  describeInputs(app, drill.options);
  describeTimes(app, drill.options);
  const auto live = std::make_shared<LiveOptions>();
  describeLive(app, *live);
  app.final_callback([&app, &drill, live] { checkTogether(app, drill, *live); });
  app.footer("Exit status: 0 if every bar holds, 1 if one fails, 2 on bad input or if it cannot be played.");
}

}  // namespace tidegate::cli
