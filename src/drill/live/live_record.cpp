#include "drill/live/live_record.hpp"

#include <algorithm>
#include <set>

#include "api/conditions.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::drill::live {
namespace {

// Of a time that a record tells of: the local time at which that was first seen.
void localise(std::optional<Time>& told, const std::optional<Time>& before, Time now) {
  if (told) told = before.value_or(now);
}

// The record with local times; `before` is what was made of its last state.
api::Recall localised(api::Recall recall, const api::Recall* before, Time now) {
  const api::RecallSpec none;
  const api::RecallSpec& old = before == nullptr ? none : before->spec;
  localise(recall.spec.startedAt, old.startedAt, now);
  for (api::RecallVictim& victim : recall.spec.victims) {
    const auto same = std::ranges::find(old.victims, victim.gang, &api::RecallVictim::gang);
    const api::RecallVictim fresh;
    const api::RecallVictim& was = same == old.victims.end() ? fresh : *same;
    localise(victim.signalledAt, was.signalledAt, now);
    localise(victim.checkpointedAt, was.checkpointedAt, now);
    localise(victim.stoppingAt, was.stoppingAt, now);
    localise(victim.releasedAt, was.releasedAt, now);
  }
  return recall;
}

std::string reasonOf(const api::Pod& pod) {
  const api::Condition* scheduled = api::findCondition(pod.status.conditions, "PodScheduled");
  if (scheduled == nullptr || scheduled->message.empty()) return "no scheduler has said why";
  return scheduled->message;
}

}  // namespace

LiveRecord::LiveRecord(Mirror& mirror, Recorder::Clock now)
    : mirror_(mirror), now_(now), recorder_(mirror.store(), std::move(now), Recorder::FreeWhen::Gone) {
  mirror.subscribe([this](const sim::Change& change) { see(change); });
}

void LiveRecord::begin(Pool pool) {
  pool_ = std::move(pool);
  for (std::size_t kind = 0; kind < sim::kKinds; ++kind) {
    for (const auto& [key, object] : mirror_.store().table(kind)) see({.before = nullptr, .after = object});
  }
}

bool LiveRecord::concerns(const api::Pod& pod) const {
  return sim::gpusOf(pod.spec) > 0 &&
         (pod.spec.nodeName.empty() ||
          std::ranges::find(pool_->nodes, pod.spec.nodeName) != pool_->nodes.end());
}

void LiveRecord::see(const sim::Change& change) {
  if (!pool_) return;
  if (const auto* it = std::get_if<api::Pod>(&change.object()); it != nullptr && !concerns(*it)) return;
  if (std::holds_alternative<api::Recall>(change.object())) return recallSeen(change);
  if (const auto* job = std::get_if<api::VcJob>(&change.object()); job != nullptr && job->spec.minAvailable)
    minimum_[sim::keyOf(job->metadata)] = *job->spec.minAvailable;
  suspensions_.see(change, now_());
  recorder_.see(change);
}

void LiveRecord::recallSeen(const sim::Change& change) {
  if (!change.after) return;  // the recorder keeps the last state
  const auto& recall = std::get<api::Recall>(*change.after);
  const auto found = recalls_.find(recall.metadata.name);
  const bool known = found != recalls_.end();
  if (!known) begun_.push_back({.at = now_()});
  api::Recall local = localised(recall, known ? &found->second : nullptr, now_());
  recalls_[recall.metadata.name] = local;
  recorder_.see({.before = nullptr, .after = std::make_shared<const api::Object>(std::move(local))});
}

void LiveRecord::takeStill(std::string title) {
  Still still{.title = std::move(title), .at = now_(), .podsOnNode = {}};
  for (const std::string& node : pool_->nodes) still.podsOnNode[node];
  for (const PodLife* pod : recorder_.pods()) {
    const auto node = still.podsOnNode.find(pod->node);
    if (pod->holdsAt(now_()) && node != still.podsOnNode.end()) node->second.push_back(pod->uid);
  }
  stills_.push_back(std::move(still));
}

void LiveRecord::noteWaiting(const std::string& nameSpace, const std::string& queue) {
  for (const PodLife* life : recorder_.pods()) {
    if (life->bound || life->free || life->queue != queue || !life->key.starts_with(nameSpace + "/"))
      continue;
    if (const auto object = pod(life->key)) ++waiting_[reasonOf(*object)];
  }
}

std::optional<Time> LiveRecord::firstSignal(const std::string& onlineQueue) const {
  std::optional<Time> out;
  for (const PodLife* pod : recorder_.pods()) {
    if (pod->queue == onlineQueue || !pod->bound) continue;
    for (const std::optional<Time>& told : {pod->signalled, pod->terminating}) {
      if (told && *told >= burstAt_ && *told < peakEndsAt_) out = out ? std::min(*out, *told) : *told;
    }
  }
  return out;
}

std::optional<Time> LiveRecord::firstOfBurst(const std::string& onlineQueue) const {
  for (const PodLife* pod : recorder_.pods()) {
    if (pod->queue == onlineQueue && pod->created >= burstAt_) return pod->created;
  }
  return std::nullopt;
}

// An elastic job runs with its minimum; what it gets beyond that depends on who else waits.
LiveRecord::Strength LiveRecord::strength(const std::string& owner) const {
  int before = 0;
  int ready = 0;
  for (const PodLife* pod : recorder_.pods()) {
    if (pod->owner != owner) continue;
    before += pod->holdsAt(burstAt_) ? 1 : 0;
    ready += pod->holdsAt(now_()) && pod->ready && !pod->terminating ? 1 : 0;
  }
  return {.ready = ready, .enough = std::min(before, minimumOf(owner).value_or(before))};
}

std::vector<std::string> LiveRecord::stopped(const std::string& onlineQueue) const {
  std::set<std::string> out;
  for (const PodLife* pod : recorder_.pods()) {
    const bool told = pod->terminating && *pod->terminating >= burstAt_ && *pod->terminating < peakEndsAt_;
    if (pod->queue != onlineQueue && pod->bound && told) out.insert(pod->owner);
  }
  return {out.begin(), out.end()};
}

bool LiveRecord::chosen(const std::string& uid) const {
  const auto recent = [&](const auto& it) { return it.second.spec.startedAt.value_or(Time{}) >= burstAt_; };
  if (std::ranges::none_of(recalls_, recent)) return true;
  return std::ranges::any_of(recalls_, [&](const auto& recall) {
    return recent(recall) &&
           std::ranges::any_of(recall.second.spec.victims, [&](const api::RecallVictim& victim) {
             return std::ranges::find(victim.pods, uid, &api::RecallPod::uid) != victim.pods.end();
           });
  });
}

std::optional<int> LiveRecord::minimumOf(const std::string& owner) const {
  const auto found = minimum_.find(owner);
  return found == minimum_.end() ? std::nullopt : std::optional<int>(found->second);
}

}  // namespace tidegate::drill::live
