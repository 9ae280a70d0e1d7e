// What a command is about, how urgent it is, and what a signal says.
#pragma once

#include <string>

#include "protocol/events.hpp"
#include "world/kube/request_queue.hpp"

namespace tidegate::kube {

// The object it changes, or tells about; of a signal, the pod.
api::ObjectRef targetOf(const Action& action);

// Commands of equal keys are carried out one after another. A signal, which may take as long as a checkpoint,
// keeps no other command on its pod waiting.
std::string targetKey(const Action& action);

// Deletes, records, signals and patches first; binds, creations, what clears up after and a pod's group; then
// status and conditions; events last.
Rank rankOf(const Action& action);

// "http://10.0.0.7:8080/save", "http://[fd00::7]:8080/save".
std::string signalUrl(const Signal& signal, const std::string& address);
// {"recall":...,"deadline":...,"namespace":...,"pod":...}
std::string signalBody(const Signal& signal);

}  // namespace tidegate::kube
