#include "drill/measure.hpp"

#include <algorithm>

#include "drill/view.hpp"

namespace tidegate::drill {

int gpusOf(const Pods& pods) {
  int sum = 0;
  for (const PodLife* pod : pods) sum += pod->gpus;
  return sum;
}

View::View(const DrillOptions& itsOptions, const Inputs& itsInputs, const Played& itsPlayed)
    : options(itsOptions), inputs(itsInputs), played(itsPlayed), pods(itsPlayed.recorder().pods()) {
  for (const PodLife* pod : pods) {
    if (isOnline(*pod) && during(pod->created)) burst.push_back(pod);
    if (!isOnline(*pod) && pod->bound && pod->terminating && during(*pod->terminating))
      victims.push_back(pod);
  }
}

// Milestones in order; each phase is what a milestone adds to the furthest one before it.
std::vector<report::Phase> measurePhases(const View& view, const report::PolicyRun& run) {
  std::optional<Duration> planned;
  std::optional<Duration> asked;
  std::optional<Duration> saved;
  for (const auto& plan : view.played.begun()) {
    if (view.during(plan.at) && !planned) planned = plan.at - view.played.burstAt();
  }
  for (const report::JobRow& job : run.jobs) {
    asked = std::max(asked, job.signalledAt ? job.signalledAt : job.stoppingAt);
    saved = std::max(saved, job.stoppingAt);
  }
  const report::Totals& totals = run.totals;
  std::vector<report::Phase> out;
  Duration reached{};
  const auto add = [&](const char* name, const char* what, const std::optional<Duration>& milestone,
                       bool skipped) {
    report::Phase phase{.name = name, .what = what};
    if (milestone) phase.length = std::max(Duration{}, *milestone - reached);
    if (skipped) phase.length = Duration{};
    reached = std::max(reached, milestone.value_or(reached));
    out.push_back(std::move(phase));
  };
  const bool idle = view.victims.empty();  // nothing had to be recalled
  add("detect", "the burst asked for, to its recall begun", planned, idle);
  add("decide", "the plan made: no virtual time passes", planned, true);
  add("API", "the recall written down, every victim told", asked, idle);
  add("checkpoint", "to the last victim saved, or out of time", saved, idle);
  add("stop", "to the last victim pod gone", totals.lastVictimGone, idle);
  add("bind", "to the last pod of the burst bound", totals.lastBound, false);
  add("ready", "to the last pod of the burst Ready", totals.lastReady, false);
  return out;
}

Measured measure(const DrillOptions& options, const Inputs& inputs, const Played& played) {
  const View view(options, inputs, played);
  report::PolicyRun run;
  run.jobs = measureJobs(played, view.victims);
  run.nodes = measureNodes(view);
  run.snapshots = measureSnapshots(view, run.nodes);
  run.queues = measureQueues(view);
  run.totals = measureTotals(view, run);
  run.phases = measurePhases(view, run);
  return {.run = std::move(run), .burst = view.burst, .victims = view.victims};
}

}  // namespace tidegate::drill
