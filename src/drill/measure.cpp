#include "drill/measure.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tidegate::drill {
namespace {

using Pods = std::vector<const PodLife*>;

int gpusOf(const Pods& pods) {
  int sum = 0;
  for (const PodLife* pod : pods) sum += pod->gpus;
  return sum;
}

class Taker {
 public:
  Taker(const DrillOptions& options, const Inputs& inputs, const Stage& stage)
      : options_(options), inputs_(inputs), stage_(stage), pods_(stage.recorder().pods()) {
    for (const PodLife* pod : pods_) {
      if (isOnline(*pod) && during(pod->created)) burst_.push_back(pod);
      if (!isOnline(*pod) && pod->bound && pod->terminating && during(*pod->terminating)) victims_.push_back(pod);
    }
    for (const PodLife* pod : victims_) stoppedOwners_.insert(pod->owner);
  }

  Measured take() {
    run_.jobs = measureJobs(stage_, victims_);
    run_.nodes = nodes();
    run_.snapshots = snapshots();
    run_.queues = {seriesOf(inputs_.online, true), seriesOf(inputs_.offline, false)};
    addAmounts();
    addTimes();
    run_.phases = phases();
    return {.run = std::move(run_), .burst = burst_, .victims = victims_};
  }

 private:
  bool isOnline(const PodLife& pod) const { return pod.queue == inputs_.online.name; }
  bool during(Time t) const { return t >= stage_.burstAt() && t < stage_.peakEndsAt(); }
  std::optional<Duration> since(const std::optional<Time>& t) const {
    return t ? std::optional{*t - stage_.burstAt()} : std::nullopt;
  }

  // Nodes the burst was bound to, by name.
  std::vector<report::NodeRow> nodes() const {
    std::map<std::string, Pods> byNode;
    for (const PodLife* pod : burst_) {
      if (pod->bound && during(*pod->bound)) byNode[pod->node].push_back(pod);
    }
    std::vector<report::NodeRow> out;
    for (const auto& [name, pods] : byNode) out.push_back(nodeRow(name, pods));
    return out;
  }

  // Pods that took idle GPUs of a node before anything on it was stopped were given nothing by a recall.
  report::NodeRow nodeRow(const std::string& name, const Pods& burst) const {
    report::NodeRow row{.name = name, .recalled = false, .burstGpus = gpusOf(burst)};
    addVictims(row);
    bool allReady = true;
    std::optional<Time> handedOver;
    for (const PodLife* pod : burst) {
      row.boundAt = std::max(row.boundAt, since(pod->bound));
      row.readyAt = std::max(row.readyAt, since(pod->ready));
      allReady = allReady && pod->ready;
      const bool given = !row.firstStop || *since(pod->bound) > *row.firstStop;
      if (!given) continue;
      handedOver = handedOver ? std::min(handedOver, pod->bound) : pod->bound;
      row.givenGpus += row.firstStop ? pod->gpus : 0;
    }
    if (!allReady) row.readyAt.reset();
    row.recalled = row.givenGpus > 0;
    for (const PodLife* pod : pods_) {
      const bool foreign = pod->node == name && !isOnline(*pod) && handedOver && pod->holdsAt(*handedOver);
      row.foreignGpus += foreign ? pod->gpus : 0;
    }
    return row;
  }

  void addVictims(report::NodeRow& row) const {
    bool allGone = true;
    for (const PodLife* pod : victims_) {
      if (pod->node != row.name) continue;
      const auto begun = since(pod->terminating);
      row.firstStop = row.firstStop ? std::min(row.firstStop, begun) : begun;
      row.freeAt = std::max(row.freeAt, since(pod->free));
      allGone = allGone && pod->free;
    }
    if (!allGone) row.freeAt.reset();
  }

