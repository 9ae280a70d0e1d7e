#include "world/sim/pod_timing.hpp"

#include <charconv>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

std::optional<std::string_view> annotation(const api::Pod& pod, const char* name) {
  const auto found = pod.metadata.annotations.find(name);
  if (found == pod.metadata.annotations.end()) return std::nullopt;
  return found->second;
}

std::optional<Duration> secondsOf(const api::Pod& pod, const char* name) {
  const auto text = annotation(pod, name);
  if (!text) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value < 0) return std::nullopt;
  return fromSeconds(value);
}

std::optional<Duration> declared(const api::Pod& pod, const char* name) {
  const auto text = annotation(pod, name);
  if (!text) return std::nullopt;
  const auto duration = parseDuration(*text);
  return duration ? std::optional(*duration) : std::nullopt;
}

Duration scaled(Duration duration, double factor) {
  return fromSeconds(toSeconds(duration) * factor);
}

}  // namespace

PodTiming timingOf(const api::Pod& pod, const KubeletOptions& defaults, const FaultDraws& faults,
                   double slow) {
  Rng draw = faults.stream(Draw::Timing, pod.metadata.uid);
  const auto varied = [&](Duration d) { return scaled(d, 1.0 + defaults.jitter * (2 * draw.unit() - 1)); };
  PodTiming timing;
  timing.start = scaled(varied(secondsOf(pod, annotations::kStart).value_or(defaults.start)), slow);
  timing.ready = varied(secondsOf(pod, annotations::kReady).value_or(defaults.ready));
  timing.stop = varied(secondsOf(pod, annotations::kStop).value_or(defaults.stop));
  timing.preStop = secondsOf(pod, annotations::kPreStop).value_or(Duration{});
  timing.checkpoint = secondsOf(pod, annotations::kCheckpoint);
  if (!timing.checkpoint) timing.checkpoint = declared(pod, api::names::kCheckpointDuration);
  timing.saveOnSigterm = annotation(pod, annotations::kSaveOnSigterm) == "true" && timing.checkpoint;
  timing.ignoreSigterm =
      annotation(pod, annotations::kIgnoreSigterm) == "true" || faults.ignoresSigterm(pod.metadata.uid);
  const Duration teardown = gpusOf(pod.spec) > 0 ? defaults.gpuTeardown : Duration{};
  timing.teardown = scaled(secondsOf(pod, annotations::kTeardown).value_or(teardown), slow);
  timing.run = secondsOf(pod, annotations::kRun);
  timing.step = secondsOf(pod, annotations::kStep).value_or(seconds(1));
  timing.failAfter = secondsOf(pod, annotations::kFailAfter);
  timing.checkpointInterval = declared(pod, api::names::kCheckpointInterval);
  if (const auto code = secondsOf(pod, annotations::kExitCode))
    timing.exitCode = static_cast<int>(toSeconds(*code));
  return timing;
}

}  // namespace tidegate::sim
