#include "drill/causes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "report/words.hpp"

namespace tidegate::drill {
namespace {

using report::durationText;

// ", held by the finalizer x" if one holds this very pod.
std::string holderOf(const Played& played, const PodLife& pod) {
  const auto object = played.pod(pod.key);
  if (!object || object->metadata.uid != pod.uid || object->metadata.finalizers.empty()) return "";
  return fmt::format(", held by the finalizer {}", listText(object->metadata.finalizers, 2));
}

std::string stuckText(const Played& played, const PodLife& pod) {
  const std::string stop = durationText(*pod.terminating - played.burstAt());
  const std::string free =
      pod.free ? fmt::format(", had given its GPUs back at {}", durationText(*pod.free - played.burstAt()))
               : "";
  return fmt::format("pod {} on {} was told to stop at {}{} and is still there{}", pod.key, pod.node, stop,
                     free, holderOf(played, pod));
}

}  // namespace

std::string causeOfWaiting(const Inputs& inputs, const Played& played) {
  std::vector<std::string> reasons;
  if (!inputs.offline.reclaimable) {
    reasons.push_back(
        fmt::format("queue {} is not reclaimable (spec.reclaimable: false)", inputs.offline.name));
  }
  for (const auto& [reason, pods] : played.waiting()) {
    reasons.push_back(fmt::format("{} of the burst {}: {}", report::countText(pods, "pod"),
                                  pods == 1 ? "waits" : "wait", reason));
  }
  if (reasons.empty()) return "the burst was not placed in time";
  std::string out = reasons.front();
  for (std::size_t i = 1; i < reasons.size(); ++i) out += "; " + reasons[i];
  return out;
}

std::string causeOfLateRecall(const Played& played, const Measured& measured) {
  const auto stuck = std::ranges::find_if(
      measured.victims, [&](const PodLife* pod) { return !pod->free || *pod->free >= played.peakEndsAt(); });
  if (stuck != measured.victims.end()) return stuckText(played, **stuck);
  const auto last =
      std::ranges::max_element(measured.victims, {}, [](const PodLife* pod) { return *pod->free; });
  if (last == measured.victims.end()) return "nothing was recalled";
  const PodLife& pod = **last;
  return fmt::format("pod {} on {} was told to stop at {} and gone at {}", pod.key, pod.node,
                     durationText(*pod.terminating - played.burstAt()),
                     durationText(*pod.free - played.burstAt()));
}

std::string causeOfStaying(const Played& played, const Measured& measured,
                           const std::vector<std::string>& jobs) {
  for (const PodLife* pod : measured.victims) {
    if (std::ranges::find(jobs, pod->owner) == jobs.end()) continue;
    const auto object = played.pod(pod->key);
    if (object && object->metadata.uid == pod->uid) return stuckText(played, *pod);
  }
  return "";
}

std::string causeOfLateReady(const Inputs& inputs, const Played& played, const Measured& measured) {
  if (!measured.run.totals.lastBound) return causeOfWaiting(inputs, played);
  const PodLife* last = nullptr;
  for (const PodLife* pod : measured.burst) {
    if (!pod->bound) continue;
    if (!pod->ready) return fmt::format("pod {} on {} is not Ready", pod->key, pod->node);
    if (last == nullptr || *pod->ready > *last->ready) last = pod;
  }
  return fmt::format("pod {} was bound to {} at {} and took {} to be Ready", last->key, last->node,
                     durationText(*last->bound - played.burstAt()),
                     durationText(*last->ready - *last->bound));
}

}  // namespace tidegate::drill
