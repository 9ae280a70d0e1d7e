#include "brain/pod_news.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lifecycle/objects.hpp"

namespace tidegate {

void PodNews::bound(const Bind& bind, Outbox& outbox) const {
  outbox.tell(Emit{
      .about = {.kind = api::Pod::kKind,
                .apiVersion = api::Pod::kApiVersion,
                .namespace_ = bind.namespace_,
                .name = bind.name},
      .warning = false,
      .reason = "Scheduled",
      .message = fmt::format("Successfully assigned {}/{} to {}", bind.namespace_, bind.name, bind.node)});
}

bool PodNews::isDue(const Told& told, const std::string& reason, Time now) const {
  if (reason.empty()) return false;
  if (told.reason.empty()) return now >= told.since + options_.patience;
  return now >= told.at + (told.reason == reason ? options_.reminder : options_.changed);
}

std::vector<PodNews::Due> PodNews::duePods(const ClusterState& state, const scheduler::Decisions& decisions,
                                           Time now) {
  ++cycle_;
  std::vector<Due> due;
  for (const auto& pending : decisions.pending) {
    const std::string& uid = state.pod(pending.pod).uid;
    Told& told = told_[pending.pod];
    if (told.uid != uid) told = {.uid = uid, .since = now, .at = {}, .reason = {}};
    told.cycle = cycle_;
    if (isDue(told, pending.reason, now)) due.push_back({pending.pod, &pending.reason, &told});
  }
  std::erase_if(told_, [&](const auto& each) { return each.second.cycle != cycle_; });
  return due;
}

void PodNews::tellPod(const PodInfo& pod, const Due& due, Outbox& outbox, Time now) {
  if (due.told->reason != *due.reason) {
    Patch patch = lifecycle::patchOf(refOf(pod), pod.uid);
    patch.condition = api::Condition{.type = "PodScheduled",
                                     .status = "False",
                                     .reason = "Unschedulable",
                                     .message = *due.reason,
                                     .lastTransitionTime = due.told->since};
    if (!outbox.send("pending/" + pod.uid, std::move(patch), now)) return;
  }
  outbox.tell(
      Emit{.about = refOf(pod), .warning = true, .reason = "FailedScheduling", .message = *due.reason});
  due.told->reason = *due.reason;
  due.told->at = now;
}

void PodNews::tell(const ClusterState& state, const scheduler::Decisions& decisions, Outbox& outbox,
                   Time now) {
  std::vector<Due> due = duePods(state, decisions, now);
  if (due.size() > options_.mostPerCycle) {
    const auto longest = [](const Due& each) { return std::tuple(each.told->at, each.pod); };
    std::ranges::nth_element(due, due.begin() + static_cast<std::ptrdiff_t>(options_.mostPerCycle), {},
                             longest);
    due.resize(options_.mostPerCycle);
    std::ranges::sort(due, {}, longest);
  }
  for (const Due& each : due) tellPod(state.pod(each.pod), each, outbox, now);
}

}  // namespace tidegate
