#include "scheduler/returning.hpp"

#include <algorithm>

#include "quota/legality.hpp"
#include "scheduler/devices.hpp"
#include "state/translate.hpp"

namespace tidegate::scheduler {
using placement::HowMany;
using placement::Session;
using placement::Slot;
using placement::Target;
using placement::Task;

namespace {

// Work that comes to an end by itself: that of jobs, not of services, notebooks and single pods.
bool willEnd(const GangInfo& gang) {
  const std::string& kind = gang.owner.kind;
  return !kind.empty() && kind != "ReplicaSet" && kind != "StatefulSet" && kind != "DaemonSet";
}

}  // namespace

ReturningWork::ReturningWork(Session& session, const Policy& policy, const placement::Scoring& scoring,
                             const std::vector<ReturningJob>& jobs)
    : session_(session), policy_(policy), scoring_(scoring) {
  if (jobs.empty()) return;
  entries_.reserve(jobs.size());
  ResourceTable table = session.state().resources();
  for (const ReturningJob& job : jobs) {
    entries_.push_back(entryOf(job));
    addTasks(entries_.back(), table);
  }
}

ReturningWork::Entry ReturningWork::entryOf(const ReturningJob& job) const {
  const ClusterState& state = session_.state();
  Entry entry;
  entry.job = &job;
  entry.queue = state.queues().find(job.query.queue);
  entry.rank = {.intact = !job.underWay,
                .minusPriority = policy_.priorityOrder ? -job.priority : 0,
                .extra = !job.whole && !job.underWay,
                .share = policy_.drfOrder && job.gang != kNone ? dominantShare(state, job.gang) : 0,
                .created = job.created.value_or(Time::min()),
                .uid = job.uid,
                .key = job.key};
  return entry;
}

void ReturningWork::addTasks(Entry& entry, ResourceTable& table) {
  if (entry.queue == quota::kNoQueue) return;
  const ClusterState& state = session_.state();
  const ReturningJob& job = *entry.job;
  std::size_t count = job.query.pods.size();
  if (job.whole && job.query.minMember > 0)
    count = std::min(count, static_cast<std::size_t>(job.query.minMember));
  const bool wholeNode = job.gang != kNone && state.gang(job.gang).wholeNode.value_or(
                                                  state.queues().config(entry.queue).wholeNode);
  entry.requests.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const api::PodSpec& spec = job.query.pods[i].spec;
    entry.requests.push_back(podRequest(spec, table));
    entry.tasks.push_back({.pod = kNone,
                           .gang = job.gang,
                           .queue = entry.queue,
                           .constraints = session_.classOf(spec),
                           .request = &entry.requests.back(),
                           .wholeNode = wholeNode});
  }
}

void ReturningWork::join(std::vector<WorkItem>& items) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.job->underWay && entry.job->gang != kNone) {
      for (WorkItem& item : items) {
        if (item.gang == entry.job->gang) item.rank = entry.rank;
      }
    }
    if (entry.tasks.empty() || entry.job->notYet) continue;
    items.push_back({.gang = entry.job->gang,
                     .queue = entry.queue,
                     .tasks = {},
                     .required = entry.job->whole,
                     .rank = entry.rank,
                     .returning = i});
  }
}

void ReturningWork::reserve(std::size_t index) {
  Entry& entry = entries_[index];
  if (!entry.job->whole && !unplacedBefore(entry.queue, entry.rank).empty()) return;
  if (place(entry, Target::Now) || place(entry, Target::Future)) return;
  if (entry.job->whole && entry.job->insists) keepClear(entry);
}

// True if nothing of it is left to place.
bool ReturningWork::place(Entry& entry, Target target) {
  if (entry.job->gang == kNone) return placeIn(entry, target, nullptr);
  const auto domains = placement::domainsOf(session_, entry.job->gang);
  if (!domains) return placeIn(entry, target, nullptr);
  if (!entry.job->whole) return !domains->empty() && placeIn(entry, target, &domains->front());
  return std::ranges::any_of(*domains, [&](const auto& domain) { return placeIn(entry, target, &domain); });
}

bool ReturningWork::placeIn(Entry& entry, Target target, const std::vector<Slot>* within) {
  std::vector<Task> rest;
  std::ranges::copy_if(entry.tasks, std::back_inserter(rest), [&](const Task& task) {
    return std::ranges::none_of(entry.kept,
                                [&](const Kept& kept) { return kept.task.request == task.request; });
  });
  const HowMany amount = entry.job->whole ? HowMany::AllOrNothing : HowMany::AsManyAsFit;
  for (const auto& placed : placeTasks(session_, rest, target, amount, scoring_, within)) {
    entry.kept.push_back({.task = placed.task, .slot = placed.slot, .bound = target == Target::Now});
  }
  return entry.kept.size() == entry.tasks.size();
}

