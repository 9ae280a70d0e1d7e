#include "controllers/object_checks.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/annotation_checks.hpp"
#include "api/names.hpp"
#include "api/owners.hpp"

namespace tidegate::controllers {
namespace {

constexpr Duration kSettled = seconds(1);
// More objects with something wrong than this: all are told anew.
constexpr std::size_t kMostRemembered = 20000;

const std::string& originOf(const api::ObjectMeta& metadata) {
  const api::OwnerReference* controller = api::controllerOf(metadata);
  return controller != nullptr ? controller->uid : metadata.uid;
}

}  // namespace

std::vector<Command> ObjectChecks::handle(const Event& event, Time now) {
  if (const auto* object = std::get_if<ObjectSeen>(&event)) seen(object->object, now);
  if (const auto* lost = std::get_if<ObjectGone>(&event)) gone(*lost, now);
  // The first Tick comes when all is known.
  if (std::holds_alternative<Tick>(event) && parentsAt_ && now >= *parentsAt_) checkParents();
  return std::exchange(out_, {});
}

void ObjectChecks::seen(const api::Object& object, Time now) {
  if (const auto* queue = std::get_if<api::Queue>(&object)) seenQueue(*queue, now);
  const std::vector<api::BadAnnotation> bad = api::badAnnotations(object);
  if (bad.empty()) return;
  if (told_.size() > kMostRemembered) told_.clear();
  auto& told = told_[originOf(api::metadataOf(object))];
  for (const api::BadAnnotation& each : bad) {
    if (told[each.name].insert(each.value).second) warn(api::refOf(object), "BadAnnotation", each.text());
  }
}

void ObjectChecks::seenQueue(const api::Queue& queue, Time now) {
  const std::string parent = queue.spec.parent.empty() ? api::names::kRootQueue : queue.spec.parent;
  const auto [found, fresh] = queues_.try_emplace(queue.metadata.name);
  Parent& known = found->second;
  if (!fresh && known.uid == queue.metadata.uid && known.parent == parent) return;
  if (known.uid != queue.metadata.uid) known.told.clear();
  known.uid = queue.metadata.uid;
  known.parent = parent;
  wake(now);
}

void ObjectChecks::gone(const ObjectGone& gone, Time now) {
  told_.erase(gone.uid);
  if (gone.ref.kind == api::Queue::kKind && queues_.erase(gone.ref.name) > 0) wake(now);
}

void ObjectChecks::wake(Time now) {
  if (!parentsAt_) out_.push_back({.id = ++lastId_, .action = WakeAt{now + kSettled}});
  if (!parentsAt_) parentsAt_ = now + kSettled;
}

void ObjectChecks::checkParents() {
  parentsAt_.reset();
  for (auto& [name, queue] : queues_) {
    std::string wrong = wrongWith(name);
    if (wrong == queue.told) continue;
    queue.told = wrong;
    if (wrong.empty()) continue;
    warn({.kind = api::Queue::kKind, .apiVersion = api::Queue::kApiVersion, .namespace_ = "", .name = name},
         "BadParent", std::move(wrong));
  }
}

// What is wrong with its own parent; a queue below one that is wrong is well.
std::string ObjectChecks::wrongWith(const std::string& queue) const {
  constexpr const char* kUsed = "; the queue stands under root";
  const std::string& parent = queues_.at(queue).parent;
  std::string circle = queue;
  std::string above = parent;
  for (std::size_t steps = 0; steps <= queues_.size() && above != api::names::kRootQueue; ++steps) {
    circle += " > " + above;
    if (above == queue)
      return fmt::format("spec.parent: \"{}\" closes a circle ({}){}", parent, circle, kUsed);
    const auto found = queues_.find(above);
    if (found == queues_.end()) {
      if (above != parent) return "";
      return fmt::format("spec.parent: there is no queue \"{}\"{} until there is", parent, kUsed);
    }
    above = found->second.parent;
  }
  return "";
}

void ObjectChecks::warn(const api::ObjectRef& about, const char* reason, std::string message) {
  out_.push_back(
      {.id = ++lastId_,
       .action = Emit{.about = about, .warning = true, .reason = reason, .message = std::move(message)}});
}

}  // namespace tidegate::controllers
