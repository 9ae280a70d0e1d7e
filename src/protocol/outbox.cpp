#include "protocol/outbox.hpp"

#include <algorithm>
#include <utility>

namespace tidegate {

namespace {

constexpr Duration kEffectDue = seconds(5);  // done, and the objects do not show it by then: do it again
constexpr int kMostEffectDoublings = 3;      // 40 s
constexpr Duration kFirstBackoff = milliseconds(200);
constexpr int kMostDoublings = 5;              // 6.4 s
constexpr Duration kRemembered = seconds(60);  // failures are counted in a row within this time

Duration effectDue(int unseen) {
  return kEffectDue * (1 << std::min(unseen, kMostEffectDoublings));
}
Duration backoff(int failures) {
  return kFirstBackoff * (1 << std::min(failures, kMostDoublings));
}

}  // namespace

bool Outbox::send(const std::string& key, Action action, Time now) {
  if (held(key, now)) return false;
  Entry& entry = entries_[key];
  if (entry.failures == 0) entry.unseen = lacksEffect(entry, action, now) ? entry.unseen + 1 : 0;
  entry.id = ++lastId_;
  entry.action = action;
  entry.seen = false;
  ++entry.attempts;
  keys_[entry.id] = key;
  commands_.push_back({.id = entry.id, .action = std::move(action)});
  dropOld(now);
  return true;
}

bool Outbox::held(const std::string& key, Time now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  const Entry& entry = found->second;
  if (entry.id != 0) return true;
  if (now >= entry.retryAt) return false;
  retry_ = retry_ ? std::min(*retry_, entry.retryAt) : entry.retryAt;
  return true;
}

// Done, and soon after it might be sent again the same is asked for: as it was all the time, most likely.
bool Outbox::lacksEffect(const Entry& entry, const Action& action, Time now) {
  return entry.attempts > 0 && now < entry.retryAt + effectDue(entry.unseen) && entry.action == action;
}

void Outbox::send(const Acts& acts, Time now) {
  for (const auto& act : acts.list) {
    if (std::holds_alternative<Emit>(act.action))
      tell(act.action);
    else
      send(act.key, act.action, now);
  }
}

void Outbox::tell(Action action) {
  commands_.push_back({.id = ++lastId_, .action = std::move(action)});
}

std::optional<Outbox::Sent> Outbox::finished(const CommandDone& done, Time now) {
  auto key = keys_.find(done.id);
  if (key == keys_.end()) return std::nullopt;
  Entry& entry = entries_[key->second];
  entry.id = 0;
  if (done.outcome == Outcome::Succeeded) {
    entry.failures = 0;
    entry.retryAt = now + effectDue(entry.unseen);
  } else {
    entry.retryAt = now + backoff(entry.failures);
    ++entry.failures;
  }
  Sent sent{.key = key->second, .action = entry.action, .attempts = entry.attempts, .retryAt = entry.retryAt};
  if (done.outcome == Outcome::Succeeded && entry.seen) {
    sent.retryAt.reset();
    entries_.erase(key->second);
  }
  keys_.erase(key);
  return sent;
}

void Outbox::effectSeen(const std::string& key) {
  auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.id == 0 && found->second.failures == 0)
    entries_.erase(found);
  else
    found->second.seen = true;
}

void Outbox::forget(const std::string& key) {
  auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.id != 0) keys_.erase(found->second.id);
  entries_.erase(found);
}

std::vector<Command> Outbox::take() {
  return std::exchange(commands_, {});
}

std::optional<Time> Outbox::takeRetry() {
  return std::exchange(retry_, std::nullopt);
}

// Keeps the table in proportion to what is under way.
void Outbox::dropOld(Time now) {
  if (entries_.size() < sweepAt_) return;
  std::erase_if(entries_, [&](const auto& item) {
    return item.second.id == 0 && item.second.retryAt + kRemembered < now;
  });
  sweepAt_ = std::max<std::size_t>(1024, 2 * entries_.size());
}

}  // namespace tidegate
