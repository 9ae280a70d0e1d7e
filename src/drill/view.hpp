// What the measuring functions look at: one drill that has been played, and its pods by part.
#pragma once

#include <optional>
#include <vector>

#include "drill/inputs.hpp"
#include "drill/played.hpp"
#include "report/model.hpp"

namespace tidegate::drill {

using Pods = std::vector<const PodLife*>;

int gpusOf(const Pods& pods);

struct View {
  View(const DrillOptions& itsOptions, const Inputs& itsInputs, const Played& itsPlayed);

  bool isOnline(const PodLife& pod) const { return pod.queue == inputs.online.name; }
  // Between the burst and the end of the peak.
  bool during(Time t) const { return t >= played.burstAt() && t < played.peakEndsAt(); }
  std::optional<Duration> since(const std::optional<Time>& t) const {
    return t ? std::optional{*t - played.burstAt()} : std::nullopt;
  }

  const DrillOptions& options;
  const Inputs& inputs;
  const Played& played;
  Pods pods;     // all
  Pods burst;    // made for the burst
  Pods victims;  // others that were made to stop during the peak
};

// Nodes the burst was bound to, by name.
std::vector<report::NodeRow> measureNodes(const View& view);
// The stills as tiles; nodes handed over whole are framed in all of them.
std::vector<report::Snapshot> measureSnapshots(const View& view, const std::vector<report::NodeRow>& nodes);
std::vector<report::QueueSeries> measureQueues(const View& view);
report::Totals measureTotals(const View& view, const report::PolicyRun& run);
std::vector<report::Phase> measurePhases(const View& view, const report::PolicyRun& run);

}  // namespace tidegate::drill
