#include "brain/recall_book.hpp"

#include <algorithm>

#include "lifecycle/phases.hpp"

namespace tidegate {

namespace {

constexpr Duration kContested = seconds(5);  // so long we wait for the record that has our name to be seen

std::string intention(const std::string& name) {
  return name + "/record";
}

api::ObjectRef recallRef(const std::string& name) {
  return {.kind = api::Recall::kKind, .apiVersion = api::Recall::kApiVersion, .namespace_ = "", .name = name};
}

}  // namespace

bool RecallBook::overlaps(const api::Recall& record) const {
  std::set<std::string> taken;
  for (const auto& [name, entry] : entries_) {
    for (const auto& victim : entry.record.spec.victims) {
      const auto phase = lifecycle::victimPhase(victim.phase);
      if (phase == lifecycle::VictimPhase::Cancelled) continue;
      for (const auto& pod : victim.pods) taken.insert(pod.uid);
    }
  }
  return std::ranges::any_of(record.spec.victims, [&](const auto& victim) {
    return std::ranges::any_of(victim.pods, [&](const auto& pod) { return taken.contains(pod.uid); });
  });
}

void RecallBook::propose(const api::Recall& record, ClusterState& state, Time now) {
  if (overlaps(record)) return;
  entries_[record.metadata.name] = {
      .record = record, .stored = {}, .standing = Standing::Proposed, .since = now, .answered = {}};
  state.apply(record);
  assume(state);
}

void RecallBook::seen(const api::Recall& record, Outbox& outbox) {
  const std::string& name = record.metadata.name;
  outbox.forget(intention(name));
  if (!lifecycle::isActive(record)) {
    entries_.erase(name);
    return;
  }
  Entry& entry = entries_[name];
  // What is stored under our name is the truth; of a record that was stored before we know more than it says.
  if (entry.standing != Standing::Stored) entry.record = record;
  entry.standing = Standing::Stored;
  entry.stored = record;
}

void RecallBook::gone(const std::string& name) {
  auto entry = entries_.find(name);
  if (entry != entries_.end() && entry->second.standing == Standing::Stored) entries_.erase(entry);
}

void RecallBook::finished(const Outbox::Sent& sent, Outcome outcome, ClusterState& state, Time now) {
  if (const auto* signal = std::get_if<Signal>(&sent.action)) {
    auto entry = entries_.find(signal->recall);
    if (entry != entries_.end() && outcome == Outcome::Succeeded) entry->second.answered.insert(signal->uid);
    return;
  }
  const auto& written = std::get<WriteRecall>(sent.action).recall;
  auto entry = entries_.find(written.metadata.name);
  if (entry == entries_.end() || entry->second.standing != Standing::Proposed) return;
  switch (outcome) {
    case Outcome::Succeeded:
      entry->second.standing = Standing::Stored;
      break;
    case Outcome::Conflict:
      entry->second.standing = Standing::Contested;
      entry->second.since = now;
      break;
    case Outcome::NotFound:
    case Outcome::Rejected:
      drop(written.metadata.name, state);
      break;
    case Outcome::Unknown:
      break;  // sent again; if the first came through, that is a Conflict
  }
}

void RecallBook::drop(const std::string& name, ClusterState& state) {
  entries_.erase(name);
  state.remove(recallRef(name));
  assume(state);
}

void RecallBook::write(const Entry& entry, Outbox& outbox, Time now) const {
  api::Recall record = entry.record;
  record.metadata = entry.stored.metadata;
  if (entry.standing == Standing::Proposed) record.metadata = entry.record.metadata;
  outbox.send(intention(entry.record.metadata.name), WriteRecall{.recall = std::move(record)}, now);
}

std::optional<Time> RecallBook::step(ClusterState& state, Outbox& outbox, Time now) {
  Acts wakes;
  std::vector<std::string> lost;
  for (auto& [name, entry] : entries_) {
    if (entry.standing == Standing::Proposed) {
      write(entry, outbox, now);
    } else if (entry.standing == Standing::Contested) {
      if (now >= entry.since + kContested)
        lost.push_back(name);
      else
        wakes.wake(entry.since + kContested);
    } else {
      auto next = lifecycle::step(std::move(entry.record), {.state = state, .answered = entry.answered},
                                  options_, now);
      entry.record = std::move(next.record);
      outbox.send(next.acts, now);
      if (next.acts.wakeAt) wakes.wake(*next.acts.wakeAt);
      const bool news = entry.record.spec != entry.stored.spec || entry.record.status != entry.stored.status;
      if (news && !entry.stored.metadata.resourceVersion.empty()) write(entry, outbox, now);
    }
  }
  for (const auto& name : lost) drop(name, state);
  return wakes.wakeAt;
}

void RecallBook::assumeVictim(const api::RecallVictim& victim, ClusterState& state) {
  const auto phase = lifecycle::victimPhase(victim.phase);
  if (phase == lifecycle::VictimPhase::Cancelled) return;
  auto take = [&](PodId id) {
    assumed_.emplace(id, state.pod(id).uid);
    state.assumeRecalled(id);
    if (phase == lifecycle::VictimPhase::Stuck) state.markOverdue(id);
  };
  const GangId gang = state.findGang(victim.gang);
  if (victim.whole && gang != kNone) {
    for (const PodId pod : state.gang(gang).pods)
      take(pod);  // whoever made it: no new pod of the job is bound
    return;
  }
  for (const auto& member : victim.pods) {
    const PodId id = state.findPod(keyOf(member.namespace_, member.name));
    if (id != kNone && state.pod(id).uid == member.uid) take(id);
  }
}

void RecallBook::assume(ClusterState& state) {
  const auto before = std::exchange(assumed_, {});
  for (const auto& [name, entry] : entries_) {
    if (!lifecycle::isActive(entry.record)) continue;
    for (const auto& victim : entry.record.spec.victims) assumeVictim(victim, state);
  }
  for (const auto& [id, uid] : before) {
    if (!assumed_.contains({id, uid}) && state.pod(id).uid == uid) state.dropAssumptions(id);
  }
}

}  // namespace tidegate
