#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "drill/measure.hpp"

namespace tidegate::drill {
namespace {

using Pods = std::vector<const PodLife*>;

std::optional<Time> earlier(const std::optional<Time>& a, const std::optional<Time>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}
std::optional<Time> later(const std::optional<Time>& a, const std::optional<Time>& b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

// All that the recalls since the burst wrote down about one owner.
struct Record {
  std::optional<Time> signalled = {};
  std::optional<Time> checkpointed = {};
  std::optional<Time> stopping = {};
  std::int64_t lostAsPlanned = 0;
};

Record recordOf(const Played& played, const std::string& owner) {
  Record out;
  for (const api::Recall* recall : recallsOf(played)) {
    for (const api::RecallVictim& victim : recall->spec.victims) {
      if (victim.owner != owner) continue;
      out.signalled = earlier(out.signalled, victim.signalledAt);
      out.checkpointed = later(out.checkpointed, victim.checkpointedAt);
      out.stopping = earlier(out.stopping, victim.stoppingAt);
      out.lostAsPlanned += victim.lostGpuSeconds;
    }
  }
  return out;
}

class JobMeasure {
 public:
  JobMeasure(const Played& played, const Pods& stopped)
      : played_(played),
        stopped_(stopped),
        record_(recordOf(played, stopped.front()->owner)),
        work_(played.work(stopped.front()->owner)) {}

  report::JobRow row() {
    const PodLife& first = *stopped_.front();
    row_.name = first.owner;
    row_.kind = first.ownerKind;
    row_.queue = first.queue;
    addPods();
    addTimes();
    addWork();
    return std::move(row_);
  }

 private:
  std::optional<Duration> since(const std::optional<Time>& t) const {
    return t ? std::optional{*t - played_.burstAt()} : std::nullopt;
  }

  void addPods() {
    std::set<std::string> nodes;
    std::int64_t chosen = 0;
    for (const PodLife* pod : stopped_) {
      nodes.insert(pod->node);
      row_.gpusStopped += pod->gpus;
      chosen += played_.chosen(pod->uid) ? 1 : 0;
    }
    row_.nodes.assign(nodes.begin(), nodes.end());
    row_.podsStopped = static_cast<int>(stopped_.size());
    row_.podsTotal =
        static_cast<int>(std::ranges::count_if(played_.recorder().pods(), [&](const PodLife* pod) {
          return pod->owner == row_.name && pod->holdsAt(played_.burstAt());
        }));
    // What the scheduler left of the gang, whatever the job's own controller made of that.
    const std::int64_t left = row_.podsTotal - chosen;
    row_.broken = left > 0 && left < played_.minimumOf(row_.name).value_or(0);
    row_.shrunk = !row_.broken && row_.podsStopped < row_.podsTotal;
  }

  void addTimes() {
    std::optional<Time> begun;
    std::optional<Time> asked;
    std::optional<Time> released = stopped_.front()->free;
    for (const PodLife* pod : stopped_) {
      begun = earlier(begun, pod->terminating);
      asked = earlier(asked, pod->signalled);
      released = released && pod->free ? later(released, pod->free) : std::nullopt;
    }
    row_.signalledAt = since(earlier(record_.signalled, asked));
    row_.checkpointedAt = since(record_.checkpointed);
    row_.stoppingAt = since(record_.stopping ? record_.stopping : begun);
    row_.releasedAt = since(released);
    row_.suspendedAt = since(played_.suspension(row_.name).from);
    if (!row_.suspendedAt && row_.kind == "Deployment") row_.suspendedAt = row_.stoppingAt;  // scaled down
    row_.resumedAt = since(runningAgain(begun));
  }

  // The first of its pods that is placed anew.
  std::optional<Time> runningAgain(const std::optional<Time>& stop) const {
    std::optional<Time> out;
    for (const PodLife* pod : played_.recorder().pods()) {
      if (pod->owner == row_.name && pod->created >= *stop) out = earlier(out, pod->ready);
    }
    return out;
  }

  void addWork() {
    if (work_ == nullptr) {
      if (!record_.checkpointed) row_.lostGpuSeconds = record_.lostAsPlanned;
      return;
    }
    row_.endedAt = since(work_->finishedAt);
    const sim::WorkStop* stop = nullptr;
    for (const sim::WorkStop& it : work_->stops) {
      if (it.at < played_.burstAt() || it.at >= played_.peakEndsAt()) continue;
      row_.lostGpuSeconds += it.lostGpuSeconds;
      if (stop == nullptr) stop = &it;
    }
    if (stop == nullptr) return;
    row_.stepAtStop = stop->step;
    row_.savedStep = stop->savedStep;
    const auto resume =
        std::ranges::find_if(work_->resumes, [&](const auto& it) { return it.at >= stop->at; });
    if (resume != work_->resumes.end()) row_.resumedFromStep = resume->fromStep;
    if (row_.signalledAt && !row_.checkpointedAt && row_.lostGpuSeconds > 0) {
      row_.note = "no checkpoint in the time it was given: its grace was cut short";
    }
  }

  const Played& played_;
  const Pods& stopped_;
  Record record_;
  const sim::JobWork* work_;
  report::JobRow row_;
};

}  // namespace

std::vector<const api::Recall*> recallsOf(const Played& played) {
  std::vector<const api::Recall*> out;
  for (const auto& [name, recall] : played.recorder().recalls()) {
    if (recall.spec.startedAt && *recall.spec.startedAt >= played.burstAt() &&
        *recall.spec.startedAt < played.peakEndsAt()) {
      out.push_back(&recall);
    }
  }
  return out;
}

std::vector<report::JobRow> measureJobs(const Played& played, const Pods& victims) {
  std::map<std::string, Pods> byOwner;
  for (const PodLife* pod : victims) byOwner[pod->owner].push_back(pod);
  std::vector<report::JobRow> out;
  for (const auto& [owner, pods] : byOwner) out.push_back(JobMeasure(played, pods).row());
  std::ranges::sort(out, [](const report::JobRow& a, const report::JobRow& b) {
    return std::tuple(-a.gpusStopped, a.name) < std::tuple(-b.gpusStopped, b.name);
  });
  return out;
}

}  // namespace tidegate::drill
