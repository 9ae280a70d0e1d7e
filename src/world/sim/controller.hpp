// What the controllers of the world share: they watch, wait a moment, and then make the world look as the
// object asks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "world/sim/api_server.hpp"
#include "world/sim/fault_draws.hpp"

namespace tidegate::sim {

struct ControllerServices {
  EventQueue& clock;
  SimApiServer& api;
  const FaultDraws& faults;
  Duration delay;  // from a change to acting on it
};

using PodPtr = std::shared_ptr<const api::Pod>;

// A controller of objects of type T that own pods.
template <class T>
class OwnerController {
 public:
  explicit OwnerController(ControllerServices services) : services_(services) {
    services_.api.feed().subscribe([this](const Change& change) { watch(change); });
  }
  virtual ~OwnerController() = default;
  OwnerController(const OwnerController&) = delete;
  OwnerController& operator=(const OwnerController&) = delete;

 protected:
  // Looks at one object as it stands now; called again after every change of it or of a pod it owns.
  virtual void reconcile(const T& owner) = 0;
  // The object is gone.
  virtual void forget(const std::string& /*uid*/) {}

  // Asks for a look at an object after a delay; an earlier one that is already due does as well.
  void wake(const std::string& key, Duration delay) {
    const Time due = services_.clock.now() + delay;
    const auto pending = due_.find(key);
    if (pending != due_.end() && pending->second <= due) return;
    due_[key] = due;
    services_.clock.at(due, [this, key, due] {
      const auto current = due_.find(key);
      if (current == due_.end() || current->second != due) return;
      due_.erase(current);
      if (const auto owner = services_.api.store().template find<T>(key)) reconcile(*owner);
    });
  }

  SimApiServer& api() { return services_.api; }
  ControllerServices services_;

 private:
  void watch(const Change& change) {
    const api::Object& object = change.object();
    if (const auto* owner = std::get_if<T>(&object)) {
      if (!change.after) return forget(owner->metadata.uid);
      wake(keyOf(owner->metadata), services_.delay);
    } else if (const auto* pod = std::get_if<api::Pod>(&object)) {
      const api::OwnerReference* owned = controllerOf(pod->metadata);
      if (!owned || owned->kind != T::kKind || owned->apiVersion != T::kApiVersion) return;
      wake(keyOf(pod->metadata.namespace_, owned->name), services_.delay);
    }
  }

  std::map<std::string, Time> due_;
};

// A reference that makes `owner` the controller of what carries it.
template <class T>
api::OwnerReference controlledBy(const T& owner) {
  return {.apiVersion = T::kApiVersion,
          .kind = T::kKind,
          .name = owner.metadata.name,
          .uid = owner.metadata.uid,
          .controller = true};
}

api::Pod podFrom(const api::PodTemplateSpec& pods, const std::string& namespace_, const std::string& name,
                 const api::OwnerReference& owner);

// Creates a pod, with a finalizer on it where the faults draw one; null if the server refuses it.
PodPtr createPod(const ControllerServices& services, api::Pod pod);
void deletePod(SimApiServer& api, const api::Pod& pod);

// "<base>-x4k2p": as the API server completes generateName, but drawn from the seed.
std::string generateName(const ControllerServices& services, const std::string& base);

// The `count` pods that scaling down takes first: not bound, then not running, then not ready, then the
// lowest pod-deletion-cost, then the youngest (the order of k8s.io/kubernetes pkg/controller ActivePods).
std::vector<PodPtr> firstToGo(std::vector<PodPtr> pods, std::size_t count);

// The finalizer that FaultOptions::holdByFinalizer puts on pods.
inline constexpr const char* kHoldFinalizer = "sim.tidegate.dev/hold";

}  // namespace tidegate::sim
