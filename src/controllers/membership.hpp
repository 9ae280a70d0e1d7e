// Which gang a pod belongs to and which queue it asks for, as its own object says.
//
// Rules: Volcano's pkg/controllers/podgroup/pg_controller_handler.go and util GeneratePodgroupName.
#pragma once

#include <set>
#include <string>

#include "api/objects.hpp"
#include "api/owners.hpp"
#include "state/namespace_queues.hpp"

namespace tidegate::controllers {

// The schedulers whose pods are looked after.
using SchedulerNames = std::set<std::string>;
inline SchedulerNames defaultSchedulers() {
  return {"volcano", "tidegate"};
}

// The PodGroup a pod names; empty if none.
std::string groupNamedBy(const api::Pod& pod);
// The name of the PodGroup made for pods that name none: podgroup-<uid of the controller, or of the pod>.
std::string implicitGroupName(const api::Pod& pod);
// "namespace/name" of the gang: the one named, else the implicit one.
std::string gangKeyOf(const api::Pod& pod);
// The queue of a pod without a PodGroup: annotation, else label, else default.
std::string queueAskedBy(const api::Pod& pod);

bool isTerminal(const api::Pod& pod);

}  // namespace tidegate::controllers
