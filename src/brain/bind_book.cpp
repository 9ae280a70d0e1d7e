#include "brain/bind_book.hpp"

namespace tidegate {

namespace {
constexpr Duration kDoubt = seconds(10);

std::string intention(const std::string& uid) {
  return "bind/" + uid;
}

// Still the pod that was decided on, and still only assumed to be bound.
bool waits(const ClusterState& state, PodId id, const std::string& uid) {
  return state.pod(id).uid == uid && state.pod(id).assumed;
}

// What was decided holds no more: the node is lost, or the pod is on its way out.
bool isVoid(const ClusterState& state, const PodInfo& pod) {
  const NodeInfo& node = state.node(pod.node);
  return !node.exists || !node.ready || pod.recalled || pod.terminating;
}
}  // namespace

bool BindBook::bind(ClusterState& state, PodId id, NodeId node, Outbox& outbox, Time now) {
  const PodInfo& pod = state.pod(id);
  const auto& metadata = pod.object->metadata;
  if (outbox.held(intention(pod.uid), now)) return false;
  waiting_[{-std::int64_t{pod.priority}, ++decided_}] = {.pod = id,
                                                         .bind = {.namespace_ = metadata.namespace_,
                                                                  .name = metadata.name,
                                                                  .uid = pod.uid,
                                                                  .node = state.node(node).name}};
  state.assumeBind(id, node);
  release(state, outbox, now);
  return true;
}

void BindBook::release(ClusterState& state, Outbox& outbox, Time now) {
  while (unanswered_ < mostUnanswered_ && !waiting_.empty()) {
    Entry next = std::move(waiting_.extract(waiting_.begin()).mapped());
    if (!waits(state, next.pod, next.bind.uid)) continue;
    if (isVoid(state, state.pod(next.pod))) {
      state.undoBind(next.pod);
      continue;
    }
    const std::string uid = next.bind.uid;
    send(entries_[uid] = std::move(next), outbox, now);
  }
}

void BindBook::send(Entry& entry, Outbox& outbox, Time now) {
  if (!outbox.send(intention(entry.bind.uid), entry.bind, now) || entry.out) return;
  entry.out = true;
  ++unanswered_;
}

void BindBook::answered(Entry& entry) {
  if (entry.out) --unanswered_;
  entry.out = false;
}

BindBook::Entries::iterator BindBook::drop(Entries::iterator entry) {
  answered(entry->second);
  return entries_.erase(entry);
}

void BindBook::finished(const Outbox::Sent& sent, Outcome outcome, ClusterState& state, Outbox& outbox,
                        Time now) {
  const auto& command = std::get<Bind>(sent.action);
  auto entry = entries_.find(command.uid);
  if (entry == entries_.end()) return;
  answered(entry->second);
  const bool refused = outcome != Outcome::Succeeded && outcome != Outcome::Unknown;
  if (refused && sent.attempts > 1) {
    entry->second.giveUpAt = now + kDoubt;
  } else if (refused) {
    if (waits(state, entry->second.pod, command.uid)) state.undoBind(entry->second.pod);
    drop(entry);
  }
  release(state, outbox, now);
}

std::optional<Time> BindBook::step(ClusterState& state, Outbox& outbox, Time now) {
  std::optional<Time> wake;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto& [uid, it] = *entry;
    if (!waits(state, it.pod, uid)) {
      outbox.forget(intention(uid));
      entry = drop(entry);
    } else if (it.giveUpAt && now >= *it.giveUpAt) {
      state.undoBind(it.pod);
      outbox.forget(intention(uid));
      entry = drop(entry);
    } else {
      if (it.giveUpAt)
        wake = wake ? std::min(*wake, *it.giveUpAt) : *it.giveUpAt;
      else if (it.out || unanswered_ < mostUnanswered_)
        send(entry->second, outbox, now);
      ++entry;
    }
  }
  release(state, outbox, now);
  return wake;
}

}  // namespace tidegate
