#include "controllers/reconciler.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::controllers {

namespace {

constexpr std::size_t kMostUnderWay = 256;

std::string entryOf(const std::string& verb, const std::string& key, const std::string& part) {
  std::string entry = verb + "/" + key;
  return part.empty() ? entry : entry + "#" + part;
}

}  // namespace

std::set<std::string>::const_iterator nextInTurn(const std::set<std::string>& keys, const std::string& last) {
  const auto next = keys.upper_bound(last);
  return next == keys.end() ? keys.begin() : next;
}

std::string verbOf(const std::string& entry) {
  return entry.substr(0, entry.find('/'));
}

std::string keyIn(const std::string& entry) {
  const std::size_t start = entry.find('/') + 1;
  return entry.substr(start, entry.find('#', start) - start);
}

std::vector<Command> Reconciler::handle(const Event& event, Time now) {
  take(event, now);
  if (!started_) return {};
  run(now);
  return commands(now);
}

void Reconciler::take(const Event& event, Time now) {
  if (const auto* object = std::get_if<ObjectSeen>(&event)) {
    seen(object->object, now);
  } else if (const auto* lost = std::get_if<ObjectGone>(&event)) {
    gone(lost->ref, lost->uid);
  } else if (const auto* done = std::get_if<CommandDone>(&event)) {
    if (const auto sent = outbox_.finished(*done, now)) {
      touch(keyIn(sent->key));
      answered(*sent, *done);
    }
  } else {
    started_ = true;
  }
}

void Reconciler::run(Time now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const std::string key = due_.begin()->second;
    schedule(key, std::nullopt);
    touch(key);
  }
  while (!touched_.empty() && outbox_.underWay() < kMostUnderWay) {
    const auto next = nextInTurn(touched_, last_);
    last_ = *next;
    touched_.erase(next);
    wake_.reset();
    reconcile(last_, now);
    if (const auto retry = outbox_.takeRetry()) wake(*retry);
    schedule(last_, wake_);
  }
}

void Reconciler::schedule(const std::string& key, std::optional<Time> at) {
  if (auto held = dueOf_.find(key); held != dueOf_.end()) {
    due_.erase({held->second, key});
    dueOf_.erase(held);
  }
  if (!at) return;
  dueOf_[key] = *at;
  due_.insert({*at, key});
}

std::vector<Command> Reconciler::commands(Time now) {
  if (asked_ && *asked_ <= now) asked_.reset();
  if (!due_.empty() && (!asked_ || due_.begin()->first < *asked_)) {
    asked_ = due_.begin()->first;
    outbox_.tell(WakeAt{*asked_});
  }
  return outbox_.take();
}

void Reconciler::wake(Time at) {
  wake_ = wake_ ? std::min(*wake_, at) : at;
}

bool Reconciler::send(const std::string& verb, const std::string& key, Action action, Time now,
                      const std::string& part) {
  return outbox_.send(entryOf(verb, key, part), std::move(action), now);
}

void Reconciler::effectSeen(const std::string& verb, const std::string& key, const std::string& part) {
  outbox_.effectSeen(entryOf(verb, key, part));
}

void Reconciler::forget(const std::string& verb, const std::string& key, const std::string& part) {
  outbox_.forget(entryOf(verb, key, part));
}

}  // namespace tidegate::controllers
