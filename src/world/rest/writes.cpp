#include "world/rest/writes.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/json_writer.hpp"
#include "api/kinds.hpp"
#include "world/rest/patches.hpp"

namespace tidegate::rest {

namespace {

constexpr const char* kMerge = "application/merge-patch+json";
constexpr const char* kStrategic = "application/strategic-merge-patch+json";
constexpr const char* kApply = "application/apply-patch+yaml";

Failure alreadyExists(const Target& target) {
  return {.code = 409,
          .reason = "AlreadyExists",
          .message = fmt::format("{} \"{}\" already exists", target.resource->title(), target.name),
          .resource = target.resource,
          .name = target.name};
}

// A write the stores refuse: admission forbids, validation finds invalid.
Failure refused(const Target& target, const sim::Answer& answer) {
  if (answer.outcome == Outcome::NotFound) return notFound(target);
  if (answer.outcome == Outcome::Conflict)
    return conflict(target,
                    "the object has been modified; please apply your changes to the latest version and try "
                    "again (" +
                        answer.message + ")");
  if (answer.message.starts_with("no PriorityClass")) {
    Failure forbidden = invalid(target, answer.message);
    forbidden.code = 403;
    forbidden.reason = "Forbidden";
    return forbidden;
  }
  return invalid(target, answer.message);
}

bool needsVersion(const Resource& resource) {  // AllowUnconditionalUpdate is false
  return resource.custom || resource.kind == "Lease";
}

// What a body says it is must be what the path leads to. Only bodies of built-in kinds may leave it out.
std::optional<Failure> wrongType(const Target& target, const sim::WrittenMeta& asked, bool required) {
  const bool kindFits = asked.kind == target.resource->kind || (asked.kind.empty() && !required);
  const bool versionFits =
      asked.apiVersion == target.resource->apiVersion() || (asked.apiVersion.empty() && !required);
  if (kindFits && versionFits) return std::nullopt;
  return badRequest(fmt::format("{}, Kind={} in the data does not match the expected {}, Kind={}",
                                asked.apiVersion, asked.kind, target.resource->apiVersion(),
                                target.resource->kind));
}

bool isJsonPatch(const std::string& type) {
  return type == kMerge || type == kStrategic || type == kApply;
}

}  // namespace

std::string Writes::generated(const std::string& base) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = base.substr(0, 58);  // as k8s.io/apiserver's names.SimpleNameGenerator
  for (int i = 0; i < 5; ++i) name.push_back(kLetters[names_.below(kLetters.size())]);
  return name;
}

kube::HttpResponse Writes::show(const Target& target, int code) {
  const auto revision = archive_.find(*target.resource, target.ref());
  if (!revision) return failed(notFound(target));  // gone with its last finalizer
  return succeeded(code, *archive_.text(*revision));
}

kube::HttpResponse Writes::answer(const kube::HttpRequest& request, const Target& target) {
  const std::string& method = request.method;
  if (method == "POST") {
    if (target.name.empty()) return create(request, target);
    if (target.resource->kind == "Pod" && target.subresource == "binding") return bind(request, target);
    if (target.resource->kind == "Pod" && target.subresource == "eviction") return evict(request, target);
    return failed(methodNotAllowed(method));
  }
  if (target.name.empty()) return failed(methodNotAllowed(method));
  if (target.subresource == "scale" && target.resource->hasScale() && method != "DELETE")
    return writeScale(request, target);
  const bool isStatus = target.subresource == "status" && api::hasStatusSubresource(target.ref());
  if (!target.subresource.empty() && !isStatus) return failed(notFound({}));
  if (method == "PUT") return replace(request, target);
  if (method == "PATCH") return patch(request, target);
  if (method == "DELETE" && !isStatus) return remove(request, target);
  return failed(methodNotAllowed(method));
}

kube::HttpResponse Writes::create(const kube::HttpRequest& request, Target target) {
  const auto asked = sim::readMeta(request.body);
  if (!asked) return failed(badRequest("the body is " + asked.error().message));
  if (const auto wrong = wrongType(target, *asked, target.resource->custom)) return failed(*wrong);
  if (target.resource->namespaced && target.namespace_.empty())
    return failed(badRequest("an empty namespace may not be set during creation"));
  if (!asked->namespace_.empty() && asked->namespace_ != target.namespace_)
    return failed(
        badRequest("the namespace of the provided object does not match the namespace sent on the request"));
  if (!asked->resourceVersion.empty())
    return failed(badRequest("resourceVersion should not be set on objects to be created"));
  if (!asked->name.empty()) {
    target.name = asked->name;
    return createNamed(request.body, target);
  }
  if (asked->generateName.empty())
    return failed(invalid(target, "Required value: name or generateName is required", "metadata.name"));
  do {
    target.name = generated(asked->generateName);
  } while (archive_.find(*target.resource, target.ref()));
  return createNamed(request.body, target);
}

