// One step of a job: looks at what there is and asks for what is missing.
//
// States as in Volcano's pkg/controllers/job/state, and:
// - A job with annotation tidegate.dev/suspend keeps its PodGroup (its place) and no pods; its phase is
//   Pending with the reason Recalled or Suspended. Its version grows, so that no end of its pods is an event.
// - Annotation tidegate.dev/replicas-limit: pods are made up to that many.
// - Pods are made without waiting for the PodGroup to be enqueued: the scheduler admits by pods.
// - What stops pods is written to the status first; the pods follow once that is stored. A restart of the
//   controller in between goes on from the status, and counts no retry twice.
#pragma once

#include <string>

#include "controllers/membership.hpp"
#include "controllers/vcjob_book.hpp"
#include "controllers/vcjob_pods.hpp"
#include "controllers/vcjob_status.hpp"
#include "protocol/outbox.hpp"

namespace tidegate::vcjob {

// What a step works with besides its job.
struct StepContext {
  Outbox& outbox;
  const Priorities& priorities;
  const NamespaceQueues& queues;
  const KeyMaker& makeKeys;
  Time now;
};

// The intention to make an object of a plugin or a volume.
std::string extraKey(const api::ObjectRef& ref);

class JobStep {
 public:
  JobStep(Book& book, const StepContext& context) : book_(book), context_(context) {}
  // Sends what is to be done; book.wakeAt is when to look again if nothing happens until then.
  void run();

 private:
  struct Verdict {
    JobAction action = JobAction::Sync;
    std::vector<JobEvent> events;  // that ask for it
  };

  // vcjob_step.cpp: phases
  void begin();
  void proceed(const std::vector<JobEvent>& happened);
  void finish();
  void suspend();
  void drain();
  void restarting();
  void sync();
  void enter(const NewState& state);

  // vcjob_actions.cpp: what policies and orders do
  Verdict judge(const std::vector<JobEvent>& happened);
  void delay(const JobEvent& event, const Answer& answer);
  std::vector<JobEvent> takeDue();
  void act(const Verdict& verdict);
  void restart(const Verdict& verdict);
  void stopAll(const char* phase, JobAction action);

  // vcjob_objects.cpp: objects made and deleted
  void ensureGroup();
  void removeGroup();
  void ensureExtras();
  bool hostsAreRight();
  void createPods();
  bool mayStart(const api::TaskSpec& task) const;
  void makeMissing(std::size_t task, std::int32_t& living);
  void removeSurplus();
  void removeOld();
  void removeActive();
  void kill(const PodView& pod, bool mark);
  void sendStatus();

  // False if it is under way, or has failed a moment ago. Intentions are the job's own: "<uid>|<intention>".
  bool send(const std::string& intention, Action action) {
    return context_.outbox.send(uid() + "|" + intention, std::move(action), context_.now);
  }
  void forget(const std::string& intention) { context_.outbox.forget(uid() + "|" + intention); }
  bool isStored() const { return book_.stored.version >= book_.status.version; }
  const std::string& uid() const { return book_.job->metadata.uid; }
  const std::string& namespace_() const { return book_.job->metadata.namespace_; }
  void wake(Time at) { book_.wakeAt = book_.wakeAt ? std::min(*book_.wakeAt, at) : at; }
  void emit(bool warning, const std::string& reason, const std::string& message);

  Book& book_;
  const StepContext& context_;
};

}  // namespace tidegate::vcjob
