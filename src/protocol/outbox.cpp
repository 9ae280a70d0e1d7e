#include "protocol/outbox.hpp"

#include <algorithm>
#include <utility>

namespace tidegate {

namespace {

constexpr Duration kAnswerDue = seconds(10);  // no answer by then: lost
constexpr Duration kEffectDue = seconds(5);   // done, and the objects do not show it by then: do it again
constexpr Duration kFirstBackoff = milliseconds(200);
constexpr int kMostDoublings = 5;              // 6.4 s
constexpr Duration kRemembered = seconds(60);  // failures are counted in a row within this time

// A checkpoint is answered when it is saved, which may take all the time there is.
Time answerDue(const Action& action, Time now) {
  const auto* signal = std::get_if<Signal>(&action);
  return signal == nullptr ? now + kAnswerDue : std::max(signal->deadline, now + kAnswerDue);
}

}  // namespace

bool Outbox::send(const std::string& key, Action action, Time now) {
  auto [found, added] = entries_.try_emplace(key);
  Entry& entry = found->second;
  const bool held = !added && now < entry.retryAt;
  if (!held) entry.retryAt = answerDue(action, now);
  retry_ = retry_ ? std::min(*retry_, entry.retryAt) : entry.retryAt;
  if (held) return false;
  if (entry.id != 0) keys_.erase(entry.id);
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
  if (found == entries_.end() || now >= found->second.retryAt) return false;
  retry_ = retry_ ? std::min(*retry_, found->second.retryAt) : found->second.retryAt;
  return true;
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
    entry.retryAt = now + kEffectDue;
  } else {
    entry.retryAt = now + kFirstBackoff * (1 << std::min(entry.failures, kMostDoublings));
    ++entry.failures;
  }
  Sent sent{.key = key->second, .action = entry.action, .attempts = entry.attempts};
  if (done.outcome == Outcome::Succeeded && entry.seen) entries_.erase(key->second);
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
