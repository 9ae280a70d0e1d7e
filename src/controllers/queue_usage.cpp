#include "controllers/queue_usage.hpp"

#include "api/names.hpp"
#include "state/cluster_state.hpp"
#include "state/translate.hpp"

namespace tidegate::controllers {
namespace names = api::names;

namespace {

GroupPhase phaseOf(const std::string& text) {
  if (text == "Inqueue") return GroupPhase::Inqueue;
  if (text == "Running") return GroupPhase::Running;
  if (text == "Unknown") return GroupPhase::Unknown;
  if (text == "Completed") return GroupPhase::Completed;
  return GroupPhase::Pending;
}

}  // namespace

void QueueUsage::seen(const api::Pod& pod) {
  const std::string key = keyOf(pod.metadata);
  if (!pods_.isNews(key, pod.metadata) || !schedulers_.contains(pod.spec.schedulerName)) return;
  Member member{.gang = gangKeyOf(pod),
                .queue = groupNamedBy(pod).empty() ? queueAskedBy(pod) : names::kDefaultQueue,
                .request = podRequest(pod.spec, resources_),
                .bound = !pod.spec.nodeName.empty() && !isTerminal(pod)};
  const auto before = pods_.put(key, pod.metadata, member);
  if (before) count(*before, false);
  count(member, true);
}

void QueueUsage::podGone(const std::string& key, const std::string& uid) {
  if (const auto before = pods_.remove(key, uid)) count(*before, false);
}

void QueueUsage::seen(const api::PodGroup& group) {
  const std::string key = keyOf(group.metadata);
  if (!groups_.isNews(key, group.metadata)) return;
  place(key, false);
  const std::string& queue = group.spec.queue;
  groups_.put(key, group.metadata,
              {.queue = queue.empty() ? names::kDefaultQueue : queue, .phase = phaseOf(group.status.phase)});
  place(key, true);
}

void QueueUsage::seen(const api::Namespace& space) {
  if (!namespaces_.isNews(space)) return;
  const std::string prefix = space.metadata.name + "/";
  std::set<std::string> keys;
  for (const auto& [key, gang] : gangs_) {
    if (key.starts_with(prefix)) keys.insert(key);
  }
  for (const auto& [key, group] : groups_.entries()) {
    if (key.starts_with(prefix)) keys.insert(key);
  }
  for (const std::string& key : keys) place(key, false);
  namespaces_.seen(space);
  for (const std::string& key : keys) place(key, true);
}

void QueueUsage::groupGone(const std::string& key, const std::string& uid) {
  const auto* held = groups_.find(key);
  const bool same = held != nullptr && (uid.empty() || held->uid.empty() || held->uid == uid);
  if (same) place(key, false);
  groups_.remove(key, uid);
  if (same) place(key, true);
}

void QueueUsage::count(const Member& member, bool add) {
  place(member.gang, false);
  Gang& gang = gangs_[member.gang];
  gang.pods += add ? 1 : -1;
  if (add) gang.podQueue = member.queue;
  if (member.bound) add ? gang.held += member.request : gang.held -= member.request;
  if (gang.pods == 0) gangs_.erase(member.gang);
  place(member.gang, true);
}

// Puts a gang's part into the sums of its queue, or takes it out while the gang changes.
void QueueUsage::place(const std::string& key, bool add) {
  const auto* declared = groups_.find(key);
  const auto gang = gangs_.find(key);
  if (declared == nullptr && gang == gangs_.end()) return;
  const std::string queue = queueOf(key);
  QueueUse& use = uses_[queue];
  changed_.insert(queue);
  if (gang != gangs_.end()) add ? use.held += gang->second.held : use.held -= gang->second.held;
  if (declared == nullptr) return;
  const std::int32_t one = add ? 1 : -1;
  use.groups += one;
  use.phases[static_cast<std::size_t>(declared->info.phase)] += one;
}

std::string QueueUsage::queueOf(const std::string& key) const {
  const auto* declared = groups_.find(key);
  const auto gang = gangs_.find(key);
  const std::string pods = gang == gangs_.end() ? "" : gang->second.podQueue;
  return namespaces_.queueFor(key.substr(0, key.find('/')),
                              declared == nullptr ? pods : declared->info.queue);
}

const QueueUse& QueueUsage::of(const std::string& queue) const {
  static const QueueUse kNothing;
  auto at = uses_.find(queue);
  return at == uses_.end() ? kNothing : at->second;
}

ResourceVec QueueUsage::waiting(const std::string& podKey, const std::string& uid) const {
  const auto* pod = pods_.find(podKey);
  const bool same = pod != nullptr && (uid.empty() || pod->uid == uid);
  return same && !pod->info.bound ? pod->info.request : ResourceVec{};
}

}  // namespace tidegate::controllers
