#include "world/sim/work_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "api/names.hpp"
#include "core/error.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

// Members that are asked to save at different moments still make one checkpoint, if they are not further
// apart.
constexpr Duration kRoundWindow = seconds(60);

std::vector<std::string> keysOf(const auto& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::shared_ptr<const api::PodGroup> groupOf(const ObjectStore& store, const api::Pod& pod) {
  const auto named = pod.metadata.annotations.find(api::names::kGroupName);
  if (named == pod.metadata.annotations.end()) return nullptr;
  return store.find<api::PodGroup>(keyOf(pod.metadata.namespace_, named->second));
}

// How many members the owner of a gang wants at most.
std::int32_t fullSize(const ObjectStore& store, const api::Pod& pod, std::int32_t minimum) {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  if (!owner) return minimum;
  const std::string key = keyOf(pod.metadata.namespace_, owner->name);
  std::int32_t size = 0;
  if (owner->apiVersion == api::VcJob::kApiVersion) {
    if (const auto job = store.find<api::VcJob>(key)) {
      for (const api::TaskSpec& task : job->spec.tasks) size += task.replicas;
    }
  } else if (owner->apiVersion == api::BatchJob::kApiVersion) {
    if (const auto job = store.find<api::BatchJob>(key)) size = job->spec.parallelism.value_or(1);
  }
  return std::max(size, minimum);
}

}  // namespace

std::vector<const JobWork*> WorkLedger::jobs() const {
  std::vector<const JobWork*> out;
  for (const std::string& key : order_) out.push_back(&jobs_.at(key).work);
  return out;
}

WorkLedger::Job* WorkLedger::jobOf(const std::string& uid) {
  const auto key = jobByPod_.find(uid);
  return key == jobByPod_.end() ? nullptr : &jobs_.at(key->second);
}

void WorkLedger::create(const std::string& key, const api::Pod& pod, const PodTiming& timing,
                        const api::PodGroup* group) {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  Job& job = jobs_[key];
  order_.push_back(key);
  job.accruedAt = clock_.now();
  JobWork& work = job.work;
  work.name = owner ? keyOf(pod.metadata.namespace_, owner->name) : keyOf(pod.metadata);
  if (const auto mark = key.find('#'); mark != std::string::npos) work.name += key.substr(mark);
  work.ownerKind = owner ? owner->kind : api::Pod::kKind;
  if (group) {
    work.group = keyOf(group->metadata);
    work.minimum = std::max(1, group->spec.minMember);
    work.size = fullSize(store_, pod, work.minimum);
  }
  work.gpus = gpusOf(pod.spec) * work.size;
  work.total = *timing.run;
  work.step = std::max(timing.step, Duration{1});
  work.interval = timing.checkpointInterval;
}

// The job a process works for: its gang, or, without one, a share of the owner's work that nobody holds; of
// several free shares the one that is furthest on.
std::string WorkLedger::place(const api::Pod& pod, const PodTiming& timing) {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  const std::string base = owner ? owner->uid : pod.metadata.uid;
  if (const auto group = groupOf(store_, pod)) {
    if (!jobs_.contains(base)) create(base, pod, timing, group.get());
    return base;
  }
  std::string best;
  std::string key = base;
  for (int share = 1; jobs_.contains(key); ++share) {
    const Job& job = jobs_.at(key);
    const bool free = job.members.empty() && !job.work.finishedAt;
    if (free && (best.empty() || job.work.saved > jobs_.at(best).work.saved)) best = key;
    key = fmt::format("{}#{}", base, share);
  }
  if (!best.empty()) return best;
  create(key, pod, timing, nullptr);
  return key;
}

std::int32_t WorkLedger::workers(const Job& job) const {
  std::int32_t working = 0;
  for (const auto& [uid, member] : job.members) {
    if (member.saving && member.working) return 0;  // a save stalls all: the gang steps together
    if (member.working) ++working;
  }
  return working >= job.work.minimum ? std::min(working, job.work.size) : 0;
}

void WorkLedger::accrue(Job& job) {
  const Duration passed = clock_.now() - job.accruedAt;
  job.accruedAt = clock_.now();
  const std::int32_t working = workers(job);
  if (working == 0 || job.work.finishedAt) return;
  job.work.done = std::min(job.work.total, job.work.done + passed * working / job.work.size);
  job.sinceSave += passed;
}

// Accounts for what a broken job has lost.
void WorkLedger::settle(Job& job) {
  if (!job.broken || job.work.finishedAt) return;
  job.broken = false;
  job.starting = true;
  job.round.reset();
  JobWork& work = job.work;
  const auto lost = static_cast<std::int64_t>(toSeconds((work.done - work.saved) * work.gpus));
  const WorkStop stop{clock_.now(), work.stepOf(work.done), work.stepOf(work.saved), lost};
  work.lostGpuSeconds += lost;
  work.done = work.saved;
  work.stops.push_back(stop);
  hooks_.stopped(work, stop);
}

