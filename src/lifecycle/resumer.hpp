// Brings recalled jobs back: one at a time, when what took their GPUs is over and their whole gang fits.
#pragma once

#include <string>
#include <vector>

#include "lifecycle/freeing_watch.hpp"
#include "lifecycle/suspended_jobs.hpp"
#include "protocol/act.hpp"

namespace tidegate::lifecycle {

struct ResumeOptions {
  Duration cooldown = seconds(30);       // after its stop a job waits at least so long
  Duration spacing = milliseconds(500);  // between two resumes: no thundering herd
  Duration shortRun = seconds(600);      // recalled again within this of a resume: the wait doubles each time
  Duration patience = seconds(600);      // ready and passed over for so long: nodes are kept clear for it
  Duration settling =
      seconds(30);  // so long the room of a resumed job is kept in mind while it has no pods yet
};

// A job waits until its recall is over and the demand that took its GPUs is placed; until its last pod is
// gone (two incarnations must never run side by side); until its cool-down has passed; until no more GPUs
// come free just now; and until quota and whole placement are there, judged in its place among all that
// waits: by priority and by when it was submitted. Of a shrunk job as many pods come back as fit.
//
// The scheduler is told of the jobs that wait before it decides (returning()), and keeps room for them
// against younger work; plan() then resumes the first that fits.
//
// What it remembers (when it last resumed, whose pods are still to come) only paces it: losing it in a
// restart is harmless, as everything a resume depends on is on the objects.
class Resumer {
 public:
  explicit Resumer(ResumeOptions options) : options_(options) {}
  void use(ResumeOptions options) { options_ = options; }

  // All suspended jobs, those that may not come back soon marked so; and resumed ones whose pods are still to
  // come.
  std::vector<scheduler::ReturningJob> returning(const ClusterState& state, Time now);
  Acts plan(const ClusterState& state, const scheduler::Policy& policy, Time now);

 private:
  struct Claim {  // a resumed job whose pods are not all bound yet
    Owner owner;
    std::size_t boundWhenDone = 0;
    Time until;
    scheduler::ReturningJob job;
  };

  // A suspended job and whether it may come back now, or will soon, its cool-down over: then it keeps its
  // place among those that wait. Of others only the quota is kept in mind.
  struct Waiter {
    SuspendedJob job;
    bool ready = false;
    bool soon = false;
  };

  bool claimed(const SuspendedJob& job) const;
  bool mayReturn(const ClusterState& state, const SuspendedJob& job) const;
  Time patientUntil(const SuspendedJob& job, Time now) const;
  std::vector<Waiter> waiters(const ClusterState& state, Time now, Acts& acts) const;
  std::vector<scheduler::ReturningJob> inOrder(const ClusterState& state, const std::vector<Waiter>& waiters,
                                               Time now) const;
  void dropSettled(const ClusterState& state, Time now);
  bool choose(const ClusterState& state, const scheduler::Policy& policy, const std::vector<Waiter>& waiters,
              Time now, Acts& acts);
  void claim(const ClusterState& state, const SuspendedJob& job, std::int32_t count, Time now);

  ResumeOptions options_;
  FreeingWatch freeing_;
  std::optional<Time> last_;
  std::vector<Claim> claims_;
};

// How long a job waits after its stop: the cool-down, doubled (at most 32-fold) for each earlier recall if it
// had run only shortly since the last one.
Duration cooldownOf(const SuspendedJob& job, const ResumeOptions& options);

// Marks left on gangs and pods by recalls that are over and have not suspended their owner: taken off, so
// that a job is not held for ever by a record that is gone.
void sweepMarks(const ClusterState& state, Acts& acts);

}  // namespace tidegate::lifecycle