  report::Occupant occupantOf(const PodLife& pod) const {
    const bool burst = std::ranges::find(burst_, &pod) != burst_.end();
    const auto tenant = burst                                  ? report::Tenant::Burst
                        : isOnline(pod)                        ? report::Tenant::Online
                        : stoppedOwners_.contains(pod.owner) ? report::Tenant::Victim
                                                               : report::Tenant::Offline;
    return {.tenant = tenant, .name = pod.owner, .gpus = pod.gpus};
  }

  report::NodeTile tileOf(const std::string& node, const std::vector<std::string>& uids) const {
    report::NodeTile tile{.name = node};
    tile.handedOver = std::ranges::any_of(
        run_.nodes, [&](const report::NodeRow& row) { return row.name == node && row.foreignGpus == 0; });
    int used = 0;
    for (const std::string& uid : uids) {
      const auto pod = std::ranges::find(pods_, uid, &PodLife::uid);
      report::Occupant next = occupantOf(**pod);
      used += next.gpus;
      const auto same = std::ranges::find_if(tile.occupants, [&](const report::Occupant& it) {
        return it.tenant == next.tenant && it.name == next.name;
      });
      if (same == tile.occupants.end()) {
        tile.occupants.push_back(std::move(next));
      } else {
        same->gpus += next.gpus;
      }
    }
    if (used < options_.gpusPerNode) tile.occupants.push_back({.gpus = options_.gpusPerNode - used});
    return tile;
  }

  std::vector<report::Snapshot> snapshots() const {
    std::vector<report::Snapshot> out;
    for (const Still& still : stage_.stills()) {
      report::Snapshot shot{.title = still.title, .at = still.at - stage_.burstAt()};
      for (const auto& [node, uids] : still.podsOnNode) shot.nodes.push_back(tileOf(node, uids));
      out.push_back(std::move(shot));
    }
    return out;
  }

  report::QueueSeries seriesOf(const QueueRole& role, bool online) const {
    report::QueueSeries out{
        .name = role.name, .guarantee = role.guarantee, .capability = role.capability, .online = online};
    int used = 0;
    for (const Recorder::UsageStep& step : stage_.recorder().usage()) {
      if (step.queue != role.name) continue;
      used += step.gpus;
      const Duration at = step.at - stage_.burstAt();
      if (!out.used.empty() && out.used.back().first == at) out.used.pop_back();
      out.used.emplace_back(at, used);
    }
    return out;
  }

  void addAmounts() {
    report::Totals& totals = run_.totals;
    totals.gpusWanted = options_.shape.gpus();
    int used = 0;
    for (const PodLife* pod : pods_) used += pod->holdsAt(stage_.burstAt()) ? pod->gpus : 0;
    totals.gpusIdleBefore = options_.nodes * options_.gpusPerNode - used;
    totals.gpusStopped = gpusOf(victims_);
    totals.nodesWanted = (totals.gpusWanted + options_.gpusPerNode - 1) / options_.gpusPerNode;
    totals.nodesUsed = static_cast<int>(run_.nodes.size());
    int delivered = 0;
    for (const report::NodeRow& node : run_.nodes) {
      delivered += node.givenGpus;
      totals.nodesShared += node.foreignGpus > 0 ? 1 : 0;
    }
    totals.gpusBeyondDemand = std::max(0, totals.gpusStopped - delivered);
    for (const report::JobRow& job : run_.jobs) {
      totals.jobsStopped += 1;
      totals.gangsBroken += job.broken ? 1 : 0;
      totals.lostGpuSeconds += job.lostGpuSeconds;
      totals.createdWhileSuspended += createdWhileSuspended(job);
      totals.evictedInVain += servesNobody(job) ? job.podsStopped : 0;
    }
  }

  bool servesNobody(const report::JobRow& job) const {
    return std::ranges::none_of(run_.nodes, [&](const report::NodeRow& node) {
      return std::ranges::find(job.nodes, node.name) != job.nodes.end();
    });
  }

