#include "drill/command.hpp"

#include <fmt/format.h>

namespace tidegate::drill {
namespace {

// Collects flags that differ from their defaults.
class Flags {
 public:
  explicit Flags(std::string command) : text_(std::move(command)) {}

  void add(const char* flag, const std::string& value, const std::string& plain) {
    if (value != plain) text_ += fmt::format(" --{} {}", flag, value);
  }
  void add(const char* flag, int value, int plain) {
    add(flag, std::to_string(value), std::to_string(plain));
  }
  void add(const char* flag, Duration value, Duration plain) {
    add(flag, formatDuration(value), formatDuration(plain));
  }
  void add(const char* flag, const std::optional<Duration>& value) {
    if (value) text_ += fmt::format(" --{} {}", flag, formatDuration(*value));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

const char* nameOf(PolicyChoice choice) {
  switch (choice) {
    case PolicyChoice::Tidegate:
      return "tidegate";
    case PolicyChoice::PodByPod:
      return "pod-by-pod";
    case PolicyChoice::LyraCount:
      return "lyra-count";
    case PolicyChoice::Compare:
      return "compare";
  }
  return "";
}

const char* nameOf(BurstKind kind) {
  switch (kind) {
    case BurstKind::Deployment:
      return "deployment";
    case BurstKind::Job:
      return "job";
    case BurstKind::Pods:
      return "pods";
  }
  return "";
}

std::string commandLine(const DrillOptions& options) {
  const DrillOptions plain;
  Flags flags(fmt::format("tidegate drill --shape {} --burst {} --policy {} --seed {}", options.shape.text(),
                          nameOf(options.burst), nameOf(options.policy), options.seed));
  flags.add("nodes", options.nodes, plain.nodes);
  flags.add("gpus-per-node", options.gpusPerNode, plain.gpusPerNode);
  flags.add("queues", options.queuesFile, "");
  flags.add("conf", options.confFile, "");
  flags.add("offline", options.offlineFile, "");
  flags.add("load", options.loadFile, "");
  flags.add("limit-recall", options.limits.recall, plain.limits.recall);
  flags.add("limit-ready", options.limits.ready, plain.limits.ready);
  flags.add("recall-deadline", options.recallDeadline, plain.recallDeadline);
  flags.add("checkpoint", options.timings.checkpoint);
  flags.add("stop", options.timings.stop);
  flags.add("ready", options.timings.ready, plain.timings.ready);
  flags.add("peak", options.timings.peak, plain.timings.peak);
  flags.add("held-pods", options.heldPods, plain.heldPods);
  return flags.take();
}

}  // namespace tidegate::drill
