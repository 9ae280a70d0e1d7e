// One cycle's working copy: what is idle, what will be, who uses how much. Speculation happens here and can
// be undone; the cluster state itself is never touched.
//
// Nodes are numbered in name order (Slot), so that nothing depends on the order in which objects arrived.
// Two readings are kept side by side: `now` (leaving pods still hold what they hold: a bind must fit it) and
// `future` (leaving and planned-to-leave pods are gone, pipelined pods are there: a promise must fit it).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "placement/predicates.hpp"
#include "quota/queue_tree.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::placement {

using Slot = std::uint32_t;

// So long past its own deadline a pod that leaves is waited for; then it counts as stuck: used, not leaving.
inline constexpr Duration kStuckMargin = seconds(5);

// A pod to be placed: one that waits, or one that a suspended job would make.
struct Task {
  PodId pod = kNone;  // kNone: hypothetical
  GangId gang = kNone;
  quota::QueueId queue = quota::kNoQueue;
  ConstraintsId constraints = 0;
  const ResourceVec* request = nullptr;
  bool wholeNode = false;  // only on nodes free of accelerator work of other queues

  // Tasks of one class are alike in all that placement looks at.
  bool sameClass(const Task& other) const {
    return queue == other.queue && constraints == other.constraints && wholeNode == other.wholeNode &&
           *request == *other.request;
  }
};

struct Room {
  ResourceVec free;      // allocatable - used; may be negative where a node shrank under its pods
  ResourceVec leaving;   // of pods that leave (already, or by a plan of this cycle)
  ResourceVec promised;  // to pipelined tasks
};

class Session {
 public:
  // Terminating pods that outstay `stuckMargin` past the end of their grace do not count as leaving.
  Session(const ClusterState& state, Time now, Duration stuckMargin = kStuckMargin);

  const ClusterState& state() const { return *state_; }
  Time now() const { return now_; }

  std::size_t slots() const { return order_.size(); }
  NodeId nodeAt(Slot slot) const { return order_[slot]; }
  Slot slotOf(NodeId node) const { return slotOf_[node]; }
  const NodeInfo& node(Slot slot) const { return state_->node(order_[slot]); }
  const Room& room(Slot slot) const { return rooms_[slot]; }

  // Predicates other than capacity, cached per constraints; includes holds: a node kept for another queue's
  // recall.
  Verdict judge(Slot slot, ConstraintsId constraints);
  // Constraints by id; pods that the state has never seen (of a suspended job) get ids of this session's own.
  const PodConstraints& constraints(ConstraintsId id) const;
  ConstraintsId classOf(const api::PodSpec& spec);
  bool heldFromQueue(Slot slot, quota::QueueId queue) const;
  // Nodes held for a recall of `queue`.
  bool heldForQueue(Slot slot, quota::QueueId queue) const;
  // The node that an active recall frees for this waiting pod.
  std::optional<Slot> nomination(PodId pod) const;
  // True if a pod of another queue, not leaving, holds an accelerator there.
  bool hostsForeign(Slot slot, quota::QueueId queue) const;

  bool fitsNow(Slot slot, const ResourceVec& request) const;  // and leaves promises whole
  bool fitsFuture(Slot slot, const ResourceVec& request) const;
  Amount futureFree(Slot slot, ResourceId resource) const;

  // Slots that have, or in future will have, some of an accelerator free, in order; all others can be
  // skipped.
  const std::vector<Slot>& slotsWithFree(ResourceId accelerator);

  const quota::QueueTree& quotaNow() const { return quotaNow_; }
  const quota::QueueTree& quotaFuture() const { return quotaFuture_; }
  // Why the queue may not take this much more, now (bind) or in future (pipeline).
  std::optional<quota::Refusal> refusedNow(quota::QueueId queue, const ResourceVec& request) const;
  std::optional<quota::Refusal> refusedFuture(quota::QueueId queue, const ResourceVec& request) const;

  // ---- speculation ----
  void bind(const Task& task, Slot slot);
  void pipeline(const Task& task, Slot slot);
  void evict(PodId pod);  // a running pod that a plan stops
  // Takes back one bind or pipeline of a hypothetical task, while later steps stand.
  void giveUp(const Task& task, Slot slot, bool bound);
  using Mark = std::size_t;
  Mark mark() const { return log_.size(); }
  void rollback(Mark mark);

  bool isLeaving(PodId pod) const { return leaving_[pod]; }
  bool isPlaced(PodId pod) const { return placed_[pod]; }

 private:
  enum class Kind : std::uint8_t { Bind, Pipeline, Evict, Unbind, Unpipeline };
  struct Step {
    Kind kind;
    Task task;
    PodId pod;
    Slot slot;
  };
  void doStep(const Step& step);
  void undoStep(const Step& step);
  void place(const Step& step);
  void unplace(const Step& step);
  void evictStep(const Step& step);
  void offer(Slot slot, const ResourceVec& freed);
  void markStuckAndLeaving(Duration stuckMargin);
  void collectHolds();
  void collectNominations(const api::Recall& recall);

  const ClusterState* state_;
  Time now_;
  std::vector<NodeId> order_;
  std::vector<Slot> slotOf_;
  std::vector<Room> rooms_;
  std::vector<std::vector<quota::QueueId>> holds_;  // per slot: queues a recall holds it for (mostly empty)
  std::map<PodId, Slot> nominations_;
  std::vector<bool> leaving_;  // per pod
  std::vector<bool> placed_;   // per pod: bound or pipelined in this session
  std::vector<PodConstraints> ownConstraints_;
  std::map<ConstraintsId, std::vector<Verdict>> verdicts_;
  std::map<ResourceId, std::vector<Slot>>
      withFree_;  // supersets: slots are added by evictions, never taken out
  quota::QueueTree quotaNow_;
  quota::QueueTree quotaFuture_;
  std::vector<Step> log_;
};

}  // namespace tidegate::placement
