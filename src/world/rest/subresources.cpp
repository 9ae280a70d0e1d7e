// Deletes, and the subresources binding, eviction and scale.
//
// Rules: "API-initiated Eviction" of the Kubernetes documentation with pkg/registry/core/pod/storage/
// {eviction,storage}.go for the answers, and metav1.DeleteOptions.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "api/json_access.hpp"
#include "api/json_writer.hpp"
#include "world/rest/watches.hpp"
#include "world/rest/writes.hpp"

namespace tidegate::rest {

namespace {

namespace json = boost::json;

// An empty text is an empty object.
std::optional<json::object> parse(const std::string& text) {
  if (text.empty()) return json::object();
  boost::system::error_code failure;
  json::value value = json::parse(text, failure);
  if (failure || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

struct DeleteRequest {
  sim::DeleteOptions options;
  std::string propagation;
};

DeleteRequest readDelete(const json::object& options, const Target& target) {
  DeleteRequest request;
  request.options.uid = api::textAt(options, {"preconditions", "uid"});
  request.options.resourceVersion = api::textAt(options, {"preconditions", "resourceVersion"});
  request.options.graceSeconds = api::numberAt(options, {"gracePeriodSeconds"});
  request.propagation = api::textAt(options, {"propagationPolicy"});
  if (const auto grace = parseVersion(target.param("gracePeriodSeconds")))
    request.options.graceSeconds = static_cast<std::int64_t>(*grace);
  if (request.propagation.empty()) request.propagation = target.param("propagationPolicy");
  return request;
}

Failure preconditionFailed(const Target& target, const sim::DeleteOptions& options, const Revision& stored) {
  if (!options.uid.empty() && options.uid != stored.uid())
    return conflict(target,
                    fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                options.uid, stored.uid()));
  return conflict(target, fmt::format("Precondition failed: ResourceVersion in precondition: {}, "
                                      "ResourceVersion in object meta: {}",
                                      options.resourceVersion, stored.version));
}

Failure budgetForbids(const Target& target, const std::string& why) {
  return {.code = 429,
          .reason = "TooManyRequests",
          .message = "Cannot evict pod as it would violate the pod's disruption budget.",
          .resource = target.resource,
          .name = target.name,
          .causes = {{.reason = "DisruptionBudget", .message = why}}};
}

}  // namespace

kube::HttpResponse Writes::remove(const kube::HttpRequest& request, const Target& target) {
  const auto body = parse(request.body);
  if (!body) return failed(badRequest("the body is no JSON object"));
  const DeleteRequest asked = readDelete(*body, target);
  if (!asked.propagation.empty() && asked.propagation != "Background" && asked.propagation != "Foreground")
    return failed(
        badRequest("propagationPolicy " + asked.propagation + " is not served by the simulated API server"));
  const auto stored = archive_.find(*target.resource, target.ref());
  if (!stored) return failed(notFound(target));
  const std::string uid(stored->uid());
  const sim::Answer answer = api_.remove(target.ref(), asked.options);
  if (answer.outcome == Outcome::Conflict) return failed(preconditionFailed(target, asked.options, *stored));
  if (!answer.ok()) return failed(invalid(target, answer.message));
  if (archive_.find(*target.resource, target.ref())) return show(target, 200);  // it is on its way out
  return done(200, *target.resource, target.name, uid);
}

kube::HttpResponse Writes::bind(const kube::HttpRequest& request, const Target& target) {
  const auto body = parse(request.body);
  if (!body) return failed(badRequest("the body is no JSON object"));
  const std::string node = api::textAt(*body, {"target", "name"});
  if (node.empty()) return failed(invalid(target, "Required value", "target.name"));
  const sim::Answer answer = api_.bind(Bind{.namespace_ = target.namespace_,
                                            .name = target.name,
                                            .uid = api::textAt(*body, {"metadata", "uid"}),
                                            .node = node});
  if (answer.outcome == Outcome::NotFound) return failed(notFound(target));
  if (!answer.ok()) return failed(conflict(target, answer.message));
  return done(201, *target.resource, target.name, "");
}

kube::HttpResponse Writes::evict(const kube::HttpRequest& request, const Target& target) {
  const auto body = parse(request.body);
  if (!body) return failed(badRequest("the body is no JSON object"));
  if (api::textAt(*body, {"metadata", "name"}) != target.name)
    return failed(badRequest("name in URL does not match name in Eviction object"));
  const json::object* options = api::objectAt(*body, {"deleteOptions"});
  const DeleteRequest asked = readDelete(options ? *options : json::object(), target);
  const auto stored = archive_.find(*target.resource, target.ref());
  if (!stored) return failed(notFound(target));
  const auto& pod = std::get<api::Pod>(*stored->object);
  const std::string& version = asked.options.resourceVersion;
  if (!version.empty() && version != pod.metadata.resourceVersion)
    return failed(preconditionFailed(target, asked.options, *stored));
  const std::int64_t own = pod.spec.terminationGracePeriodSeconds.value_or(30);
  const sim::Answer answer = api_.evict(DeletePod{.namespace_ = target.namespace_,
                                                  .name = target.name,
                                                  .uid = asked.options.uid,
                                                  .graceSeconds = asked.options.graceSeconds.value_or(own),
                                                  .viaEviction = true});
  if (answer.outcome == Outcome::Conflict) return failed(preconditionFailed(target, asked.options, *stored));
  if (!answer.ok()) return failed(budgetForbids(target, answer.message));
  return done(201, *target.resource, target.name, "");
}

kube::HttpResponse Writes::readScale(const Target& target) {
  const auto stored = archive_.find(*target.resource, target.ref());
  if (!stored) return failed(notFound(target));
  const auto object = parse(*archive_.text(*stored));
  api::JsonWriter out;
  out.beginObject();
  out.member("kind", "Scale");
  out.member("apiVersion", "autoscaling/v1");
  out.key("metadata");
  out.beginObject();
  out.member("name", target.name);
  out.member("namespace", target.namespace_);
  out.member("uid", stored->uid());
  out.member("resourceVersion", std::to_string(stored->version));
  out.endObject();
  out.key("spec");
  out.beginObject();
  out.member("replicas", api::numberAt(*object, {"spec", "replicas"}).value_or(1));
  out.endObject();
  out.key("status");
  out.beginObject();
  out.member("replicas", api::numberAt(*object, {"status", "replicas"}).value_or(0));
  out.endObject();
  out.endObject();
  return succeeded(200, out.take());
}

// PUT and PATCH of the scale: both set spec.replicas, under the preconditions of their metadata.
kube::HttpResponse Writes::writeScale(const kube::HttpRequest& request, const Target& target) {
  const auto body = parse(request.body);
  if (!body) return failed(badRequest("the body is no JSON object"));
  const auto replicas = api::numberAt(*body, {"spec", "replicas"});
  if (!replicas || *replicas < 0) return failed(invalid(target, "must be 0 or more", "spec.replicas"));
  api::JsonWriter patch;
  patch.beginObject();
  patch.key("metadata");
  patch.beginObject();
  for (const char* name : {"uid", "resourceVersion"}) {
    const std::string value = api::textAt(*body, {"metadata", name});
    if (!value.empty()) patch.member(name, value);
  }
  patch.endObject();
  patch.key("spec");
  patch.beginObject();
  patch.member("replicas", *replicas);
  patch.endObject();
  patch.endObject();
  Target whole = target;
  whole.subresource.clear();
  const kube::HttpResponse written = this->patch(
      {.method = "PATCH", .path = {}, .body = patch.take(), .contentType = "application/merge-patch+json"},
      whole);
  return written.ok() ? readScale(target) : written;
}

}  // namespace tidegate::rest
