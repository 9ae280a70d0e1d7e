// A very small API server for tests of controllers, in virtual time: it stores objects, collects what owners
// leave behind, carries out commands, and can lose, delay, repeat and reorder what it says.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <vector>

#include "api/read.hpp"
#include "api/write.hpp"
#include "controllers/mirror.hpp"
#include "core/rng.hpp"
#include "protocol/controller.hpp"

namespace tidegate::controllers::test {

inline const Time kStart = Time{} + std::chrono::hours(24 * 20000);

inline api::Object objectOf(const std::string& json) {
  auto loaded = api::readObjects(json, "test");
  TIDEGATE_CHECK(loaded.has_value() && loaded->objects.size() == 1, "unreadable: " + json);
  return loaded->objects.front();
}

// RFC 7386.
inline void mergePatch(boost::json::value& target, const boost::json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = boost::json::object{};
  for (const auto& [key, value] : patch.as_object()) {
    if (value.is_null())
      target.as_object().erase(key);
    else
      mergePatch(target.as_object()[key], value);
  }
}

struct Faults {
  double lostBefore = 0;  // the command never arrives
  double lostAfter = 0;   // carried out, and the answer is lost
  double repeated = 0;    // an event comes twice
  Duration delay{};       // each event up to this late, in any order
};

constexpr Duration kTimeout = seconds(10);  // of a command that nobody answers

class TestWorld {
 public:
  explicit TestWorld(Controller& controller, std::uint64_t seed = 1, Faults faults = {})
      : controller_(&controller), rng_(seed), faults_(faults) {}

  Time now() const { return now_; }
  const std::vector<Action>& log() const { return log_; }
  void clearLog() { log_.clear(); }
  void setFaults(Faults faults) { faults_ = faults; }
  // A new process: it is shown all objects, and then a Tick. What was on its way to the old one is lost.
  void restart(Controller& controller) {
    controller_ = &controller;
    agenda_.clear();
    start();
  }
  void start() {
    for (const auto& [ref, object] : objects_) agenda_.emplace(now_, ObjectSeen{object});
    agenda_.emplace(now_ + faults_.delay, Tick{});
  }

  template <class T>
  const T* find(const std::string& name, const std::string& ns = "") const {
    auto at = objects_.find({T::kKind, T::kApiVersion, ns, name});
    return at == objects_.end() ? nullptr : &std::get<T>(at->second);
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> list;
    for (const auto& [ref, object] : objects_) {
      if (const auto* typed = std::get_if<T>(&object)) list.push_back(*typed);
    }
    return list;
  }

  // Creates or replaces; uid and resourceVersion are filled in.
  void put(api::Object object) {
    const api::ObjectRef ref = api::refOf(object);
    api::ObjectMeta& metadata = api::metadataOf(object);
    auto held = objects_.find(ref);
    if (held != objects_.end()) metadata.uid = api::metadataOf(held->second).uid;
    if (metadata.uid.empty()) metadata.uid = "u" + std::to_string(++lastUid_);
    metadata.resourceVersion = std::to_string(++version_);
    objects_[ref] = object;
    tell(ObjectSeen{object});
  }
  void remove(const api::ObjectRef& ref) {
    auto held = objects_.find(ref);
    if (held == objects_.end()) return;
    const std::string uid = api::metadataOf(held->second).uid;
    objects_.erase(held);
    tell(ObjectGone{.ref = ref, .uid = uid});
    std::vector<api::ObjectRef> owned;
    for (const auto& [other, object] : objects_) {
      const auto& owners = api::metadataOf(object).ownerReferences;
      if (std::ranges::any_of(owners, [&](const auto& owner) { return owner.uid == uid; }))
        owned.push_back(other);
    }
    for (const auto& other : owned) remove(other);
  }

  void deliver(const Event& event) {
    for (const auto& command : controller_->handle(event, now_)) execute(command);
  }
  void runUntil(Time end) {
    while (!agenda_.empty() && agenda_.begin()->first <= end) step();
    now_ = std::max(now_, end);
  }
  void runFor(Duration span) { runUntil(now_ + span); }
  // False if it has not come to rest by then: events or wishes for a Tick are still pending.
  bool runToRest(Duration bound) {
    const Time end = now_ + bound;
    while (!agenda_.empty() && agenda_.begin()->first <= end) step();
    return agenda_.empty();
  }

 private:
  void step() {
    auto first = agenda_.begin();
    now_ = std::max(now_, first->first);
    const Event event = first->second;
    agenda_.erase(first);
    deliver(event);
  }

