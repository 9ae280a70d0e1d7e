// Recalled jobs that may come back, as hypothetical work in a session: their place in the order of service
// and the room that is kept for them.
//
// What is kept is kept from work that is served later, not from work with a better right to it: a claimant
// gets what it could also have taken from the job, were it running, and work of the same queue that is served
// first gets what it needs. The job is then placed again, where it still fits.
//
// While a whole job has no place its GPUs are others' to use, yet not for pods that other gangs of its queue
// would only like to have: these may run for days, on its quota or in the middle of the nodes it needs, and
// it could not come back when its GPUs are free again.
#pragma once

#include <string>
#include <vector>

#include "placement/place.hpp"
#include "scheduler/order.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

class ReturningWork {
 public:
  // The jobs must outlive it, and it must outlive what the session does with its tasks.
  ReturningWork(placement::Session& session, const Policy& policy, const placement::Scoring& scoring,
                const std::vector<ReturningJob>& jobs);
  ReturningWork(const ReturningWork&) = delete;
  ReturningWork& operator=(const ReturningWork&) = delete;

  bool empty() const { return entries_.empty(); }
  // Adds an item for each job that has something to place. Pods of a job that is under way take their job's
  // place.
  void join(std::vector<WorkItem>& items) const;

  // Places a job as far as it fits: now, or once leaving pods are gone; of one that insists, where it will
  // stand once later work of its queue has ended. May keep nothing.
  void reserve(std::size_t index);
  // The jobs that these pods, which their gang can do without, have to wait for.
  std::vector<std::string> delayedBy(const WorkItem& extras) {
    return unplacedBefore(extras.queue, extras.rank);
  }
  // Gives up all that `claimant`, for which work may be stopped, has the better right to; the indices, to be
  // reserved again.
  std::vector<std::size_t> yieldTo(const WorkItem& claimant);
  // Gives up everything.
  void release();

  // Pods of each job that have a place this moment, in the order of the jobs.
  std::vector<std::int32_t> placedNow() const;
  // The jobs that room is kept for.
  std::vector<std::string> kept() const;

 private:
  struct Kept {
    placement::Task task;
    placement::Slot slot = 0;
    bool bound = false;  // this moment; else promised
  };
  struct Entry {
    const ReturningJob* job = nullptr;
    quota::QueueId queue = quota::kNoQueue;
    ServiceRank rank;
    std::vector<ResourceVec> requests;  // the tasks point into it
    std::vector<placement::Task> tasks;
    std::vector<Kept> kept;
    std::optional<bool> stands =
        {};  // what couldStand() has found: nodes and limits do not change in a cycle
  };

  Entry entryOf(const ReturningJob& job) const;
  void addTasks(Entry& entry, ResourceTable& table);
  bool placeIn(Entry& entry, placement::Target target, const std::vector<placement::Slot>* within);
  bool place(Entry& entry, placement::Target target);
  void keepClear(Entry& entry);
  std::vector<std::string> unplacedBefore(quota::QueueId queue, const ServiceRank& rank);
  bool couldStand(Entry& entry);
  bool wouldStandAlone(const Entry& entry);
  bool mustYield(const Entry& entry, const WorkItem& claimant) const;
  void giveUp(Entry& entry);

  placement::Session& session_;
  const Policy& policy_;
  placement::Scoring scoring_;
  std::vector<Entry> entries_;
};

}  // namespace tidegate::scheduler
