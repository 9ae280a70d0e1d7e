#include "placement/session.hpp"

#include <algorithm>

namespace tidegate::placement {
namespace {

// free + leaving - promised, where a node that shrank under its pods offers nothing.
Amount future(const Room& room, ResourceId r) {
  return std::max<Amount>(0, room.free[r] + room.leaving[r]) - room.promised[r];
}

}  // namespace

Session::Session(const ClusterState& state, Time now, Duration stuckMargin)
    : state_(&state), now_(now), quotaNow_(state.queues()), quotaFuture_(state.queues()) {
  slotOf_.assign(state.nodes().size(), 0);
  order_.reserve(state.nodes().size());
  rooms_.reserve(state.nodes().size());
  for (const auto& [name, id] : state.nodeIndex()) {
    slotOf_[id] = static_cast<Slot>(order_.size());
    order_.push_back(id);
    const NodeInfo& node = state.node(id);
    rooms_.push_back({.free = node.allocatable - node.used, .leaving = {}, .promised = {}});
  }
  leaving_.assign(state.pods().size(), false);
  placed_.assign(state.pods().size(), false);
  markStuckAndLeaving(stuckMargin);
  collectHolds();
}

void Session::markStuckAndLeaving(Duration stuckMargin) {
  for (Slot slot = 0; slot < order_.size(); ++slot) {
    const NodeInfo& info = node(slot);
    if (info.leaving.isZero()) continue;
    for (const PodId id : info.pods) {
      const PodInfo& pod = state_->pod(id);
      if (!pod.leaving()) continue;
      const bool stuck = pod.stopsBy && *pod.stopsBy + stuckMargin < now_;
      if (stuck) continue;
      leaving_[id] = true;
      rooms_[slot].leaving += pod.request;
      if (!pod.ours) continue;
      const auto queue = state_->gang(pod.gang).queueId;
      quotaFuture_.subtractUsed(queue, pod.request);
      quotaFuture_.addPending(queue, pod.request);  // it still wants it: entitlements stay as they are
    }
  }
}

void Session::collectHolds() {
  holds_.resize(order_.size());
  for (const auto& [name, recall] : state_->recalls()) {
    if (!recall.active) continue;
    const auto queue = state_->queues().find(recall.queue);
    for (const NodeId id : recall.nodes) holds_[slotOf_[id]].push_back(queue);
    if (recall.object) collectNominations(*recall.object);
  }
}

void Session::collectNominations(const api::Recall& recall) {
  for (const auto& placement : recall.spec.placements) {
    const NodeId node = state_->findNode(placement.node);
    const PodId pod = state_->findPod(placement.pod);
    const bool stands = node != kNone && state_->node(node).exists && pod != kNone;
    if (stands && state_->pod(pod).uid == placement.podUid) nominations_[pod] = slotOf_[node];
  }
}

std::optional<Slot> Session::nomination(PodId pod) const {
  const auto found = nominations_.find(pod);
  return found == nominations_.end() ? std::nullopt : std::optional(found->second);
}

bool Session::heldForQueue(Slot slot, quota::QueueId queue) const {
  return std::ranges::find(holds_[slot], queue) != holds_[slot].end();
}

bool Session::heldFromQueue(Slot slot, quota::QueueId queue) const {
  return !holds_[slot].empty() && !heldForQueue(slot, queue);
}

const PodConstraints& Session::constraints(ConstraintsId id) const {
  const std::size_t known = state_->constraintsCount();
  return id < known ? state_->constraints(id) : ownConstraints_[id - known];
}

ConstraintsId Session::classOf(const api::PodSpec& spec) {
  const ConstraintsId known = state_->constraintsOf(spec);
  if (known != kNone) return known;
  ownConstraints_.push_back(constraintsIn(spec));
  return static_cast<ConstraintsId>(state_->constraintsCount() + ownConstraints_.size() - 1);
}

Verdict Session::judge(Slot slot, ConstraintsId constraints) {
  auto [entry, added] = verdicts_.try_emplace(constraints);
  if (added) {
    entry->second.reserve(order_.size());
    const PodConstraints& rules = this->constraints(constraints);
    for (const NodeId id : order_) entry->second.push_back(placement::judge(state_->node(id), rules));
  }
  return entry->second[slot];
}

const std::vector<Slot>& Session::slotsWithFree(ResourceId accelerator) {
  auto [entry, added] = withFree_.try_emplace(accelerator);
  if (added) {
    for (Slot slot = 0; slot < order_.size(); ++slot) {
      if (rooms_[slot].free[accelerator] + rooms_[slot].leaving[accelerator] > 0)
        entry->second.push_back(slot);
    }
  }
  return entry->second;
}

bool Session::hostsForeign(Slot slot, quota::QueueId queue) const {
  const ResourceTable& table = state_->resources();
  return std::ranges::any_of(node(slot).pods, [&](PodId id) {
    const PodInfo& pod = state_->pod(id);
    if (leaving_[id] || (pod.ours && state_->gang(pod.gang).queueId == queue)) return false;
    for (ResourceId r = 0; r < pod.request.size(); ++r) {
      if (table.isAccelerator(r) && pod.request[r] > 0) return true;
    }
    return false;
  });
}

Amount Session::futureFree(Slot slot, ResourceId resource) const {
  return future(rooms_[slot], resource);
}

bool Session::fitsFuture(Slot slot, const ResourceVec& request) const {
  for (ResourceId r = 0; r < request.size(); ++r) {
    if (request[r] > 0 && request[r] > future(rooms_[slot], r)) return false;
  }
  return true;
}

bool Session::fitsNow(Slot slot, const ResourceVec& request) const {
  const Room& room = rooms_[slot];
  for (ResourceId r = 0; r < request.size(); ++r) {
    if (request[r] > 0 && (request[r] > room.free[r] || request[r] > future(room, r))) return false;
  }
  return true;
}

std::optional<quota::Refusal> Session::refusedNow(quota::QueueId queue, const ResourceVec& request) const {
  if (auto refusal = quotaNow_.refusal(queue, request)) return refusal;
  return quotaFuture_.refusal(queue, request);
}

std::optional<quota::Refusal> Session::refusedFuture(quota::QueueId queue, const ResourceVec& request) const {
  return quotaFuture_.refusal(queue, request);
}

void Session::bind(const Task& task, Slot slot) {
  log_.push_back({.kind = Kind::Bind, .task = task, .pod = task.pod, .slot = slot});
  doStep(log_.back());
}

void Session::pipeline(const Task& task, Slot slot) {
  log_.push_back({.kind = Kind::Pipeline, .task = task, .pod = task.pod, .slot = slot});
  doStep(log_.back());
}

void Session::evict(PodId pod) {
  if (leaving_[pod]) return;
  log_.push_back({.kind = Kind::Evict, .task = {}, .pod = pod, .slot = slotOf_[state_->pod(pod).node]});
  doStep(log_.back());
}

void Session::giveUp(const Task& task, Slot slot, bool bound) {
  const Kind kind = bound ? Kind::Unbind : Kind::Unpipeline;
  log_.push_back({.kind = kind, .task = task, .pod = task.pod, .slot = slot});
  doStep(log_.back());
}

void Session::rollback(Mark mark) {
  while (log_.size() > mark) {
    undoStep(log_.back());
    log_.pop_back();
  }
}

void Session::doStep(const Step& step) {
  switch (step.kind) {
    case Kind::Bind:
    case Kind::Pipeline:
      return place(step);
    case Kind::Unbind:
    case Kind::Unpipeline:
      return unplace(step);
    case Kind::Evict:
      return evictStep(step);
  }
}

void Session::undoStep(const Step& step) {
  switch (step.kind) {
    case Kind::Bind:
    case Kind::Pipeline:
      return unplace(step);
    case Kind::Unbind:
    case Kind::Unpipeline:
      return place(step);
    case Kind::Evict:
      break;
  }
  const PodInfo& pod = state_->pod(step.pod);
  leaving_[step.pod] = false;
  rooms_[step.slot].leaving -= pod.request;
  if (!pod.ours) return;
  quotaFuture_.addUsed(state_->gang(pod.gang).queueId, pod.request);
  quotaFuture_.subtractPending(state_->gang(pod.gang).queueId, pod.request);
}

void Session::evictStep(const Step& step) {
  const PodInfo& pod = state_->pod(step.pod);
  leaving_[step.pod] = true;
  rooms_[step.slot].leaving += pod.request;
  offer(step.slot, pod.request);
  if (!pod.ours) return;
  quotaFuture_.subtractUsed(state_->gang(pod.gang).queueId, pod.request);
  quotaFuture_.addPending(state_->gang(pod.gang).queueId, pod.request);
}

void Session::place(const Step& step) {
  Room& room = rooms_[step.slot];
  const ResourceVec& request = *step.task.request;
  const bool counted = step.pod != kNone;  // hypothetical tasks are not in the queue's pending sum
  if (counted) placed_[step.pod] = true;
  if (step.kind == Kind::Bind || step.kind == Kind::Unbind) {
    room.free -= request;
    quotaNow_.addUsed(step.task.queue, request);
    if (counted) quotaNow_.subtractPending(step.task.queue, request);
  } else {
    room.promised += request;
  }
  quotaFuture_.addUsed(step.task.queue, request);
  if (counted) quotaFuture_.subtractPending(step.task.queue, request);
}

void Session::unplace(const Step& step) {
  Room& room = rooms_[step.slot];
  const ResourceVec& request = *step.task.request;
  const bool counted = step.pod != kNone;
  if (counted) placed_[step.pod] = false;
  if (step.kind == Kind::Bind || step.kind == Kind::Unbind) {
    room.free += request;
    quotaNow_.subtractUsed(step.task.queue, request);
    if (counted) quotaNow_.addPending(step.task.queue, request);
  } else {
    room.promised -= request;
  }
  quotaFuture_.subtractUsed(step.task.queue, request);
  if (counted) quotaFuture_.addPending(step.task.queue, request);
  offer(step.slot, request);
}

// The slot may have some of this free from now on.
void Session::offer(Slot slot, const ResourceVec& freed) {
  for (auto& [resource, slots] : withFree_) {
    const auto at = std::ranges::lower_bound(slots, slot);
    if (freed[resource] > 0 && (at == slots.end() || *at != slot)) slots.insert(at, slot);
  }
}

}  // namespace tidegate::placement
