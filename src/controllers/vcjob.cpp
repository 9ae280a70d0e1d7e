#include "controllers/vcjob.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/vcjob_step.hpp"

namespace tidegate {

using namespace vcjob;

namespace {

constexpr std::size_t kSmall = 64;             // jobs of more pods are looked at in batches
constexpr Duration kBatch = milliseconds(20);  // of the events of so long
// A step looks at every pod of its job. For each pod so much time lies between two steps: however large a job
// is and however fast its pods change, at most 50,000 of its pods are looked at in a second.
constexpr Duration kPerPod = std::chrono::microseconds(20);
constexpr int kMostConflicts = 5;  // times an extra's name was taken: it is the job's own
constexpr const char* kOrderPrefix = "order|";

std::string keyOf(const api::ObjectMeta& metadata) {
  return metadata.namespace_ + "/" + metadata.name;
}
std::string keyOf(const api::ObjectRef& ref) {
  return ref.namespace_ + "/" + ref.name;
}

const api::OwnerReference* owningJob(const api::ObjectMeta& metadata) {
  const auto found = std::ranges::find_if(metadata.ownerReferences, [](const api::OwnerReference& it) {
    return it.controller && it.kind == api::VcJob::kKind && it.apiVersion.starts_with("batch.volcano.sh/");
  });
  return found == metadata.ownerReferences.end() ? nullptr : &*found;
}

bool isForJobs(const api::BusCommand& order) {
  return order.target.kind == api::VcJob::kKind && order.target.apiVersion.starts_with("batch.volcano.sh/");
}

}  // namespace

std::vector<Command> VcJobController::handle(const Event& event, Time now) {
  std::visit([&](const auto& typed) { take(typed, now); }, event);
  if (started_) {
    askForOrders(now);
    stepAll(now);
    askToWake(now);
  }
  return outbox_.take();
}

void VcJobController::take(const ObjectSeen& event, Time) {
  std::visit([this](const auto& object) { seen(object); }, event.object);
}

void VcJobController::take(const Tick&, Time now) {
  if (!std::exchange(started_, true)) {
    for (const auto& [uid, book] : books_) dirty_.insert(uid);
  }
  while (!due_.empty() && due_.begin()->first <= now) {
    dirty_.insert(due_.begin()->second);
    dueOf_.erase(due_.begin()->second);
    due_.erase(due_.begin());
  }
}

void VcJobController::seen(const api::VcJob& object) {
  const std::string& uid = object.metadata.uid;
  const std::string key = keyOf(object.metadata);
  if (uid.empty() || !jobMirror_.isNews(key, object.metadata)) return;
  jobMirror_.put(key, object.metadata, uid);
  jobs_[key] = uid;
  Book& book = books_[uid];
  api::VcJob job = withDefaults(object);
  if (!book.job) {
    book.status = book.stored = job.status;
  } else if (book.job->spec != job.spec) {
    book.updated = true;
    book.extrasDone = false;
  }
  book.job = std::move(job);
  dirty_.insert(uid);
}

void VcJobController::seen(const api::Pod& pod) {
  const api::OwnerReference* owner = owningJob(pod.metadata);
  const std::string key = keyOf(pod.metadata);
  if (owner == nullptr || !podMirror_.isNews(key, pod.metadata)) return;
  const auto before = podMirror_.put(key, pod.metadata, {.jobUid = owner->uid, .jobName = owner->name});
  if (before && before->jobUid != owner->uid) {
    if (Book* book = find(before->jobUid)) book->pods.erase(pod.metadata.name);
    dirty_.insert(before->jobUid);
  }
  Book& book = books_[owner->uid];
  book.pods[pod.metadata.name] = viewOf(pod);
  book.asked.erase(pod.metadata.name);
  outbox_.forget(owner->uid + "|Pod/" + pod.metadata.name);
  dirty_.insert(owner->uid);
}

void VcJobController::seen(const api::PodGroup& group) {
  const api::OwnerReference* owner = owningJob(group.metadata);
  const std::string key = keyOf(group.metadata);
  if (owner == nullptr || !groupMirror_.isNews(key, group.metadata)) return;
  groupMirror_.put(key, group.metadata, owner->uid);
  books_[owner->uid].group = group;
  dirty_.insert(owner->uid);
}

void VcJobController::seen(const api::BusCommand& order) {
  if (!isForJobs(order)) return;
  orders_.seen(order);
  openOrders_.insert(order.metadata.uid);
}

void VcJobController::seen(const api::PriorityClass& priority) {
  priorities_[priority.metadata.name] = priority.value;
}

void VcJobController::take(const ObjectGone& event, Time) {
  const std::string key = keyOf(event.ref);
  if (event.ref.kind == api::Pod::kKind) return podGone(key, event.uid);
  if (event.ref.kind == api::BusCommand::kKind) orders_.gone(event.ref, event.uid);
  if (event.ref.kind == api::PodGroup::kKind) {
    if (const auto job = groupMirror_.remove(key, event.uid)) {
      if (Book* book = find(*job)) book->group.reset();
      dirty_.insert(*job);
    }
  }
  if (event.ref.kind == api::VcJob::kKind && event.ref.apiVersion == api::VcJob::kApiVersion) {
    const auto uid = jobMirror_.remove(key, event.uid);
    if (!uid) return;
    books_.erase(*uid);
    jobs_.erase(key);
  }
}

// A name that has become free may be one a job waits for: its own, or that of a job of the same name before.
void VcJobController::podGone(const std::string& key, const std::string& uid) {
  const auto owner = podMirror_.remove(key, uid);
  if (!owner) return;
  const std::string name = key.substr(key.find('/') + 1);
  const auto heir = jobs_.find(key.substr(0, key.find('/') + 1) + owner->jobName);
  if (Book* book = find(owner->jobUid)) {
    book->pods.erase(name);
    if (!book->job && book->pods.empty()) books_.erase(owner->jobUid);
  }
  for (const std::string& job : {owner->jobUid, heir == jobs_.end() ? owner->jobUid : heir->second}) {
    outbox_.forget(job + "|Pod/" + name);
    if (Book* book = find(job)) book->asked.erase(name);
    dirty_.insert(job);
  }
}

Book* VcJobController::find(const std::string& uid) {
  const auto found = books_.find(uid);
  return found == books_.end() ? nullptr : &found->second;
}

void VcJobController::take(const CommandDone& event, Time now) {
  const auto sent = outbox_.finished(event, now);
  if (!sent) return;
  if (sent->key.starts_with(kOrderPrefix)) {
    return orderDone(sent->key.substr(std::string_view(kOrderPrefix).size()), event.outcome);
  }
  const std::string uid = sent->key.substr(0, sent->key.find('|'));
  Book* book = find(uid);
  if (book == nullptr || !book->job) return outbox_.forget(sent->key);
  jobAnswer(*book, *sent, event);
  dirty_.insert(uid);
}

void VcJobController::jobAnswer(Book& book, const Outbox::Sent& sent, const CommandDone& done) {
  const std::string intention = sent.key.substr(sent.key.find('|') + 1);
  const bool succeeded = done.outcome == Outcome::Succeeded;
  if (intention == "status") {
    // Refused for good: nothing can be done about it, and the job must not stand still for it.
    if (succeeded || done.outcome == Outcome::Rejected) book.stored = book.sending;
    if (succeeded) outbox_.forget(sent.key);
  } else if (intention == "hosts") {
    if (succeeded) {
      book.hosts = book.hostsAsked;
      outbox_.forget(sent.key);
    } else if (done.outcome == Outcome::NotFound) {
      book.made.erase(
          extraKey({.kind = "ConfigMap", .apiVersion = {}, .namespace_ = {}, .name = hostsName(*book.job)}));
    }
  } else if (intention.starts_with("Pod/")) {
    podAnswer(book, sent, done);
  } else if (intention.starts_with("extra/")) {
    extraAnswer(book, intention, done.outcome);
  }
}

// Volcano gives a job up when a request for it has failed --max-requeue-num times.
void VcJobController::podAnswer(Book& book, const Outbox::Sent& sent, const CommandDone& done) {
  constexpr int kMostAttempts = 15;
  if (done.outcome == Outcome::Succeeded) return;
  book.asked.erase(sent.key.substr(sent.key.find("|Pod/") + 5));
  if (done.outcome != Outcome::Rejected) return;
  if (sent.attempts == 1 || sent.attempts == kMostAttempts) {
    outbox_.tell(Emit{
        .about = api::refOf(*book.job), .warning = true, .reason = "FailedCreate", .message = done.message});
  }
  if (sent.attempts >= kMostAttempts) book.rejected = true;
}

void VcJobController::extraAnswer(Book& book, const std::string& intention, Outcome outcome) {
  const bool taken = outcome == Outcome::Conflict && ++book.conflicts[intention] >= kMostConflicts;
  if (outcome != Outcome::Succeeded && !taken) return;
  book.made.insert(intention);
  if (intention.starts_with("extra/ConfigMap/")) book.hosts = taken ? std::string() : book.hostsAsked;
}

// Orders are deleted first and carried out when that has succeeded: at most once, whoever else looks at them.
void VcJobController::askForOrders(Time now) {
  std::erase_if(openOrders_, [&](const std::string& uid) { return !orders_.deletion(uid); });
  for (const std::string& uid : openOrders_) {
    if (outbox_.send(kOrderPrefix + uid, *orders_.deletion(uid), now)) orders_.deletionSent(uid);
  }
  if (const auto retry = outbox_.takeRetry()) schedule(kOrderPrefix, *retry);
}

void VcJobController::orderDone(const std::string& uid, Outcome outcome) {
  if (const auto order = orders_.deletionAnswered(uid, outcome)) carryOut(*order);
}

void VcJobController::carryOut(const api::BusCommand& order) {
  const auto job = jobs_.find(order.metadata.namespace_ + "/" + order.target.name);
  if (job == jobs_.end()) return;
  if (!order.target.uid.empty() && order.target.uid != job->second) return;  // meant for an earlier one
  const auto action = parseAction(order.action);
  Book& book = books_[job->second];
  outbox_.tell(
      Emit{.about = api::refOf(*book.job),
           .warning = !action,
           .reason = "CommandIssued",
           .message = fmt::format("{}: {}", order.action, action ? order.message : "no such action")});
  if (action) book.commands.push_back(*action);
  dirty_.insert(job->second);
}

void VcJobController::stepAll(Time now) {
  for (const std::string& uid : std::exchange(dirty_, {})) {
    const Book* book = find(uid);
    if (book == nullptr || !book->job) continue;
    const auto due = dueOf_.find(uid);
    const bool isWaiting = book->nextBatch > now;
    if (isWaiting) {
      if (due == dueOf_.end() || due->second > book->nextBatch) schedule(uid, book->nextBatch);
    } else {
      step(uid, now);
    }
  }
}

void VcJobController::step(const std::string& uid, Time now) {
  Book& book = books_[uid];
  if (book.pods.size() > kSmall) {
    book.nextBatch = now + std::max(kBatch, kPerPod * static_cast<std::int64_t>(book.pods.size()));
  }
  looked_ += book.pods.size();
  JobStep(
      book,
      {.outbox = outbox_, .priorities = priorities_, .queues = queues_, .makeKeys = makeKeys_, .now = now})
      .run();
  if (book.wakeAt) {
    schedule(uid, *book.wakeAt);
  } else if (const auto due = dueOf_.find(uid); due != dueOf_.end()) {
    due_.erase({due->second, uid});
    dueOf_.erase(due);
  }
}

void VcJobController::schedule(const std::string& uid, Time at) {
  if (const auto due = dueOf_.find(uid); due != dueOf_.end()) due_.erase({due->second, uid});
  dueOf_[uid] = at;
  due_.emplace(at, uid);
}

void VcJobController::askToWake(Time now) {
  if (due_.empty()) return;
  const Time next = std::max(due_.begin()->first, now);
  if (asked_ && *asked_ > now && *asked_ <= next) return;
  asked_ = next;
  outbox_.tell(WakeAt{next});
}

}  // namespace tidegate
