#include "world/kube/requests.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/json_access.hpp"
#include "api/json_writer.hpp"
#include "api/write.hpp"
#include "world/kube/resources.hpp"

namespace tidegate::kube {
namespace {

namespace bj = boost::json;
using api::JsonWriter;
using api::objectAt;
using api::textAt;

constexpr const char* kMergePatch = "application/merge-patch+json";
constexpr const char* kStrategicMergePatch = "application/strategic-merge-patch+json";

HttpRequest request(std::string method, std::string path, std::string body = {},
                    std::string contentType = "application/json") {
  HttpRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  request.contentType = std::move(contentType);
  return request;
}

void head(JsonWriter& json, const char* apiVersion, const char* kind) {
  json.beginObject();
  json.member("apiVersion", apiVersion);
  json.member("kind", kind);
}

// gracePeriodSeconds and the uid precondition: members of DeleteOptions.
void options(JsonWriter& json, const std::string& uid, std::optional<std::int64_t> grace) {
  if (grace) {
    json.member("gracePeriodSeconds", *grace);
  } else {
    json.member("propagationPolicy", "Background");
  }
  if (uid.empty()) return;
  json.key("preconditions");
  json.beginObject();
  json.member("uid", uid);
  json.endObject();
}

std::string deleteOptions(const std::string& uid, std::optional<std::int64_t> grace) {
  JsonWriter json;
  head(json, "v1", "DeleteOptions");
  options(json, uid, grace);
  json.endObject();
  return json.take();
}

void texts(JsonWriter& json, const char* name,
           const std::map<std::string, std::optional<std::string>>& values) {
  if (values.empty()) return;
  json.key(name);
  json.beginObject();
  for (const auto& [key, value] : values) {
    json.key(key);
    value ? json.value(*value) : json.null();
  }
  json.endObject();
}

bool inGroup(const api::ObjectRef& ref, std::string_view group) {
  return ref.apiVersion.starts_with(group) && ref.apiVersion.substr(group.size()).starts_with('/');
}

// Of a batch Job spec.suspend, of an operator's where its row says.
std::optional<std::string> suspendHolder(const api::ObjectRef& ref) {
  if (inGroup(ref, "batch")) return "";
  const auto kind = api::operatorKindOf(ref.kind, ref.apiVersion);
  return kind ? std::optional<std::string>(api::kOperatorKinds[*kind].suspendIn) : std::nullopt;
}

const char* replicasField(const api::ObjectRef& ref) {
  if (inGroup(ref, "apps")) return "replicas";
  return inGroup(ref, "batch") && ref.kind == "Job" ? "parallelism" : nullptr;
}

void spec(JsonWriter& json, const Patch& patch) {
  if (!patch.suspend && !patch.replicas) return;
  json.key("spec");
  json.beginObject();
  if (patch.replicas) json.member(replicasField(patch.target), *patch.replicas);
  if (patch.suspend) {
    const std::string holder = suspendHolder(patch.target).value_or("");
    if (!holder.empty()) {
      json.key(holder);
      json.beginObject();
    }
    json.member("suspend", *patch.suspend);
    if (!holder.empty()) json.endObject();
  }
  json.endObject();
}

void uidOnly(JsonWriter& json, const std::string& uid, std::string_view resourceVersion = {}) {
  if (uid.empty() && resourceVersion.empty()) return;
  json.key("metadata");
  json.beginObject();
  if (!uid.empty()) json.member("uid", uid);
  if (!resourceVersion.empty()) json.member("resourceVersion", resourceVersion);
  json.endObject();
}

bj::object jsonOf(const api::Condition& condition) {
  bj::object json{{"type", condition.type}, {"status", condition.status}};
  if (!condition.reason.empty()) json["reason"] = condition.reason;
  if (!condition.message.empty()) json["message"] = condition.message;
  if (condition.lastTransitionTime) json["lastTransitionTime"] = formatTime(*condition.lastTransitionTime);
  return json;
}

Result<bj::object> parse(const std::string& json) {
  boost::system::error_code failure;
  bj::value value = bj::parse(json, failure);
  if (failure || !value.is_object()) return fail("the server's answer is no JSON object");
  return std::move(value.get_object());
}

// Puts the condition in its place; false if it stands there already.
bool put(bj::array& conditions, const api::Condition& condition, Time now) {
  bj::object mine = jsonOf(condition);
  for (bj::value& each : conditions) {
    bj::object* old = each.if_object();
    if (old == nullptr || textAt(*old, {"type"}) != condition.type) continue;
    const bool sameStatus = textAt(*old, {"status"}) == condition.status;
    if (sameStatus && textAt(*old, {"reason"}) == condition.reason &&
        textAt(*old, {"message"}) == condition.message)
      return false;
    if (sameStatus && old->contains("lastTransitionTime")) {
      mine["lastTransitionTime"] = old->at("lastTransitionTime");
    }
    mine.emplace("lastTransitionTime", formatTime(now));
    each = std::move(mine);
    return true;
  }
  mine.emplace("lastTransitionTime", formatTime(now));
  conditions.push_back(std::move(mine));
  return true;
}

}  // namespace

api::ObjectRef podRef(const std::string& inNamespace, const std::string& name) {
  return {
      .kind = api::Pod::kKind, .apiVersion = api::Pod::kApiVersion, .namespace_ = inNamespace, .name = name};
}

api::ObjectRef recallRef(const std::string& name) {
  return {.kind = api::Recall::kKind, .apiVersion = api::Recall::kApiVersion, .namespace_ = {}, .name = name};
}

api::ObjectRef suspendedPodRef(const std::string& inNamespace, const std::string& name) {
  return {.kind = api::SuspendedPod::kKind,
          .apiVersion = api::SuspendedPod::kApiVersion,
          .namespace_ = inNamespace,
          .name = name};
}

Result<HttpRequest> getRequest(const api::ObjectRef& target) {
  TIDEGATE_TRY(std::string path, pathOf(target));
  return request("GET", std::move(path));
}

HttpRequest bindRequest(const Bind& bind) {
  JsonWriter json;
  head(json, "v1", "Binding");
  json.key("metadata");
  json.beginObject();
  json.member("name", bind.name);
  json.member("namespace", bind.namespace_);
  json.member("uid", bind.uid);
  json.endObject();
  json.key("target");
  head(json, "v1", "Node");
  json.member("name", bind.node);
  json.endObject();
  json.endObject();
  return request("POST", resourceOf<api::Pod>().objectPath(bind.namespace_, bind.name, "binding"),
                 json.take());
}

Result<std::optional<HttpRequest>> patchRequest(const Patch& patch) {
  const api::ObjectRef& target = patch.target;
  TIDEGATE_TRY(std::string path, pathOf(target));
  if (patch.suspend && !suspendHolder(target)) {
    return fail(fmt::format("{} of {} cannot be suspended", target.kind, target.apiVersion));
  }
  if (patch.replicas && replicasField(target) == nullptr) {
    return fail(fmt::format("{} of {} has no replicas to set", target.kind, target.apiVersion));
  }
  if (patch.annotations.empty() && patch.labels.empty() && !patch.suspend && !patch.replicas) {
    return std::nullopt;
  }
  JsonWriter json;
  json.beginObject();
  json.key("metadata");
  json.beginObject();
  if (!patch.uid.empty()) json.member("uid", patch.uid);
  texts(json, "annotations", patch.annotations);
  texts(json, "labels", patch.labels);
  json.endObject();
  spec(json, patch);
  json.endObject();
  return request("PATCH", std::move(path), json.take(), kMergePatch);
}

HttpRequest podConditionRequest(const Patch& patch) {
  JsonWriter json;
  json.beginObject();
  uidOnly(json, patch.uid);
  json.key("status");
  json.beginObject();
  json.key("conditions");
  json.beginArray();
  json.raw(bj::serialize(jsonOf(patch.condition.value())));
  json.endArray();
  json.endObject();
  json.endObject();
  return request("PATCH",
                 resourceOf<api::Pod>().objectPath(patch.target.namespace_, patch.target.name, "status"),
                 json.take(), kStrategicMergePatch);
}

Result<std::optional<HttpRequest>> conditionRequest(const Patch& patch, const std::string& object, Time now) {
  TIDEGATE_TRY(std::string path, statusPathOf(patch.target));
  TIDEGATE_TRY(const bj::object live, parse(object));
  bj::array conditions;
  if (const bj::object* status = objectAt(live, {"status"})) {
    const bj::value* old = status->if_contains("conditions");
    if (old != nullptr && old->is_array()) conditions = old->get_array();
  }
  if (!put(conditions, patch.condition.value(), now)) return std::nullopt;
  JsonWriter json;
  json.beginObject();
  uidOnly(json, patch.uid, textAt(live, {"metadata", "resourceVersion"}));
  json.key("status");
  json.beginObject();
  json.key("conditions");
  json.raw(bj::serialize(conditions));
  json.endObject();
  json.endObject();
  return request("PATCH", std::move(path), json.take(), kMergePatch);
}

HttpRequest deletePodRequest(const DeletePod& command) {
  const Resource& pods = resourceOf<api::Pod>();
  if (!command.viaEviction) {
    return request("DELETE", pods.objectPath(command.namespace_, command.name),
                   deleteOptions(command.uid, command.graceSeconds));
  }
  JsonWriter json;
  head(json, "policy/v1", "Eviction");
  json.key("metadata");
  json.beginObject();
  json.member("name", command.name);
  json.member("namespace", command.namespace_);
  json.endObject();
  json.key("deleteOptions");
  json.beginObject();
  options(json, command.uid, command.graceSeconds);
  json.endObject();
  json.endObject();
  return request("POST", pods.objectPath(command.namespace_, command.name, "eviction"), json.take());
}

HttpRequest writeRecallRequest(const WriteRecall& command) {
  const Resource& recalls = resourceOf<api::Recall>();
  const api::ObjectMeta& metadata = command.recall.metadata;
  const bool create = metadata.resourceVersion.empty();
  return request(create ? "POST" : "PUT", create ? recalls.listPath() : recalls.objectPath({}, metadata.name),
                 api::toJson(command.recall));
}

HttpRequest deleteRecallRequest(const DeleteRecall& command) {
  return request("DELETE", resourceOf<api::Recall>().objectPath({}, command.name), deleteOptions({}, {}));
}

Result<HttpRequest> createRequest(const Create& command) {
  TIDEGATE_TRY(const Resource resource, resourceOf(command.target));
  return request("POST", resource.listPath(command.target.namespace_), command.json);
}

Result<HttpRequest> storedPodRequest(const StorePod& command, const std::string& pod) {
  TIDEGATE_TRY(std::string record, api::suspendedPodJson(pod, command.facts));
  return request("POST", resourceOf<api::SuspendedPod>().listPath(command.namespace_), std::move(record));
}

Result<HttpRequest> remadePodRequest(const RemakePod& command, const std::string& suspendedPod) {
  TIDEGATE_TRY(std::string pod, api::remadePodJson(suspendedPod));
  return request("POST", resourceOf<api::Pod>().listPath(command.namespace_), std::move(pod));
}

Result<HttpRequest> deleteRequest(const Delete& command) {
  TIDEGATE_TRY(std::string path, pathOf(command.target));
  return request("DELETE", std::move(path), deleteOptions(command.uid, {}));
}

Result<HttpRequest> mergeRequest(const Merge& command) {
  TIDEGATE_TRY(std::string path, pathOf(command.target));
  boost::system::error_code failure;
  bj::value patch = bj::parse(command.json, failure);
  if (failure || !patch.is_object()) return fail("the merge patch is no JSON object");
  if (!command.uid.empty()) {
    bj::value& metadata = patch.get_object()["metadata"];
    if (!metadata.is_object()) metadata.emplace_object();
    metadata.get_object()["uid"] = command.uid;
  }
  return request("PATCH", std::move(path), bj::serialize(patch), kMergePatch);
}

Result<HttpRequest> writeStatusRequest(const WriteStatus& command, std::string_view resourceVersion) {
  TIDEGATE_TRY(std::string path, statusPathOf(command.target));
  JsonWriter json;
  json.beginObject();
  uidOnly(json, command.uid, resourceVersion);
  json.key("status");
  json.raw(command.statusJson);
  json.endObject();
  return request("PATCH", std::move(path), json.take(), kMergePatch);
}

Result<LiveObject> readLiveObject(const std::string& json) {
  TIDEGATE_TRY(const bj::object live, parse(json));
  return LiveObject{.uid = textAt(live, {"metadata", "uid"}),
                    .resourceVersion = textAt(live, {"metadata", "resourceVersion"}),
                    .nodeName = textAt(live, {"spec", "nodeName"}),
                    .podIp = textAt(live, {"status", "podIP"})};
}

}  // namespace tidegate::kube
