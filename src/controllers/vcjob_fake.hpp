// For tests of the vcjob controller: an API server and kubelets as small as can be, which deliver what
// happens late, twice and out of order, lose answers, and restart the controller.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/json_access.hpp"
#include "api/names.hpp"
#include "api/read.hpp"
#include "api/write.hpp"
#include "controllers/vcjob.hpp"
#include "controllers/vcjob_json.hpp"
#include "core/rng.hpp"

namespace tidegate::vcjob::test {

struct FakeFaults {
  std::uint64_t seed = 1;
  double delay = 0;        // chance that an event waits while others pass
  double repeat = 0;       // chance that an event comes again later
  double lostAnswer = 0;   // done, but the answer is Unknown
  double lostCommand = 0;  // not done, and the answer is Unknown
  double restart = 0;      // of the controller, before an event
};

inline const Time kStart = Time{seconds(1'700'000'000)};

// RFC 7386.
inline void mergeInto(json::object& target, const json::object& patch) {
  for (const auto& [key, value] : patch) {
    if (value.is_null()) {
      target.erase(key);
    } else if (value.is_object()) {
      mergeInto(objectAt(target, key), value.get_object());
    } else {
      target[key] = value;
    }
  }
}

class FakeCluster {
 public:
  explicit FakeCluster(FakeFaults faults = {}) : faults_(faults), rng_(faults.seed) { restart(); }

  // ---- objects
  static std::string keyOf(const api::ObjectRef& ref) {
    return ref.kind + "/" + ref.namespace_ + "/" + ref.name;
  }
  const json::object* raw(const std::string& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : &found->second;
  }
  template <class T>
  std::optional<T> find(const std::string& name) const {
    const json::object* object = raw(std::string(T::kKind) + "/default/" + name);
    return object == nullptr ? std::nullopt : std::optional(std::get<T>(typed(*object)));
  }
  api::VcJob job(const std::string& name = "j") const { return find<api::VcJob>(name).value(); }
  std::string phase(const std::string& name = "j") const { return job(name).status.state.phase; }
  std::vector<api::Pod> pods() const {
    std::vector<api::Pod> out;
    for (const auto& [key, object] : objects_) {
      if (key.starts_with("Pod/")) out.push_back(std::get<api::Pod>(typed(object)));
    }
    return out;
  }
  std::vector<std::string> podNames() const {
    std::vector<std::string> out;
    for (const auto& pod : pods()) out.push_back(pod.metadata.name);
    return out;
  }

  // Creates what the JSON or YAML text says; what is there stays as it is.
  bool create(const std::string& text) {
    const auto loaded = api::readObjects(text, "t");
    if (!loaded) throw std::runtime_error(loaded.error().front().text());
    return loaded->objects.empty() ? store(parsedObject(text))
                                   : store(parsedObject(api::toJson(loaded->objects.front())));
  }
  // Merges into an object, as a user would.
  void change(const std::string& key, const json::object& patch) {
    json::object& object = objects_.at(key);
    mergeInto(object, patch);
    touch(object);
  }
  void annotate(const std::string& key, const std::string& name, const json::value& value) {
    change(key, {{"metadata", json::object{{"annotations", json::object{{name, value}}}}}});
  }
  void setPod(const std::string& name, const std::string& phase, int exitCode = 0) {
    json::object status{{"phase", phase}};
    if (phase == "Failed" || phase == "Succeeded") {
      const json::object terminated{{"terminated", json::object{{"exitCode", exitCode}}}};
      status["containerStatuses"] = json::array{json::object{{"name", "main"}, {"state", terminated}}};
    }
    change("Pod/default/" + name, {{"status", status}});
  }
  // Somebody deletes a pod: it terminates until the kubelets have stopped it.
  void evict(const std::string& name) { beginDelete("Pod/default/" + name); }
  void remove(const std::string& key) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return;
    const json::object object = std::move(found->second);
    objects_.erase(found);
    if (const auto known = tryTyped(object)) {
      events_.push_back(ObjectGone{api::refOf(*known), api::metadataOf(*known).uid});
    }
    const std::string uid = api::textAt(object, {"metadata", "uid"});
    for (const std::string& owned : ownedBy(uid)) remove(owned);
  }

  // ---- time
  Time now() const { return now_; }
  // Runs what is due now: events, commands, and their consequences, until nothing happens any more.
  void settle() {
    for (int i = 0; i < 100'000; ++i) {
      if (!events_.empty()) {
        deliverOne();
      } else if (wake_ && *wake_ <= now_) {
        wake_.reset();
        give(Tick{});
      } else if (!runKubelets()) {
        return;
      }
    }
    throw std::runtime_error("never quiet");
  }
  void advance(Duration time) {
    const Time end = now_ + time;
    settle();
    while (wake_ && *wake_ <= end) {
      now_ = std::max(now_, *wake_);
      settle();
    }
    now_ = end;
    settle();
  }
  void restart() {
    controller_ = std::make_unique<VcJobController>([this] {
      ++keysMade;
      return SshKeys{.privateKey = "PRIVATE\n", .publicKey = "ssh-ed25519 KEY\n"};
    });
    wake_.reset();
    events_.clear();
    for (const auto& [key, object] : objects_) {
      if (const auto known = tryTyped(object)) give(ObjectSeen{*known});
    }
    give(Tick{});
  }

  // What kubelets do by themselves.
  bool startsPods = true;
  bool stopsPods = true;
  Outcome creates = Outcome::Succeeded;  // what Create of a pod answers
  Outcome deletes = Outcome::Succeeded;  // what DeletePod answers
  FakeFaults& faults() { return faults_; }
  std::vector<Command> log;
  int keysMade = 0;

  template <class A>
  std::vector<A> sent() const {
    std::vector<A> out;
    for (const Command& command : log) {
      if (const A* action = std::get_if<A>(&command.action)) out.push_back(*action);
    }
    return out;
  }

 private:
  static std::optional<api::Object> tryTyped(const json::object& object) {
    const auto loaded = api::readObjects(text(object), "fake");
    if (!loaded || loaded->objects.empty()) return std::nullopt;
    return loaded->objects.front();
  }
  static api::Object typed(const json::object& object) { return tryTyped(object).value(); }

  static std::string keyOf(const json::object& object) {
    return std::string(object.at("kind").as_string()) + "/" + api::textAt(object, {"metadata", "namespace"}) +
           "/" + api::textAt(object, {"metadata", "name"});
  }
  bool store(json::object object) {
    const std::string key = keyOf(object);
    if (objects_.contains(key)) return false;
    json::object& metadata = objectAt(object, "metadata");
    metadata["uid"] = fmt::format("u{}", ++uids_);
    metadata["creationTimestamp"] = formatTime(now_);
    if (key.starts_with("Pod/")) objectAt(object, "status")["phase"] = "Pending";
    touch(objects_[key] = std::move(object));
    return true;
  }
  void touch(json::object& object) {
    objectAt(object, "metadata")["resourceVersion"] = std::to_string(++version_);
    if (const auto known = tryTyped(object)) events_.push_back(ObjectSeen{*known});
  }
  std::vector<std::string> ownedBy(const std::string& uid) const {
    std::vector<std::string> out;
    for (const auto& [key, object] : objects_) {
      const auto known = tryTyped(object);
      if (!known) continue;
      for (const auto& owner : api::metadataOf(*known).ownerReferences) {
        if (owner.uid == uid) out.push_back(key);
      }
    }
    return out;
  }
  void beginDelete(const std::string& key) {
    json::object& object = objects_.at(key);
    if (api::textAt(object, {"metadata", "deletionTimestamp"}).empty()) {
      objectAt(object, "metadata")["deletionTimestamp"] = formatTime(now_);
      touch(object);
    }
  }

  void deliverOne() {
    if (rng_.chance(faults_.restart)) restart();
    if (events_.empty()) return;
    const std::size_t at = rng_.chance(faults_.delay) ? rng_.below(events_.size()) : 0;
    const Event event = events_[at];
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(at));
    const bool isAnswer = std::holds_alternative<CommandDone>(event);
    if (!isAnswer && rng_.chance(faults_.repeat)) events_.push_back(event);
    give(event);
  }
  void give(const Event& event) {
    for (const Command& command : controller_->handle(event, now_)) {
      log.push_back(command);
      if (const auto* at = std::get_if<WakeAt>(&command.action)) {
        wake_ = wake_ ? std::min(*wake_, at->at) : at->at;
        continue;
      }
      const bool lost = rng_.chance(faults_.lostCommand);
      Outcome outcome =
          lost ? Outcome::Unknown : std::visit([this](const auto& it) { return apply(it); }, command.action);
      if (rng_.chance(faults_.lostAnswer)) outcome = Outcome::Unknown;
      events_.push_back(CommandDone{.id = command.id, .outcome = outcome, .message = "answer"});
    }
  }

  json::object* target(const std::string& key, const std::string& uid) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return nullptr;
    const bool same = uid.empty() || api::textAt(found->second, {"metadata", "uid"}) == uid;
    return same ? &found->second : nullptr;
  }
  Outcome apply(const Create& it) {
    if (it.target.kind == "Pod" && creates != Outcome::Succeeded) return creates;
    json::object object = parsedObject(it.json);
    if (keyOf(object) != keyOf(it.target)) throw std::runtime_error("not what it says: " + it.json);
    return store(std::move(object)) ? Outcome::Succeeded : Outcome::Conflict;
  }
  Outcome apply(const Delete& it) {
    if (target(keyOf(it.target), it.uid) == nullptr) return Outcome::NotFound;
    remove(keyOf(it.target));
    return Outcome::Succeeded;
  }
  Outcome apply(const DeletePod& it) {
    if (deletes != Outcome::Succeeded) return deletes;
    const std::string key = "Pod/" + it.namespace_ + "/" + it.name;
    if (target(key, it.uid) == nullptr) return Outcome::NotFound;
    beginDelete(key);
    return Outcome::Succeeded;
  }
  Outcome apply(const Patch& it) {
    if (target(keyOf(it.target), it.uid) == nullptr) return Outcome::NotFound;
    for (const auto& [name, value] : it.annotations) annotate(keyOf(it.target), name, json::string(*value));
    return Outcome::Succeeded;
  }
  Outcome apply(const Merge& it) { return merge(keyOf(it.target), it.uid, parsedObject(it.json)); }
  Outcome apply(const WriteStatus& it) {
    return merge(keyOf(it.target), it.uid, {{"status", parsedObject(it.statusJson)}});
  }
  Outcome apply(const Emit&) { return Outcome::Succeeded; }
  template <class Other>
  Outcome apply(const Other&) {
    throw std::runtime_error("no command of this controller");
  }
  Outcome merge(const std::string& key, const std::string& uid, const json::object& patch) {
    if (target(key, uid) == nullptr) return Outcome::NotFound;
    change(key, patch);
    return Outcome::Succeeded;
  }