  void tell(const Event& event) {
    const int times = rng_.chance(faults_.repeated) ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      const auto late = static_cast<Duration::rep>(rng_.unit() * static_cast<double>(faults_.delay.count()));
      agenda_.emplace(now_ + milliseconds(1) + Duration{late}, event);
    }
  }

  void execute(const Command& command) {
    if (const auto* wake = std::get_if<WakeAt>(&command.action)) {
      agenda_.emplace(std::max(wake->at, now_), Tick{});
      return;
    }
    log_.push_back(command.action);
    if (std::holds_alternative<Emit>(command.action)) return;
    Outcome outcome = Outcome::Unknown;
    if (!rng_.chance(faults_.lostBefore)) {
      outcome = std::visit([this](const auto& action) { return apply(action); }, command.action);
      if (rng_.chance(faults_.lostAfter)) outcome = Outcome::Unknown;
    }
    const CommandDone done{.id = command.id, .outcome = outcome, .message = ""};
    if (outcome == Outcome::Unknown && rng_.chance(0.5)) {
      agenda_.emplace(now_ + kTimeout, done);
    } else {
      tell(done);
    }
  }

  Outcome apply(const Create& create) {
    if (objects_.contains(create.target)) return Outcome::Conflict;
    api::Object object = objectOf(create.json);
    TIDEGATE_CHECK(api::refOf(object) == create.target, "the object is not what the command names");
    const bool orphan = !api::metadataOf(object).ownerReferences.empty() && !hasOwner(object);
    put(std::move(object));
    if (orphan) remove(create.target);
    return Outcome::Succeeded;
  }
  bool hasOwner(const api::Object& object) const {
    const auto& owners = api::metadataOf(object).ownerReferences;
    return std::ranges::any_of(objects_, [&](const auto& held) {
      return std::ranges::any_of(
          owners, [&](const auto& owner) { return owner.uid == api::metadataOf(held.second).uid; });
    });
  }
  Outcome apply(const Delete& order) {
    auto held = objects_.find(order.target);
    if (held == objects_.end()) return Outcome::NotFound;
    if (!order.uid.empty() && api::metadataOf(held->second).uid != order.uid) return Outcome::Conflict;
    remove(order.target);
    return Outcome::Succeeded;
  }
  Outcome apply(const Patch& patch) {
    auto held = objects_.find(patch.target);
    if (held == objects_.end()) return Outcome::NotFound;
    api::Object object = held->second;
    if (!patch.uid.empty() && api::metadataOf(object).uid != patch.uid) return Outcome::Conflict;
    for (const auto& [key, value] : patch.annotations) {
      auto& annotations = api::metadataOf(object).annotations;
      value ? void(annotations[key] = *value) : void(annotations.erase(key));
    }
    if (object != held->second) put(std::move(object));
    return Outcome::Succeeded;
  }
  Outcome merged(const api::ObjectRef& target, const std::string& uid, const std::string& patch) {
    auto held = objects_.find(target);
    if (held == objects_.end()) return Outcome::NotFound;
    if (!uid.empty() && api::metadataOf(held->second).uid != uid) return Outcome::Conflict;
    boost::json::value json = boost::json::parse(api::toJson(held->second));
    mergePatch(json, boost::json::parse(patch));
    api::Object object = objectOf(boost::json::serialize(json));
    if (object != held->second) put(std::move(object));
    return Outcome::Succeeded;
  }
  Outcome apply(const Merge& merge) { return merged(merge.target, merge.uid, merge.json); }
  Outcome apply(const WriteStatus& write) {
    auto held = objects_.find(write.target);
    const bool old = held != objects_.end() && !write.resourceVersion.empty() &&
                     api::metadataOf(held->second).resourceVersion != write.resourceVersion;
    if (old) return Outcome::Conflict;
    return merged(write.target, write.uid, "{\"status\":" + write.statusJson + "}");
  }
  template <class Other>
  Outcome apply(const Other&) {
    return Outcome::Rejected;
  }

  Controller* controller_;
  Rng rng_;
  Faults faults_;
  Time now_ = kStart;
  std::map<api::ObjectRef, api::Object> objects_;
  std::multimap<Time, Event> agenda_;
  std::vector<Action> log_;
  std::uint64_t version_ = 0;
  std::uint64_t lastUid_ = 0;
};

template <class T>
std::vector<T> only(const std::vector<Action>& log) {
  std::vector<T> list;
  for (const auto& action : log) {
    if (const auto* typed = std::get_if<T>(&action)) list.push_back(*typed);
  }
  return list;
}

}  // namespace tidegate::controllers::test
