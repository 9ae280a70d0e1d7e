// How a pod's process behaves: read from its annotations `sim.tidegate.dev/...`, then from what it declares
// to tidegate, then from the kubelet's defaults. All `-seconds` values are decimal numbers.
//
//   start-seconds       bound to Running               ready-seconds   Running to Ready
//   prestop-seconds     the preStop hook               stop-seconds    SIGTERM to exit, saving apart
//   checkpoint-seconds  one save; without it (and without tidegate.dev/checkpoint-duration) the pod cannot
//   save save-on-sigterm     "true": SIGTERM makes it save before it exits, if there is unsaved work
//   ignore-sigterm      "true": only SIGKILL ends it
//   gpu-teardown-seconds  exit to devices free
//   run-seconds         work to do, in seconds of the whole gang running; without it the pod runs for ever
//   step-seconds        length of one training step in reports (1)
//   sigterm-exit-code   exit code after SIGTERM (143)
//   fail-after-seconds  Ready to exit with code 1
#pragma once

#include <optional>

#include "api/objects.hpp"
#include "core/time.hpp"
#include "world/sim/fault_draws.hpp"
#include "world/sim/options.hpp"

namespace tidegate::sim {

namespace annotations {
inline constexpr const char* kStart = "sim.tidegate.dev/start-seconds";
inline constexpr const char* kReady = "sim.tidegate.dev/ready-seconds";
inline constexpr const char* kPreStop = "sim.tidegate.dev/prestop-seconds";
inline constexpr const char* kStop = "sim.tidegate.dev/stop-seconds";
inline constexpr const char* kCheckpoint = "sim.tidegate.dev/checkpoint-seconds";
inline constexpr const char* kSaveOnSigterm = "sim.tidegate.dev/save-on-sigterm";
inline constexpr const char* kIgnoreSigterm = "sim.tidegate.dev/ignore-sigterm";
inline constexpr const char* kTeardown = "sim.tidegate.dev/gpu-teardown-seconds";
inline constexpr const char* kRun = "sim.tidegate.dev/run-seconds";
inline constexpr const char* kStep = "sim.tidegate.dev/step-seconds";
inline constexpr const char* kFailAfter = "sim.tidegate.dev/fail-after-seconds";
inline constexpr const char* kExitCode = "sim.tidegate.dev/sigterm-exit-code";
}  // namespace annotations

struct PodTiming {
  Duration start{};
  Duration ready{};
  Duration preStop{};
  Duration stop{};
  std::optional<Duration> checkpoint;
  bool saveOnSigterm = false;
  bool ignoreSigterm = false;
  Duration teardown{};
  std::optional<Duration> run;
  Duration step = seconds(1);
  std::optional<Duration> checkpointInterval;  // tidegate.dev/checkpoint-interval
  std::optional<Duration> failAfter;
  int exitCode = 143;
};

// `slow` multiplies what the kubelet does (start, teardown).
PodTiming timingOf(const api::Pod& pod, const KubeletOptions& defaults, const FaultDraws& faults,
                   double slow);

}  // namespace tidegate::sim
