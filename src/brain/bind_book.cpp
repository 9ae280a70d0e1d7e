#include "brain/bind_book.hpp"

namespace tidegate {

namespace {
constexpr Duration kDoubt = seconds(10);

std::string intention(const std::string& uid) {
  return "bind/" + uid;
}
}  // namespace

bool BindBook::bind(ClusterState& state, PodId id, NodeId node, Outbox& outbox, Time now) {
  const PodInfo& pod = state.pod(id);
  const auto& metadata = pod.object->metadata;
  const Bind command{.namespace_ = metadata.namespace_,
                     .name = metadata.name,
                     .uid = pod.uid,
                     .node = state.node(node).name};
  if (!outbox.send(intention(pod.uid), command, now)) return false;
  entries_[pod.uid] = {.key = pod.key, .bind = command, .giveUpAt = {}};
  state.assumeBind(id, node);
  return true;
}

void BindBook::finished(const Outbox::Sent& sent, Outcome outcome, ClusterState& state, Time now) {
  const auto& command = std::get<Bind>(sent.action);
  auto entry = entries_.find(command.uid);
  if (entry == entries_.end() || outcome == Outcome::Succeeded || outcome == Outcome::Unknown) return;
  if (sent.attempts > 1) {
    entry->second.giveUpAt = now + kDoubt;
    return;
  }
  const PodId pod = state.findPod(entry->second.key);
  if (pod != kNone && state.pod(pod).uid == command.uid) state.undoBind(pod);
  entries_.erase(entry);
}

std::optional<Time> BindBook::step(ClusterState& state, Outbox& outbox, Time now) {
  std::optional<Time> wake;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const PodId pod = state.findPod(entry->second.key);
    const bool waits = pod != kNone && state.pod(pod).uid == entry->first && state.pod(pod).assumed;
    if (!waits) {
      outbox.forget(intention(entry->first));
      entry = entries_.erase(entry);
    } else if (entry->second.giveUpAt && now >= *entry->second.giveUpAt) {
      state.undoBind(pod);
      outbox.forget(intention(entry->first));
      entry = entries_.erase(entry);
    } else if (entry->second.giveUpAt) {
      wake = wake ? std::min(*wake, *entry->second.giveUpAt) : *entry->second.giveUpAt;
      ++entry;
    } else {
      outbox.send(intention(entry->first), entry->second.bind, now);
      ++entry;
    }
  }
  return wake;
}

}  // namespace tidegate
