// The requests of each command, as values. Sources: Kubernetes API reference (Binding, Eviction,
// DeleteOptions), API conventions (merge patch and strategic merge patch).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "protocol/events.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

Result<HttpRequest> getRequest(const api::ObjectRef& target);
HttpRequest bindRequest(const Bind& bind);
// Labels, annotations and the fields of spec, in one merge patch; empty if the patch has none of them. An
// error if the kind has no such field.
Result<std::optional<HttpRequest>> patchRequest(const Patch& patch);
// A strategic merge patch of the pod's status, which merges conditions by type.
HttpRequest podConditionRequest(const Patch& patch);
// A merge patch of the status as a whole list of conditions: those of `object` (JSON, as got) with one
// replaced or added. Empty if it stands there already.
Result<std::optional<HttpRequest>> conditionRequest(const Patch& patch, const std::string& object, Time now);
HttpRequest deletePodRequest(const DeletePod& command);
HttpRequest writeRecallRequest(const WriteRecall& command);
HttpRequest deleteRecallRequest(const DeleteRecall& command);
Result<HttpRequest> createRequest(const Create& command);
// `pod` and `suspendedPod` are JSON, as got.
Result<HttpRequest> storedPodRequest(const StorePod& command, const std::string& pod);
Result<HttpRequest> remadePodRequest(const RemakePod& command, const std::string& suspendedPod);
Result<HttpRequest> deleteRequest(const Delete& command);
Result<HttpRequest> mergeRequest(const Merge& command);
// With the resourceVersion given instead of the command's.
Result<HttpRequest> writeStatusRequest(const WriteStatus& command, std::string_view resourceVersion);

// What the commands need of an object as the server sends it.
struct LiveObject {
  std::string uid;
  std::string resourceVersion;
  std::string nodeName;  // of pods: spec.nodeName
  std::string podIp;     // of pods: status.podIP
};
Result<LiveObject> readLiveObject(const std::string& json);

api::ObjectRef podRef(const std::string& inNamespace, const std::string& name);
api::ObjectRef recallRef(const std::string& name);
api::ObjectRef suspendedPodRef(const std::string& inNamespace, const std::string& name);

}  // namespace tidegate::kube
