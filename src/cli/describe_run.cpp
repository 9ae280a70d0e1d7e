#include "cli/describe_run.hpp"

#include "cli/option_kinds.hpp"
#include "run/components.hpp"
#include "run/http_server.hpp"

namespace tidegate::cli {
namespace {

const std::map<std::string, run::LogFormat> kLogFormats = {{"text", run::LogFormat::Text},
                                                           {"json", run::LogFormat::Json}};
const std::map<std::string, run::VcJobSuspend> kSuspends = {{"annotation", run::VcJobSuspend::Annotation},
                                                            {"command", run::VcJobSuspend::Command}};

constexpr DurationRange kWindow = {.least = {}, .most = std::chrono::minutes(1)};

std::string checkListen(const std::string& text) {
  if (text.empty()) return "";
  const auto port = run::HttpServer::portOf(text);
  return port ? "" : port.error().message;
}

void describeCluster(CLI::App& app, run::RunOptions& options) {
  addText(app, "--kubeconfig", options.kubeconfig, "FILE",
          "Default: the files of KUBECONFIG, else ~/.kube/config, else the pod's service account.");
  addText(app, "--context", options.context, "NAME", "Context of the kubeconfig. Default: its current one.");
  app.add_flag("--leader-elect", options.leaderElect,
               "Work only while holding the lease; for several replicas.");
  app.add_option("--lease", options.lease, "The lease. Default: kube-system/tidegate.")
      ->check(checkObjectName)
      ->type_name("NAMESPACE/NAME");
  app.add_option("--identity", options.identity,
                 "Of this replica in the lease. Default: host name and a number.")
      ->check(checkWord)
      ->type_name("NAME");
}

void describeWork(CLI::App& app, run::RunOptions& options) {
  addParsed(app, "--components", options.components, run::parseComponents, "NAMES",
            "Any of scheduler, queue-controller, podgroup-controller, vcjob-controller. Default: all.");
  app.add_option(
         "--scheduler-name", options.schedulerNames,
         "Pods with this schedulerName are placed; repeat it for more. Default: volcano and tidegate.")
      ->check(checkWord)
      ->type_name("NAME");
  auto* file = addText(app, "--conf", options.confFile, "FILE",
                       "volcano-scheduler.conf, bare or in its ConfigMap; read again when it changes.");
  app.add_option("--conf-map", options.confMap, "The same from a ConfigMap of the cluster.")
      ->check(checkObjectName)
      ->excludes(file)
      ->type_name("NAMESPACE/NAME");
  addDuration(app, "--coalesce", options.coalesce,
              "Changes within this window are scheduled as one. Default: 20ms.", kWindow);
  app.add_flag("--recreate-bare-pods", options.recreateBarePods,
               "Make recalled bare pods again that ask for it (annotation tidegate.dev/recreate).");
  addChoice(
      app, "--vcjob-suspend", options.vcjobSuspend, kSuspends,
      "How vcjobs are suspended: by tidegate's controller (annotation) or Volcano's (command). Default: "
      "annotation.");
}

}  // namespace

void describeRun(CLI::App& app, RunCommand& command) {
  run::RunOptions& options = command.options;
  describeCluster(app, options);
  describeWork(app, options);
  app.add_option(
         "--listen", options.listen,
         "Address and port of /healthz, /readyz, /metrics and /debug/cycles; empty for none. Default: "
         "127.0.0.1:8080.")
      ->check(checkListen)
      ->type_name("ADDRESS:PORT");
  addChoice(app, "--log-format", options.logFormat, kLogFormats, "Default: text.");
  app.footer(
      "Exit status: 0 if stopped by a signal, 1 if it cannot go on (the lease was lost), 2 on bad input.");
}

}  // namespace tidegate::cli
