// What a Kubernetes API server does with writes, in memory: uids, resourceVersions, preconditions, graceful
// deletion, binding and eviction. Every call is one request that has arrived at the server; travel times are
// the callers'.
//
// Rules follow the API conventions (preconditions, finalizers), "Pod lifecycle: termination of pods" and
// "API-initiated eviction" of the Kubernetes documentation, and k8s.io/apiserver's registry/rest/delete.go
// for graces.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/rng.hpp"
#include "protocol/events.hpp"
#include "world/sim/documents.hpp"
#include "world/sim/event_queue.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::sim {

struct Answer {
  Outcome outcome = Outcome::Succeeded;
  std::string message = {};
  bool ok() const { return outcome == Outcome::Succeeded; }
};

struct DeleteOptions {
  std::string uid = {};                           // precondition; empty: none
  std::string resourceVersion = {};               // likewise
  std::optional<std::int64_t> graceSeconds = {};  // pods only; the pod's own when absent, 0 forces
};

// Which part of an object a write may change. Main leaves the status as it is where the kind has a status
// subresource; Status changes nothing else.
enum class Part : std::uint8_t { Main, Status };

class SimApiServer {
 public:
  // Uids are drawn from the seed.
  SimApiServer(EventQueue& clock, std::uint64_t seed) : clock_(clock), uids_(seed) {}

  const ObjectStore& store() const { return store_; }
  ObjectStore& feed() { return store_; }  // for subscribing
  const DocumentStore& documents() const { return documents_; }
  DocumentStore& documentFeed() { return documents_; }  // for subscribing
  Time now() const { return clock_.now(); }

  // Gives uid, creationTimestamp and defaults. Conflict if the name is taken; Rejected if a pod names a
  // PriorityClass that does not exist.
  Answer create(api::Object object);
  // Replaces an object. Conflict if a uid or resourceVersion is set and is not the stored one. Uid, creation
  // and deletion times are the server's; taking the last finalizer off an object that is being deleted
  // removes it.
  Answer update(api::Object object);
  Answer patch(const Patch& patch);
  // Deletes in the background way. A bound, running pod stays until its kubelet confirms or the grace is
  // forced to 0.
  Answer remove(const api::ObjectRef& ref, const DeleteOptions& options = {});
  // Conflict if the pod is bound or being deleted, or the uid is another's.
  Answer bind(const Bind& bind);
  // The Eviction subresource: Rejected (HTTP 429) if a PodDisruptionBudget has nothing left to give.
  Answer evict(const DeletePod& request);
  Answer writeRecall(const WriteRecall& write);

  // The same for objects as JSON, of kinds that are kept as documents too. Name and namespace are those of
  // the reference. What is not JSON, or no object of the kind, is Rejected.
  std::optional<std::string> json(const api::ObjectRef& ref) const;
  Answer createJson(const api::ObjectRef& ref, std::string_view json);
  // Preconditions: uid and resourceVersion in its metadata.
  Answer updateJson(const api::ObjectRef& ref, std::string_view json, Part part);
  // Merges into anything but the status.
  Answer merge(const Merge& merge);
  // Merges into the status, whether or not the kind has a status subresource.
  Answer writeStatus(const WriteStatus& write);

  // Reads, changes and writes one object in one request, as a controller's retry loop ends up doing.
  // NotFound if it is gone, Conflict if `uid` is set and is another's. Writing nothing new is not a write.
  template <class T>
  Answer modify(const std::string& key, const std::string& uid, const std::function<void(T&)>& change) {
    const auto stored = store_.find<T>(key);
    if (const Answer found = precondition(stored ? &stored->metadata : nullptr, uid); !found.ok())
      return found;
    T copy = *stored;
    change(copy);
    if (!(copy == *stored)) commit(std::move(copy));
    return {};
  }

 private:
  static Answer precondition(const api::ObjectMeta* stored, const std::string& uid,
                             const std::string& resourceVersion = {});
  std::string newUid();
  Answer admit(api::Pod& pod) const;
  void commit(api::Object object);
  Answer removePod(const api::Pod& pod, const DeleteOptions& options);
  void removeNow(api::Object object);
  Answer updateTyped(const api::ObjectRef& ref, std::string_view json, Part part);
  Answer createDocument(const api::ObjectRef& ref, std::string_view json);
  Answer updateDocument(const Document& stored, std::string_view json);
  Answer patchDocument(const Patch& patch);
  Answer removeDocument(const api::ObjectRef& ref, const DeleteOptions& options);

  EventQueue& clock_;
  Rng uids_;
  ObjectStore store_;
  DocumentStore documents_{store_};
};

// May this pod be evicted now? Ok, or Rejected with the budget that forbids it.
Answer checkBudgets(const ObjectStore& store, const api::Pod& pod);

}  // namespace tidegate::sim
