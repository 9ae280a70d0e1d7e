#include <algorithm>

#include "drill/measure.hpp"
#include "drill/view.hpp"

namespace tidegate::drill {
namespace {

class TotalsMeasure {
 public:
  TotalsMeasure(const View& view, const report::PolicyRun& run) : view_(view), run_(run) {}

  report::Totals totals() {
    addAmounts();
    addTimes();
    return totals_;
  }

 private:
  void addAmounts() {
    totals_.gpusWanted = view_.options.shape.gpus();
    int used = 0;
    for (const PodLife* pod : view_.pods) used += pod->holdsAt(view_.played.burstAt()) ? pod->gpus : 0;
    totals_.gpusIdleBefore = view_.options.nodes * view_.options.gpusPerNode - used;
    totals_.gpusStopped = gpusOf(view_.victims);
    totals_.nodesWanted = (totals_.gpusWanted + view_.options.gpusPerNode - 1) / view_.options.gpusPerNode;
    totals_.nodesUsed = static_cast<int>(run_.nodes.size());
    int delivered = 0;
    for (const report::NodeRow& node : run_.nodes) {
      delivered += node.givenGpus;
      totals_.nodesShared += node.foreignGpus > 0 ? 1 : 0;
    }
    totals_.gpusBeyondDemand = std::max(0, totals_.gpusStopped - delivered);
    for (const report::JobRow& job : run_.jobs) {
      totals_.jobsStopped += 1;
      totals_.gangsBroken += job.broken ? 1 : 0;
      totals_.lostGpuSeconds += job.lostGpuSeconds;
      totals_.createdWhileSuspended += createdWhileSuspended(job);
      totals_.evictedInVain += servesNobody(job) ? job.podsStopped : 0;
    }
  }

  bool servesNobody(const report::JobRow& job) const {
    return std::ranges::none_of(run_.nodes, [&](const report::NodeRow& node) {
      return std::ranges::find(job.nodes, node.name) != job.nodes.end();
    });
  }

  // Pods made for a job that may not run: while it is suspended, or, if nobody suspended it, during the peak.
  // A job that was only shrunk runs on, and may have them.
  int createdWhileSuspended(const report::JobRow& job) const {
    if (job.shrunk) return 0;
    const Suspension suspension = view_.played.suspension(job.name);
    const Time from = suspension.from.value_or(view_.played.burstAt() + job.stoppingAt.value_or(Duration{}));
    const Time to = suspension.from ? suspension.to.value_or(Time::max()) : view_.played.peakEndsAt();
    return static_cast<int>(std::ranges::count_if(view_.pods, [&](const PodLife* pod) {
      return pod->owner == job.name && pod->created > from && pod->created < to;
    }));
  }

  void addTimes() {
    bool allGone = true;
    for (const PodLife* pod : view_.victims) {
      const auto begun = view_.since(pod->terminating);
      totals_.firstEviction = totals_.firstEviction ? std::min(totals_.firstEviction, begun) : begun;
      totals_.lastVictimGone = std::max(totals_.lastVictimGone, view_.since(pod->free));
      allGone = allGone && pod->free && view_.during(*pod->free);
    }
    if (!allGone) totals_.lastVictimGone.reset();
    totals_.lastBound = lastOf(&PodLife::bound);
    totals_.lastReady = lastOf(&PodLife::ready);
    for (const api::Recall* recall : recallsOf(view_.played)) {
      totals_.planCost = totals_.planCost.value_or(0) + recall->spec.cost;
      totals_.lowerBound = totals_.lowerBound.value_or(0) + recall->spec.lowerBound;
    }
  }

  // When the burst had as many pods in that state as it asked for.
  std::optional<Duration> lastOf(std::optional<Time> PodLife::* state) const {
    std::vector<Duration> times;
    for (const PodLife* pod : view_.burst) {
      if (pod->*state && view_.during(*(pod->*state))) times.push_back(*view_.since(pod->*state));
    }
    const auto wanted = static_cast<std::size_t>(view_.options.shape.pods);
    if (times.size() < wanted) return std::nullopt;
    std::ranges::sort(times);
    return times[wanted - 1];
  }

  const View& view_;
  const report::PolicyRun& run_;
  report::Totals totals_;
};

}  // namespace

report::Totals measureTotals(const View& view, const report::PolicyRun& run) {
  return TotalsMeasure(view, run).totals();
}

}  // namespace tidegate::drill
