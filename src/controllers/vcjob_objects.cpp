// The objects of a job: made while they are missing, deleted when they are too many.
#include <algorithm>

#include "api/names.hpp"
#include "controllers/vcjob_status.hpp"
#include "controllers/vcjob_step.hpp"

namespace tidegate::vcjob {
namespace names = api::names;

namespace {

constexpr Duration kAskAgain = seconds(6);  // a pod that was made, and is not seen by then
// Pods of one job that are on their way at a time: a job of many thousands must not bury what others ask for.
constexpr int kMakingAtMost = 500;

std::string checkpointOf(const Book& book) {
  const auto find = [](const api::StringMap& annotations) {
    const auto found = annotations.find(names::kLastCheckpoint);
    return found == annotations.end() ? std::string() : found->second;
  };
  const std::string own = find(book.job->metadata.annotations);
  return own.empty() && book.group ? find(book.group->metadata.annotations) : own;
}

// "<job>-<task>-<index>": the index, if it is one of the task's.
bool isWanted(const api::VcJob& job, const PodView& pod) {
  const std::size_t task = taskIndex(job, pod.task);
  if (task == job.spec.tasks.size()) return false;
  const std::string prefix = job.metadata.name + "-" + pod.task + "-";
  if (!pod.name.starts_with(prefix)) return false;
  const std::string digits = pod.name.substr(prefix.size());
  if (digits.empty() || digits.size() > 9 ||
      !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  return std::stoi(digits) < job.spec.tasks[task].replicas;
}

}  // namespace

std::string extraKey(const api::ObjectRef& ref) {
  return "extra/" + ref.kind + "/" + ref.name;
}

void JobStep::ensureGroup() {
  const std::string name = podGroupName(*book_.job);
  if (!book_.group) {
    send("PodGroup/" + name, makePodGroup(*book_.job, context_.priorities,
                                          context_.queues.queueFor(namespace_(), book_.job->spec.queue)));
    return;
  }
  forget("PodGroup/" + name);
  if (book_.group->metadata.uid == book_.deadGroup) return;
  const auto change = podGroupChange(*book_.job, *book_.group, context_.priorities);
  if (!change) return forget("change");
  send("change",
       Merge{.target = api::refOf(*book_.group), .uid = book_.group->metadata.uid, .json = *change});
}

// A PodGroup that a stop of the whole job has given up; a later start makes a new one.
void JobStep::removeGroup() {
  const bool stopping = isStopping(book_.status.state.phase);
  if (!book_.group || !isStored()) return;
  const std::string& group = book_.group->metadata.uid;
  if (!stopping && group != book_.deadGroup) return;
  send("delete/" + group, Delete{.target = api::refOf(*book_.group), .uid = group});
}

// What pods mount and are reached by. An object of that name that is there already is taken for the job's,
// after a while: it may be the last one's of a job of the same name, on its way out.
void JobStep::ensureExtras() {
  if (book_.extrasDone) return;
  std::vector<Create> wanted = pluginObjects(*book_.job);
  std::ranges::move(volumeClaims(*book_.job), std::back_inserter(wanted));
  const auto isMissing = [&](const api::ObjectRef& ref) { return !book_.made.contains(extraKey(ref)); };
  bool missing = false;
  for (Create& extra : wanted) {
    const api::ObjectRef ref = extra.target;
    if (!isMissing(ref)) continue;
    missing = true;
    if (send(extraKey(ref), std::move(extra)) && ref.kind == "ConfigMap") {
      book_.hostsAsked = text(hostsData(*book_.job));
    }
  }
  const api::ObjectRef secret = sshSecretRef(*book_.job);
  if (book_.job->spec.plugins.contains("ssh") && isMissing(secret) && context_.makeKeys) {
    missing = true;
    if (!book_.keys) book_.keys = context_.makeKeys();
    send(extraKey(secret), sshSecret(*book_.job, *book_.keys));
  }
  book_.extrasDone = !missing && hostsAreRight();
}

// The hosts follow the tasks' replicas.
bool JobStep::hostsAreRight() {
  if (!book_.job->spec.plugins.contains("svc")) return true;
  const json::object data = hostsData(*book_.job);
  const std::string wanted = text(data);
  if (wanted == book_.hosts) return true;
  const api::ObjectRef target{
      .kind = "ConfigMap", .apiVersion = "v1", .namespace_ = namespace_(), .name = hostsName(*book_.job)};
  const Merge merge{.target = target, .uid = {}, .json = text({{"data", data}})};
  if (send("hosts", merge)) book_.hostsAsked = wanted;
  return false;
}

void JobStep::createPods() {
  if (!isStored()) return;
  auto living = static_cast<std::int32_t>(
      std::ranges::count_if(book_.pods, [](const auto& item) { return !item.second.terminating; }));
  for (const std::size_t task : tasksByPriority(*book_.job, context_.priorities)) {
    if (mayStart(book_.job->spec.tasks[task])) makeMissing(task, living);
  }
}

// The tasks it depends on (all, or any one) have their minimum of pods ready or done.
bool JobStep::mayStart(const api::TaskSpec& task) const {
  if (!task.dependsOn || task.dependsOn->name.empty()) return true;
  const auto isUp = [&](const std::string& name) {
    const std::size_t index = taskIndex(*book_.job, name);
    if (index == book_.job->spec.tasks.size()) return true;
    const auto up = std::ranges::count_if(book_.pods, [&](const auto& item) {
      const PodView& pod = item.second;
      return pod.task == name && !pod.terminating &&
             (pod.phase == PodPhase::Succeeded || (pod.phase == PodPhase::Running && pod.ready));
    });
    return up >= taskMinimum(book_.job->spec.tasks[index]);
  };
  return task.dependsOn->iteration == "any" ? std::ranges::any_of(task.dependsOn->name, isUp)
                                            : std::ranges::all_of(task.dependsOn->name, isUp);
}

void JobStep::makeMissing(std::size_t task, std::int32_t& living) {
  const api::VcJob& job = *book_.job;
  const PodMaking from{.version = book_.status.version,
                       .retryCount = book_.status.retryCount,
                       .checkpoint = checkpointOf(book_)};
  const std::int32_t limit = replicasLimit(job);
  auto making =
      std::ranges::count_if(book_.asked, [&](const auto& item) { return item.second > context_.now; });
  for (std::int32_t i = 0; i < job.spec.tasks[task].replicas && living < limit; ++i) {
    const std::string name = podName(job, job.spec.tasks[task], i);
    if (book_.pods.contains(name)) continue;
    ++living;
    const auto asked = book_.asked.find(name);
    if (asked == book_.asked.end() && making >= kMakingAtMost) return wake(context_.now + kAskAgain);
    Time& again = book_.asked[name];
    if (again <= context_.now) {
      ++making;
      again = context_.now + kAskAgain;
      send("Pod/" + name, makePod({.job = job, .task = task, .index = i}, from));
    }
    wake(again);
  }
}

// Pods beyond what the tasks ask for (scaled down), and those marked for their end.
void JobStep::removeSurplus() {
  for (const auto& [name, pod] : book_.pods) {
    if (!pod.terminating && !isWanted(*book_.job, pod)) kill(pod, true);
  }
}

// What is left of an earlier version. Ended pods go too, for their names are wanted: a gang starts whole,
// from its checkpoint; of single pods what has succeeded is not done again, but by a restart.
void JobStep::removeOld() {
  if (!isStored()) return;
  const bool keepsDone = jobMinimum(*book_.job) <= 1 && book_.status.state.phase != phase::kRestarting;
  for (const auto& [name, pod] : book_.pods) {
    const bool isOld = pod.version < book_.status.version || pod.outOfSync || book_.killed.contains(pod.uid);
    if (!isOld || pod.terminating) continue;
    if (keepsDone && pod.phase == PodPhase::Succeeded && !pod.outOfSync) continue;
    kill(pod, false);
  }
}

void JobStep::removeActive() {
  if (!isStored()) return;
  for (const auto& [name, pod] : book_.pods) {
    if (pod.active()) kill(pod, false);
  }
}

void JobStep::kill(const PodView& pod, bool mark) {
  book_.killed.insert(pod.uid);
  book_.living.erase(pod.uid);
  const api::ObjectRef target{
      .kind = "Pod", .apiVersion = "v1", .namespace_ = namespace_(), .name = pod.name};
  if (mark && !pod.outOfSync) {
    send("mark/" + pod.uid, Patch{.target = target, .uid = pod.uid, .annotations = {{kOutOfSync, "true"}}});
  }
  if (pod.terminating) return;
  send("kill/" + pod.uid,
       DeletePod{.namespace_ = namespace_(), .name = pod.name, .uid = pod.uid, .graceSeconds = pod.grace});
}

void JobStep::sendStatus() {
  if (book_.status == book_.stored) return;
  const WriteStatus write{.target = api::refOf(*book_.job),
                          .uid = uid(),
                          .resourceVersion = {},
                          .statusJson = statusText(book_.status, book_.stored)};
  if (send("status", write)) book_.sending = book_.status;
}

}  // namespace tidegate::vcjob
