#include "world/sim/object_store.hpp"

#include <utility>

#include "core/error.hpp"

namespace tidegate::sim {

namespace {

template <std::size_t I>
bool names(const api::ObjectRef& ref) {
  using T = std::variant_alternative_t<I, api::Object>;
  return ref.kind == T::kKind && (ref.apiVersion.empty() || ref.apiVersion == T::kApiVersion);
}

template <std::size_t... I>
std::optional<std::size_t> findKind(const api::ObjectRef& ref, std::index_sequence<I...>) {
  std::optional<std::size_t> found;
  ((!found && names<I>(ref) ? void(found = I) : void()), ...);
  return found;
}

template <std::size_t... I>
api::ObjectRef refAt(std::size_t kind, std::index_sequence<I...>) {
  api::ObjectRef ref;
  ((kind == I ? void(ref = refTo<std::variant_alternative_t<I, api::Object>>("", "")) : void()), ...);
  return ref;
}

void updateIndex(std::map<std::string, std::set<std::string>>& index, const std::string& name,
                 const std::string& key, bool present) {
  if (present) {
    index[name].insert(key);
    return;
  }
  const auto entry = index.find(name);
  if (entry == index.end()) return;
  entry->second.erase(key);
  if (entry->second.empty()) index.erase(entry);
}

}  // namespace

std::string keyOf(std::string_view namespace_, std::string_view name) {
  if (namespace_.empty()) return std::string(name);
  std::string key;
  key.reserve(namespace_.size() + 1 + name.size());
  return key.append(namespace_).append("/").append(name);
}

std::string keyOf(const api::ObjectMeta& metadata) {
  return keyOf(metadata.namespace_, metadata.name);
}

std::optional<std::size_t> kindIndex(const api::ObjectRef& ref) {
  return findKind(ref, std::make_index_sequence<kKinds>{});
}

api::ObjectRef kindRef(std::size_t kind) {
  return refAt(kind, std::make_index_sequence<kKinds>{});
}

ObjectPtr ObjectStore::find(const api::ObjectRef& ref) const {
  const auto kind = kindIndex(ref);
  if (!kind) return nullptr;
  const auto found = tables_[*kind].find(keyOf(ref.namespace_, ref.name));
  return found == tables_[*kind].end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const api::Pod>> ObjectStore::podsAt(
    const std::map<std::string, std::set<std::string>>& index, const std::string& name) const {
  std::vector<std::shared_ptr<const api::Pod>> pods;
  const auto entry = index.find(name);
  if (entry == index.end()) return pods;
  for (const std::string& key : entry->second) pods.push_back(find<api::Pod>(key));
  return pods;
}

std::vector<std::shared_ptr<const api::Pod>> ObjectStore::podsOn(const std::string& node) const {
  return podsAt(podsByNode_, node);
}

std::vector<std::shared_ptr<const api::Pod>> ObjectStore::podsOwnedBy(const std::string& uid) const {
  return podsAt(podsByOwner_, uid);
}

void ObjectStore::indexPod(const api::Object& object, bool present) {
  const auto* pod = std::get_if<api::Pod>(&object);
  if (!pod) return;
  const std::string key = keyOf(pod->metadata);
  if (!pod->spec.nodeName.empty()) updateIndex(podsByNode_, pod->spec.nodeName, key, present);
  if (const auto* owner = controllerOf(pod->metadata)) updateIndex(podsByOwner_, owner->uid, key, present);
}

void ObjectStore::put(api::Object object) {
  api::ObjectMeta& metadata = api::metadataOf(object);
  metadata.resourceVersion = std::to_string(++version_);
  ObjectPtr& slot = tables_[object.index()][keyOf(metadata)];
  if (slot) indexPod(*slot, false);
  const Change change{.before = slot, .after = std::make_shared<const api::Object>(std::move(object))};
  slot = change.after;
  indexPod(*slot, true);
  publish(change);
}

void ObjectStore::erase(const api::ObjectRef& ref) {
  const auto kind = kindIndex(ref);
  TIDEGATE_CHECK(kind.has_value(), "unknown kind " + ref.kind);
  const auto found = tables_[*kind].find(keyOf(ref.namespace_, ref.name));
  TIDEGATE_CHECK(found != tables_[*kind].end(), "no such object: " + ref.name);
  ++version_;
  const Change change{.before = found->second, .after = nullptr};
  indexPod(*change.before, false);
  tables_[*kind].erase(found);
  publish(change);
}

void ObjectStore::publish(const Change& change) {
  TIDEGATE_CHECK(!publishing_, "a listener of the store wrote to it");
  publishing_ = true;
  for (const Listener& listener : listeners_) listener(change);
  publishing_ = false;
}

}  // namespace tidegate::sim
