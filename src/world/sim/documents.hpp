// Objects of kinds tidegate has no struct for (Service, Secret, Lease, Event, ...): kept as the JSON they
// were written as, with the metadata that the rules of the API server need read out of it.
//
// They share the resourceVersion order of the object store. Which kinds there are is the caller's matter.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::sim {

struct Document {
  api::ObjectRef ref;
  std::string uid;
  std::string resourceVersion;
  std::vector<std::string> owners;  // uids
  bool deleting = false;            // has a deletionTimestamp
  bool held = false;                // has finalizers
  std::string json;                 // the whole object, metadata as the server gave it
};
using DocumentPtr = std::shared_ptr<const Document>;

struct DocumentChange {
  DocumentPtr before;
  DocumentPtr after;
  const Document& document() const { return after ? *after : *before; }
};

class DocumentStore {
 public:
  using Table = std::map<api::ObjectRef, DocumentPtr>;  // ordered by kind, apiVersion, namespace, name
  using Listener = std::function<void(const DocumentChange&)>;

  // Versions are drawn from this store.
  explicit DocumentStore(ObjectStore& versions) : versions_(versions) {}

  DocumentPtr find(const api::ObjectRef& ref) const;
  const Table& all() const { return documents_; }
  // Writes under a new resourceVersion. `json` is an object whose metadata has its final name, namespace and
  // uid. Listeners must not write.
  DocumentPtr put(const api::ObjectRef& ref, std::string_view json);
  void erase(const api::ObjectRef& ref);
  void subscribe(Listener listener) { listeners_.push_back(std::move(listener)); }

 private:
  void publish(const DocumentChange& change);

  ObjectStore& versions_;
  Table documents_;
  std::vector<Listener> listeners_;
};

// ---- JSON texts of whole objects
// -------------------------------------------------------------------------

// Do both texts mean the same? The order of members does not count.
bool sameJson(std::string_view a, std::string_view b);

// RFC 7386: the members of `patch` replace those of `target`, null removes.
Result<std::string> mergePatch(std::string_view target, std::string_view patch);

// `object` with the member `name` replaced by that of `other`, or taken out if that has none.
Result<std::string> withMemberOf(std::string_view object, std::string_view name, std::string_view other);

// What a written object asks for, if it says so.
struct WrittenMeta {
  std::string apiVersion;
  std::string kind;
  std::string name;
  std::string namespace_;
  std::string generateName;
  std::string uid;
  std::string resourceVersion;
};
Result<WrittenMeta> readMeta(std::string_view object);

// `object` with these members of its metadata set (a text), taken out (nullopt) or as a number of seconds.
struct MetaChange {
  std::map<std::string, std::optional<std::string>> texts = {};
  std::map<std::string, std::optional<std::int64_t>> numbers = {};
};
Result<std::string> withMeta(std::string_view object, const MetaChange& change);
// What sets the members of the metadata that only the server writes to those of `object`.
MetaChange serverFieldsOf(std::string_view object);

}  // namespace tidegate::sim
