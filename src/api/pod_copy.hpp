// A pod as text that it can be made from again, whatever fields it has: the API server's JSON in, a
// SuspendedPod out, and back into a pod.
//
// Left out is what the server or its admission fills in and refuses, or fills in anew, on creation: status,
// nodeName, the mounted token of the service account, priority and preemptionPolicy (of the class), overhead
// (of the runtime class), ephemeral containers (Kubernetes: pkg/registry/core/pod,
// plugin/pkg/admission/{serviceaccount,priority,runtimeclass}); and our own marks of the recall.
#pragma once

#include <string>
#include <string_view>

#include "api/objects.hpp"
#include "core/error.hpp"

namespace tidegate::api {

struct SuspendFacts {
  std::string recall;
  std::string queue;
  std::string podGroup;     // see SuspendedPodSpec
  std::string podGroupUid;  // its deletion takes the SuspendedPod with it
  bool whole = true;
  StringMap annotations = {};  // of the SuspendedPod
  bool operator==(const SuspendFacts&) const = default;
};

// The SuspendedPod of a pod. Its kept creationTimestamp is that of the first pod of its kind.
Result<std::string> suspendedPodJson(std::string_view pod, const SuspendFacts& facts);

// The pod to create. Of the SuspendedPod's annotations it takes over when it resumed, from what checkpoint,
// and how often it was recalled.
Result<std::string> remadePodJson(std::string_view suspendedPod);

}  // namespace tidegate::api