  // True if something has moved.
  bool runKubelets() {
    bool moved = false;
    for (const api::Pod& pod : pods()) {
      const std::string key = "Pod/default/" + pod.metadata.name;
      if (pod.metadata.deletionTimestamp) {
        if (stopsPods) remove(key);
        moved = moved || stopsPods;
      } else if (startsPods && pod.status.phase == "Pending") {
        setPod(pod.metadata.name, "Running");
        moved = true;
      }
    }
    return moved;
  }

  FakeFaults faults_;
  Rng rng_;
  Time now_ = kStart;
  std::map<std::string, json::object> objects_;  // "Kind/namespace/name"
  std::deque<Event> events_;
  std::optional<Time> wake_;
  std::uint64_t uids_ = 0;
  std::uint64_t version_ = 0;
  std::unique_ptr<VcJobController> controller_;
};

// A job "j" of one task "worker"; `more` is YAML of the spec, one field a line.
inline std::string jobText(int replicas, const std::string& more = "", const std::string& task = "") {
  return fmt::format(
      "{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: j, namespace: default}}, spec: "
      "{{"
      "{} tasks: [{{name: worker, replicas: {}, {} template: {{spec: {{containers: [{{name: main, image: i, "
      "resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]}}}}}}]}}}}",
      more, replicas, task);
}

}  // namespace tidegate::vcjob::test
