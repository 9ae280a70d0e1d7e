// The true state of the simulated cluster: every object by kind and key, with two indexes of pods, and a
// change feed. It knows nothing of API rules (api_server.hpp does). Readers get shared immutable objects, so
// a pointer stays good whatever is written later.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/objects.hpp"
#include "api/owners.hpp"

namespace tidegate::sim {

// "namespace/name", or "name" for cluster-scoped objects.
std::string keyOf(std::string_view namespace_, std::string_view name);
std::string keyOf(const api::ObjectMeta& metadata);

inline constexpr std::size_t kKinds = std::variant_size_v<api::Object>;

template <class T, std::size_t I = 0>
constexpr std::size_t kindIndex() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, api::Object>, T>) {
    return I;
  } else {
    return kindIndex<T, I + 1>();
  }
}
// The index a reference names. Without an apiVersion the first kind of that name is taken.
std::optional<std::size_t> kindIndex(const api::ObjectRef& ref);

// Kind and apiVersion of an index, without a name.
api::ObjectRef kindRef(std::size_t kind);

template <class T>
api::ObjectRef refTo(std::string_view namespace_, std::string_view name) {
  return {T::kKind, T::kApiVersion, std::string(namespace_), std::string(name)};
}

using ObjectPtr = std::shared_ptr<const api::Object>;

// One write: created (no `before`), changed, or gone (no `after`).
struct Change {
  ObjectPtr before;
  ObjectPtr after;
  const api::Object& object() const { return after ? *after : *before; }
};

class ObjectStore {
 public:
  using Table = std::map<std::string, ObjectPtr, std::less<>>;
  using Listener = std::function<void(const Change&)>;

  // Null when there is none.
  template <class T>
  std::shared_ptr<const T> find(std::string_view key) const {
    const Table& objects = tables_[kindIndex<T>()];
    const auto found = objects.find(key);
    return found == objects.end() ? nullptr : cast<T>(found->second);
  }
  ObjectPtr find(const api::ObjectRef& ref) const;
  const Table& table(std::size_t kind) const { return tables_[kind]; }

  // All objects of a kind in the order of their keys.
  template <class T>
  std::vector<std::shared_ptr<const T>> all() const {
    std::vector<std::shared_ptr<const T>> out;
    for (const auto& [key, object] : tables_[kindIndex<T>()]) out.push_back(cast<T>(object));
    return out;
  }
  // Pods bound to a node, and pods whose controller has this uid; in the order of their keys.
  std::vector<std::shared_ptr<const api::Pod>> podsOn(const std::string& node) const;
  std::vector<std::shared_ptr<const api::Pod>> podsOwnedBy(const std::string& uid) const;

  // Writes an object under a new resourceVersion, or removes one. Listeners are told before the call returns;
  // they must not write themselves.
  void put(api::Object object);
  void erase(const api::ObjectRef& ref);
  void subscribe(Listener listener) { listeners_.push_back(std::move(listener)); }

  // Of the latest write; within a listener: of the change it is told.
  std::uint64_t version() const { return version_; }
  // Takes a version for a write elsewhere (documents.hpp): one order over everything.
  std::uint64_t nextVersion() { return ++version_; }

 private:
  template <class T>
  static std::shared_ptr<const T> cast(const ObjectPtr& object) {
    return {object, &std::get<T>(*object)};
  }
  std::vector<std::shared_ptr<const api::Pod>> podsAt(
      const std::map<std::string, std::set<std::string>>& index, const std::string& name) const;
  void indexPod(const api::Object& object, bool present);
  void publish(const Change& change);

  std::array<Table, kKinds> tables_;
  std::map<std::string, std::set<std::string>> podsByNode_;
  std::map<std::string, std::set<std::string>> podsByOwner_;
  std::vector<Listener> listeners_;
  std::uint64_t version_ = 0;
  bool publishing_ = false;
};

}  // namespace tidegate::sim