// Notes a start or a resume once enough members work.
void WorkLedger::startIfWhole(Job& job) {
  if (workers(job) == 0) return;
  settle(job);
  if (!job.starting) return;
  job.starting = false;
  job.sinceSave = {};
  if (!job.work.startedAt) {
    job.work.startedAt = clock_.now();
    return;
  }
  const WorkResume resume{clock_.now(), job.work.stepOf(job.work.saved)};
  job.work.resumes.push_back(resume);
  hooks_.resumed(job.work, resume);
}

void WorkLedger::join(const api::Pod& pod, const PodTiming& timing) {
  if (!timing.run) return;
  const std::string key = place(pod, timing);
  Job& job = jobs_.at(key);
  if (job.work.finishedAt) return hooks_.finished(job.work, {pod.metadata.uid});
  accrue(job);
  job.members[pod.metadata.uid] = {};
  jobByPod_[pod.metadata.uid] = key;
  startIfWhole(job);
  setAlarm(job);
}

void WorkLedger::beginSave(const std::string& uid) {
  Job* job = jobOf(uid);
  if (!job) return;
  accrue(*job);
  Member& member = job->members.at(uid);
  if (!job->round || member.saved || job->work.done - job->round->at > kRoundWindow) openRound(*job);
  member.saving = true;
  setAlarm(*job);
}

void WorkLedger::openRound(Job& job) {
  job.round = Round{.at = job.work.done, .waitingFor = {}};
  for (auto& [uid, member] : job.members) {
    member.saved = false;
    job.round->waitingFor.insert(uid);
  }
}

void WorkLedger::endSave(const std::string& uid) {
  Job* job = jobOf(uid);
  if (!job) return;
  accrue(*job);
  Member& member = job->members.at(uid);
  member.saving = false;
  if (job->round) {
    member.saved = true;
    job->round->waitingFor.erase(uid);
    if (job->round->waitingFor.empty()) commitSave(*job, job->round->at);
  }
  startIfWhole(*job);
  setAlarm(*job);
}

void WorkLedger::commitSave(Job& job, Duration at) {
  job.round.reset();
  job.work.saved = std::max(job.work.saved, at);
  job.work.lastSave = clock_.now();
  job.sinceSave = {};
  hooks_.saved(job.work, keysOf(job.members));
}

void WorkLedger::leave(const std::string& uid) {
  Job* job = jobOf(uid);
  if (!job) return;
  accrue(*job);
  const bool worked = workers(*job) > 0;
  job->members.at(uid).working = false;
  if (worked && workers(*job) == 0) job->broken = true;
  setAlarm(*job);
}

void WorkLedger::die(const std::string& uid) {
  Job* job = jobOf(uid);
  if (!job) return;
  leave(uid);
  if (job->round && job->round->waitingFor.contains(uid)) job->round.reset();  // torn
  job->members.erase(uid);
  jobByPod_.erase(uid);
  if (static_cast<std::int32_t>(job->members.size()) < job->work.minimum && job->work.startedAt)
    job->broken = true;
  if (job->members.empty()) settle(*job);
  setAlarm(*job);
}

bool WorkLedger::unsaved(const std::string& uid) {
  Job* job = jobOf(uid);
  if (!job) return false;
  accrue(*job);
  return job->work.done > job->work.saved;
}

void WorkLedger::finish(Job& job) {
  job.work.saved = job.work.done;
  job.work.finishedAt = clock_.now();
  job.round.reset();
  hooks_.finished(job.work, keysOf(job.members));
}

// Asks to be woken when the job ends or its next checkpoint is due, if it goes on as it does now.
void WorkLedger::setAlarm(Job& job) {
  const std::uint64_t mine = ++job.alarm;
  const std::int32_t working = workers(job);
  if (working == 0 || job.work.finishedAt) return;
  const Duration left = job.work.total - job.work.done;
  Duration next{(left.count() * job.work.size + working - 1) / working};
  if (job.work.interval) next = std::min(next, std::max(*job.work.interval - job.sinceSave, Duration{1}));
  clock_.after(next, [this, &job, mine] {
    if (job.alarm == mine) alarm(job);
  });
}

void WorkLedger::alarm(Job& job) {
  accrue(job);
  if (job.work.done >= job.work.total) return finish(job);
  if (job.work.interval && job.sinceSave >= *job.work.interval) commitSave(job, job.work.done);
  setAlarm(job);
}

}  // namespace tidegate::sim
