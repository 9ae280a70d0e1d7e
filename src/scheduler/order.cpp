#include "scheduler/order.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tidegate::scheduler {
using placement::Session;
using placement::Task;

namespace {

bool asksForNothing(const ResourceVec& request) {
  for (ResourceId r = 0; r < request.size(); ++r) {
    if (r != ResourceTable::kPods && request[r] > 0) return false;
  }
  return true;
}

Time createdOf(const GangInfo& gang) {
  return gang.created.value_or(Time::min());
}

// Pods of a gang in the order in which they are placed: by priority, then those that a recall frees a certain
// node for, as others must not take their room there, then by name (web-2 before web-10).
std::vector<PodId> waitingPods(const Session& session, GangId gang, WorkKind kind) {
  const ClusterState& state = session.state();
  std::vector<PodId> pods;
  for (const PodId id : state.gang(gang).pods) {
    const PodInfo& pod = state.pod(id);
    const bool bestEffort = asksForNothing(pod.request);
    if (pod.pending() && !session.isPlaced(id) && bestEffort == (kind == WorkKind::BestEffort))
      pods.push_back(id);
  }
  auto rank = [&](PodId id) {
    const PodInfo& pod = state.pod(id);
    return std::tuple(-pod.priority, !session.nomination(id), pod.key.size(), std::string_view(pod.key));
  };
  std::ranges::stable_sort(pods, {}, rank);
  return pods;
}

Task taskOf(const ClusterState& state, PodId id) {
  const PodInfo& pod = state.pod(id);
  const GangInfo& gang = state.gang(pod.gang);
  const bool wholeNode = gang.wholeNode.value_or(state.queues().config(gang.queueId).wholeNode);
  return {.pod = id,
          .gang = pod.gang,
          .queue = gang.queueId,
          .constraints = pod.constraints,
          .request = &pod.request,
          .wholeNode = wholeNode};
}

void addItems(const Session& session, const Policy& policy, GangId gang, WorkKind kind,
              std::vector<WorkItem>& items) {
  const ClusterState& state = session.state();
  const GangInfo& info = state.gang(gang);
  if (info.unseen()) return;  // its minimum is not known
  const std::vector<PodId> pods = waitingPods(session, gang, kind);
  if (pods.empty()) return;
  const std::int32_t active = activeMembers(session, gang);
  const auto missing = static_cast<std::size_t>(std::max(0, info.minMember - active));
  if (missing > pods.size()) {
    // Those that ask for nothing follow in backfill. Without them its other pods do not exist yet: nothing
    // can start.
    if (kind == WorkKind::BestEffort) return;
    if (missing > pods.size() + waitingPods(session, gang, WorkKind::BestEffort).size()) return;
  }
  WorkItem required{.gang = gang, .queue = info.queueId, .tasks = {}, .required = true};
  WorkItem extras{.gang = gang, .queue = info.queueId, .tasks = {}, .required = false};
  required.rank = rankOf(state, policy, gang);
  if (policy.drfOrder) required.rank.share = dominantShare(state, gang);
  required.rank.intact = !(policy.gangOrder && active > 0 && missing > 0);
  extras.rank = required.rank;
  extras.rank.intact = true;
  extras.rank.extra = true;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    (i < missing ? required : extras).tasks.push_back(taskOf(state, pods[i]));
  }
  if (!required.tasks.empty()) items.push_back(std::move(required));
  if (!extras.tasks.empty()) items.push_back(std::move(extras));
}

}  // namespace

std::int32_t activeMembers(const Session& session, GangId gang) {
  const ClusterState& state = session.state();
  return static_cast<std::int32_t>(std::ranges::count_if(state.gang(gang).pods, [&](PodId id) {
    const PodInfo& pod = state.pod(id);
    if (pod.phase == PodPhase::Succeeded || session.isPlaced(id)) return true;
    return pod.bound() && !session.isLeaving(id) && !pod.terminating;
  }));
}

ServiceRank rankOf(const ClusterState& state, const Policy& policy, GangId gang) {
  const GangInfo& info = state.gang(gang);
  return {.minusPriority = policy.priorityOrder ? -info.priority : 0,
          .created = createdOf(info),
          .uid = info.uid,
          .key = info.key};
}

bool servedBefore(const ClusterState& state, const Policy& policy, GangId a, GangId b) {
  return rankOf(state, policy, a) < rankOf(state, policy, b);
}

std::vector<WorkItem> collectWork(const Session& session, const Policy& policy, WorkKind kind) {
  std::vector<WorkItem> items;
  for (const auto& [key, gang] : session.state().gangIndex()) addItems(session, policy, gang, kind, items);
  return items;
}

double dominantShare(const ClusterState& state, GangId gang) {
  ResourceVec held;
  for (const PodId id : state.gang(gang).pods) {
    if (state.pod(id).bound()) held += state.pod(id).request;
  }
  double share = 0;
  const ResourceVec& total = state.queues().total();
  for (ResourceId r = 0; r < held.size(); ++r) {
    if (r == ResourceTable::kPods || total[r] <= 0) continue;
    share = std::max(share, static_cast<double>(held[r]) / static_cast<double>(total[r]));
  }
  return share;
}

double saturation(const Session& session, quota::QueueId queue) {
  const ResourceVec& used = session.quotaFuture().used(queue);
  const ResourceVec& entitled = session.state().queues().entitlement(queue);
  double share = 0;
  for (ResourceId r = 0; r < used.size(); ++r) {
    if (r == ResourceTable::kPods || used[r] <= 0) continue;
    share = std::max(share, entitled[r] > 0 ? static_cast<double>(used[r]) / static_cast<double>(entitled[r])
                                            : std::numeric_limits<double>::max());
  }
  return share;
}

WorkOrder::WorkOrder(const Session& session, std::vector<WorkItem> items) {
  std::ranges::stable_sort(items, [](const WorkItem& a, const WorkItem& b) { return a.rank < b.rank; });
  for (const quota::QueueId queue : session.state().queues().sortedByName()) {
    lanes_.push_back({.queue = queue, .items = {}, .at = 0});
  }
  for (WorkItem& item : items) {
    auto lane = std::ranges::find(lanes_, item.queue, &Lane::queue);
    if (lane != lanes_.end()) lane->items.push_back(std::move(item));
  }
  std::erase_if(lanes_, [](const Lane& lane) { return lane.items.empty(); });
}

std::optional<WorkItem> WorkOrder::next(const Session& session) {
  Lane* best = nullptr;
  std::pair<std::int32_t, double> bestRank;
  for (Lane& lane : lanes_) {
    if (lane.at == lane.items.size()) continue;
    const std::pair rank{-session.state().queues().config(lane.queue).priority,
                         saturation(session, lane.queue)};
    if (best == nullptr || rank < bestRank) best = &lane, bestRank = rank;
  }
  if (best == nullptr) return std::nullopt;
  return std::move(best->items[best->at++]);
}

}  // namespace tidegate::scheduler