// Where it will stand once the later work of its queue has ended, nobody who comes later may begin: else it
// would be passed over for ever by smaller jobs.
void ReturningWork::keepClear(Entry& entry) {
  const ClusterState& state = session_.state();
  const Session::Mark mark = session_.mark();
  for (const auto& [key, id] : state.gangIndex()) {
    const GangInfo& gang = state.gang(id);
    if (gang.queueId != entry.queue || !willEnd(gang) || !(entry.rank < rankOf(state, policy_, id))) continue;
    for (const PodId pod : gang.pods) {
      if (state.pod(pod).bound()) session_.evict(pod);
    }
  }
  place(entry, Target::Future);
  session_.rollback(mark);
  for (const Kept& kept : entry.kept) session_.pipeline(kept.task, kept.slot);
}

// Would it stand in the cluster as it is, were nobody else there: on nodes that take pods, and within its
// quota?
bool ReturningWork::wouldStandAlone(const Entry& entry) {
  ResourceVec all;
  for (const ResourceVec& request : entry.requests) all += request;
  const auto& tree = session_.quotaFuture();
  for (auto queue = entry.queue; queue != quota::kNoQueue; queue = tree.parent(queue)) {
    const ResourceLimits& capability = tree.config(queue).capability;
    for (ResourceId r = 0; r < all.size(); ++r) {
      if (all[r] > capability[r]) return false;
    }
  }
  auto next = entry.tasks.begin();
  for (Slot slot = 0; slot < session_.slots() && next != entry.tasks.end(); ++slot) {
    ResourceVec free = session_.node(slot).allocatable;
    while (next != entry.tasks.end() && next->request->fitsIn(free) &&
           session_.judge(slot, next->constraints) == placement::Verdict::Fits) {
      free -= *next->request;
      ++next;
    }
  }
  return next == entry.tasks.end();
}

bool ReturningWork::couldStand(Entry& entry) {
  if (!entry.stands) entry.stands = wouldStandAlone(entry);
  return *entry.stands;
}

// Whole jobs of the queue that are served before this rank and have no place; not those that could not stand.
std::vector<std::string> ReturningWork::unplacedBefore(quota::QueueId queue, const ServiceRank& rank) {
  std::vector<std::string> names;
  for (Entry& entry : entries_) {
    const bool waits = entry.job->whole && entry.kept.empty() && !entry.tasks.empty();
    if (!waits || entry.queue != queue || !(entry.rank < rank)) continue;
    if (couldStand(entry)) names.push_back(entry.job->key);
  }
  return names;
}

std::vector<std::size_t> ReturningWork::yieldTo(const WorkItem& claimant) {
  std::vector<std::size_t> yielded;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].kept.empty() || !mustYield(entries_[i], claimant)) continue;
    giveUp(entries_[i]);
    yielded.push_back(i);
  }
  return yielded;
}

bool ReturningWork::mustYield(const Entry& entry, const WorkItem& claimant) const {
  if (entry.queue == claimant.queue) return claimant.rank < entry.rank;
  const auto judged = acceleratorsIn(session_.state().resources(), *claimant.tasks.front().request);
  return std::ranges::any_of(entry.kept, [&](const Kept& kept) {
    return quota::exposed(session_.quotaFuture(), entry.queue, claimant.queue, *kept.task.request, judged);
  });
}

void ReturningWork::giveUp(Entry& entry) {
  for (const Kept& kept : entry.kept) session_.giveUp(kept.task, kept.slot, kept.bound);
  entry.kept.clear();
}

void ReturningWork::release() {
  for (Entry& entry : entries_) giveUp(entry);
}

std::vector<std::int32_t> ReturningWork::placedNow() const {
  std::vector<std::int32_t> counts;
  for (const Entry& entry : entries_) {
    const auto now = std::ranges::count_if(entry.kept, &Kept::bound);
    const bool all = now > 0 && entry.job->whole;
    counts.push_back(
        static_cast<std::int32_t>(all ? static_cast<std::ptrdiff_t>(entry.job->query.pods.size()) : now));
  }
  return counts;
}

std::vector<std::string> ReturningWork::kept() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (!entry.kept.empty()) names.push_back(entry.job->key);
  }
  return names;
}

}  // namespace tidegate::scheduler
