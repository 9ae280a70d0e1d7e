#include "controllers/vcjob_step.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/names.hpp"
#include "controllers/vcjob_check.hpp"
#include "controllers/vcjob_events.hpp"
#include "controllers/vcjob_status.hpp"

namespace tidegate::vcjob {
namespace names = api::names;

namespace {

constexpr const char* kInvalid = "InvalidJob";
constexpr const char* kRecalled = "Recalled";
constexpr const char* kSuspended = "Suspended";

bool isHeld(const api::VcJobState& state) {
  return state.reason == kRecalled || state.reason == kSuspended;
}

// Who suspended the job, and since when. A recall notes the time; a user who sets the annotation need not.
NewState heldState(const api::VcJob& job, Time now) {
  const api::StringMap& annotations = job.metadata.annotations;
  const auto since = annotations.find(names::kSuspendedAt);
  const bool recalled = since != annotations.end();
  return {.phase = phase::kPending,
          .reason = recalled ? kRecalled : kSuspended,
          .message = fmt::format("{} by {} since {}", recalled ? "recalled" : "suspended",
                                 annotations.at(names::kSuspend),
                                 recalled ? since->second : formatTime(std::chrono::floor<seconds>(now)))};
}

}  // namespace

void JobStep::run() {
  book_.wakeAt.reset();
  if (book_.job->metadata.deletionTimestamp) return;  // its objects go with it
  std::vector<JobEvent> happened = takeEvents(book_);
  std::optional<Time> pendingDue;
  std::ranges::copy(overduePods(book_, context_.now, pendingDue), std::back_inserter(happened));
  if (pendingDue) wake(*pendingDue);
  countPods(book_, book_.status);
  if (book_.status.state.phase.empty()) begin();
  proceed(happened);
  countPods(book_, book_.status);
  sendStatus();
  if (const auto retry = context_.outbox.takeRetry()) wake(*retry);
}

// The first look at a job.
void JobStep::begin() {
  const std::vector<std::string> mistakes = problems(*book_.job);
  if (mistakes.empty()) return enter({.phase = phase::kPending});
  const std::string message = fmt::format("{}", fmt::join(mistakes, "; "));
  enter({.phase = phase::kFailed, .reason = kInvalid, .message = message});
  emit(true, kInvalid, message);
}

void JobStep::proceed(const std::vector<JobEvent>& happened) {
  if (isFinal(book_.status.state.phase)) return finish();
  act(judge(happened));
  const std::string& phase = book_.status.state.phase;
  if (isFinal(phase)) return finish();
  if (isStopping(phase)) return drain();
  if (isSuspended(*book_.job)) return suspend();
  if (phase == phase::kRestarting) restarting();
  if (phase == phase::kPending || phase == phase::kRunning) sync();
}

void JobStep::finish() {
  removeActive();
  if (book_.group && book_.status.state.phase == phase::kTerminated)
    book_.deadGroup = book_.group->metadata.uid;
  removeGroup();
  const auto ttl = book_.job->spec.ttlSecondsAfterFinished;
  const auto since = book_.status.state.lastTransitionTime;
  if (!ttl || !since) return;
  const Time due = *since + seconds(*ttl);
  if (context_.now < due) return wake(due);
  send("expire", Delete{.target = api::refOf(*book_.job), .uid = uid()});
}

// No pods until the annotation is taken off; the PodGroup keeps the job's place.
void JobStep::suspend() {
  const bool isDone = isFinal(syncedPhase(book_)) && !isHeld(book_.status.state);
  if (isDone && book_.status.state.phase == phase::kRunning) return sync();
  if (!isHeld(book_.status.state)) {
    ++book_.status.version;
    book_.delayed.clear();
    enter(heldState(*book_.job, context_.now));
    emit(false, book_.status.state.reason, book_.status.state.message);
  }
  removeOld();
  ensureGroup();
}

// Abort, terminate and complete wait for the last pod; what has ended stays to be looked at.
void JobStep::drain() {
  removeActive();
  removeGroup();
  const bool busy = std::ranges::any_of(
      book_.pods, [](const auto& item) { return item.second.active() || item.second.terminating; });
  if (busy || !isStored()) return;
  const std::string& now = book_.status.state.phase;
  if (now == phase::kAborting) enter({.phase = phase::kAborted, .reason = {}, .message = {}});
  if (now == phase::kTerminating) enter({.phase = phase::kTerminated, .reason = {}, .message = {}});
  if (now == phase::kCompleting) enter({.phase = phase::kCompleted, .reason = {}, .message = {}});
}

void JobStep::restarting() {
  if (book_.status.retryCount >= *book_.job->spec.maxRetry) {
    const std::string message =
        fmt::format("restarted {} times, which is as often as it may", book_.status.retryCount);
    if (book_.group) book_.deadGroup = book_.group->metadata.uid;
    enter({.phase = phase::kFailed, .reason = "RetriesUsedUp", .message = message});
    emit(true, "RetriesUsedUp", message);
    return finish();
  }
  removeOld();
  removeGroup();
  const auto leaving = static_cast<std::int32_t>(std::ranges::count_if(book_.pods, [&](const auto& item) {
    const PodView& pod = item.second;
    return pod.terminating || book_.killed.contains(pod.uid) || pod.outOfSync ||
           pod.version < book_.status.version;
  }));
  if (isStored() && jobReplicas(*book_.job) - leaving >= jobMinimum(*book_.job)) {
    enter({.phase = phase::kPending, .reason = {}, .message = {}});
  }
}

// Pending and Running: what is asked for is made, what is too much goes, and the counts decide.
void JobStep::sync() {
  if (isHeld(book_.status.state)) enter({.phase = phase::kPending, .reason = {}, .message = {}});
  const std::vector<std::string> mistakes = problems(*book_.job);
  const std::string message = fmt::format("{}", fmt::join(mistakes, "; "));
  if (message != std::exchange(book_.toldProblem, message) && !message.empty()) emit(true, kInvalid, message);
  removeOld();
  removeGroup();
  if (mistakes.empty()) {  // a running job that was edited into nonsense keeps what it has
    removeSurplus();
    ensureGroup();
    ensureExtras();
    createPods();
  }
  const std::string next = syncedPhase(book_);
  if (next != book_.status.state.phase) enter({.phase = next, .reason = {}, .message = {}});
  if (isFinal(next)) finish();
}

void JobStep::enter(const NewState& state) {
  setState(book_.status, state, context_.now);
}

void JobStep::emit(bool warning, const std::string& reason, const std::string& message) {
  context_.outbox.tell(
      Emit{.about = api::refOf(*book_.job), .warning = warning, .reason = reason, .message = message});
}

}  // namespace tidegate::vcjob