  // Pods made for a job that may not run: while it is suspended, or, if nobody suspended it, during the peak. A job that
  // was only shrunk runs on, and may have them.
  int createdWhileSuspended(const report::JobRow& job) const {
    if (job.shrunk) return 0;
    const Suspension suspension = suspensionOf(stage_, job.name);
    const Time from = suspension.from.value_or(stage_.burstAt() + job.stoppingAt.value_or(Duration{}));
    const Time to = suspension.from ? suspension.to.value_or(Time::max()) : stage_.peakEndsAt();
    return static_cast<int>(std::ranges::count_if(pods_, [&](const PodLife* pod) {
      return pod->owner == job.name && pod->created > from && pod->created < to;
    }));
  }

  void addTimes() {
    report::Totals& totals = run_.totals;
    bool allGone = true;
    for (const PodLife* pod : victims_) {
      const auto begun = since(pod->terminating);
      totals.firstEviction = totals.firstEviction ? std::min(totals.firstEviction, begun) : begun;
      totals.lastVictimGone = std::max(totals.lastVictimGone, since(pod->free));
      allGone = allGone && pod->free && during(*pod->free);
    }
    if (!allGone) totals.lastVictimGone.reset();
    totals.lastBound = lastOf(&PodLife::bound);
    totals.lastReady = lastOf(&PodLife::ready);
    for (const api::Recall* recall : recallsOf(stage_)) {
      totals.planCost = totals.planCost.value_or(0) + recall->spec.cost;
      totals.lowerBound = totals.lowerBound.value_or(0) + recall->spec.lowerBound;
    }
  }

  // When the burst had as many pods in that state as it asked for.
  std::optional<Duration> lastOf(std::optional<Time> PodLife::*state) const {
    std::vector<Duration> times;
    for (const PodLife* pod : burst_) {
      if (pod->*state && during(*(pod->*state))) times.push_back(*since(pod->*state));
    }
    const auto wanted = static_cast<std::size_t>(options_.shape.pods);
    if (times.size() < wanted) return std::nullopt;
    std::ranges::sort(times);
    return times[wanted - 1];
  }

  // Milestones in order; each phase is what a milestone adds to the furthest one before it.
  std::vector<report::Phase> phases() const {
    std::optional<Duration> planned;
    std::optional<Duration> asked;
    std::optional<Duration> saved;
    for (const auto& plan : stage_.brain().planned()) {
      if (during(plan.at) && !planned) planned = plan.at - stage_.burstAt();
    }
    for (const report::JobRow& job : run_.jobs) {
      asked = std::max(asked, job.signalledAt ? job.signalledAt : job.stoppingAt);
      saved = std::max(saved, job.stoppingAt);
    }
    const report::Totals& totals = run_.totals;
    std::vector<report::Phase> out;
    Duration reached{};
    const auto add = [&](const char* name, const char* what, const std::optional<Duration>& milestone, bool skipped) {
      report::Phase phase{.name = name, .what = what};
      if (milestone) phase.length = std::max(Duration{}, *milestone - reached);
      if (skipped) phase.length = Duration{};
      reached = std::max(reached, milestone.value_or(reached));
      out.push_back(std::move(phase));
    };
    const bool idle = victims_.empty();  // nothing had to be recalled
    add("detect", "the burst asked for, to its recall begun", planned, idle);
    add("decide", "the plan made: no virtual time passes", planned, true);
    add("API", "the recall written down, every victim told", asked, idle);
    add("checkpoint", "to the last victim saved, or out of time", saved, idle);
    add("stop", "to the last victim pod gone", totals.lastVictimGone, idle);
    add("bind", "to the last pod of the burst bound", totals.lastBound, false);
    add("ready", "to the last pod of the burst Ready", totals.lastReady, false);
    return out;
  }

  const DrillOptions& options_;
  const Inputs& inputs_;
  const Stage& stage_;
  Pods pods_;
  Pods burst_;
  Pods victims_;
  std::set<std::string> stoppedOwners_;
  report::PolicyRun run_;
};

}  // namespace

Measured measure(const DrillOptions& options, const Inputs& inputs, const Stage& stage) {
  return Taker(options, inputs, stage).take();
}

}  // namespace tidegate::drill