kube::HttpResponse Writes::createNamed(const std::string& body, const Target& target) {
  const sim::Answer answer = api_.createJson(target.ref(), body);
  if (answer.outcome == Outcome::Conflict) return failed(alreadyExists(target));
  if (!answer.ok()) return failed(refused(target, answer));
  return show(target, 201);
}

kube::HttpResponse Writes::replace(const kube::HttpRequest& request, const Target& target) {
  const auto asked = sim::readMeta(request.body);
  if (!asked) return failed(badRequest("the body is " + asked.error().message));
  if (const auto wrong = wrongType(target, *asked, target.resource->custom)) return failed(*wrong);
  if (asked->name != target.name)
    return failed(badRequest("the name of the object does not match the name on the URL"));
  const auto stored = archive_.find(*target.resource, target.ref());
  if (!stored) return failed(notFound(target));
  if (!asked->uid.empty() && asked->uid != stored->uid())
    return failed(conflict(target, fmt::format("Precondition failed: UID in precondition: {}, UID in object "
                                               "meta: {}",
                                               asked->uid, stored->uid())));
  if (asked->resourceVersion.empty() && needsVersion(*target.resource))
    return failed(invalid(target, "must be specified for an update", "metadata.resourceVersion"));
  return write(request.body, target);
}

// The whole object, as it is to be.
kube::HttpResponse Writes::write(const std::string& object, const Target& target) {
  const sim::Part part = target.subresource == "status" ? sim::Part::Status : sim::Part::Main;
  const auto before = archive_.find(*target.resource, target.ref());
  const sim::Answer answer = api_.updateJson(target.ref(), object, part);
  if (!answer.ok()) return failed(refused(target, answer));
  // A deletion that waited for its last finalizer ends with this write: what was written is shown.
  if (!archive_.find(*target.resource, target.ref())) return succeeded(200, *archive_.text(*before));
  return show(target, 200);
}

kube::HttpResponse Writes::patch(const kube::HttpRequest& request, const Target& target) {
  const std::string& type = request.contentType;
  if (!isJsonPatch(type) || (type == kStrategic && target.resource->custom)) {
    return failed({.code = 415,
                   .reason = "UnsupportedMediaType",
                   .message = "the body of the request was in an unknown format: " + type});
  }
  const auto asked = sim::readMeta(request.body);
  if (!asked) return failed(badRequest("the body is " + asked.error().message));
  if (const auto wrong = type == kApply ? wrongType(target, *asked, true) : std::nullopt)
    return failed(*wrong);
  if (type == kApply && target.param("fieldManager").empty())
    return failed(invalid(target, "Required value: is required for apply patch", "fieldManager"));
  const auto stored = archive_.find(*target.resource, target.ref());
  if (!stored && type == kApply) return apply(request, target);
  if (!stored) return failed(notFound(target));
  // A wrong uid is no precondition that failed, but a field that may not change.
  if (!asked->uid.empty() && asked->uid != stored->uid())
    return failed(
        invalid(target, "Invalid value: \"" + asked->uid + "\": field is immutable", "metadata.uid"));
  const bool byItems = type == kStrategic || (type == kApply && !target.resource->custom);
  const TextPtr current = archive_.text(*stored);
  const auto merged =
      byItems ? strategicMerge(*current, request.body) : sim::mergePatch(*current, request.body);
  if (!merged) return failed(badRequest(merged.error().message));
  return write(*merged, target);
}

// Server-side apply to what does not exist creates it.
kube::HttpResponse Writes::apply(const kube::HttpRequest& request, const Target& target) {
  const auto asked = sim::readMeta(request.body);
  if (!target.subresource.empty()) return failed(notFound(target));
  if (!asked->uid.empty())
    return failed(conflict(target, fmt::format("uid mismatch: the provided object specified uid {}, and no "
                                               "existing object was found",
                                               asked->uid)));
  return createNamed(request.body, target);
}

}  // namespace tidegate::rest
