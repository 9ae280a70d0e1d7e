#include "world/rest/statuses.hpp"

#include <fmt/format.h>

#include "api/json_writer.hpp"

namespace tidegate::rest {

namespace {

void writeDetails(api::JsonWriter& json, const Failure& failure) {
  json.key("details");
  json.beginObject();
  if (!failure.name.empty()) json.member("name", failure.name);
  if (failure.resource) {
    if (!failure.resource->group.empty()) json.member("group", failure.resource->group);
    json.member("kind", failure.resource->plural);
  }
  if (!failure.causes.empty()) {
    json.key("causes");
    json.beginArray();
    for (const Cause& cause : failure.causes) {
      json.beginObject();
      json.member("reason", cause.reason);
      json.member("message", cause.message);
      if (!cause.field.empty()) json.member("field", cause.field);
      json.endObject();
    }
    json.endArray();
  }
  if (failure.retryAfterSeconds > 0) json.member("retryAfterSeconds", failure.retryAfterSeconds);
  json.endObject();
}

void beginStatus(api::JsonWriter& json, const char* status) {
  json.beginObject();
  json.member("kind", "Status");
  json.member("apiVersion", "v1");
  json.key("metadata");
  json.beginObject();
  json.endObject();
  json.member("status", status);
}

}  // namespace

std::string statusBody(const Failure& failure) {
  api::JsonWriter json;
  beginStatus(json, "Failure");
  json.member("message", failure.message);
  json.member("reason", failure.reason);
  writeDetails(json, failure);
  json.member("code", failure.code);
  json.endObject();
  return json.take();
}

kube::HttpResponse failed(const Failure& failure) {
  kube::HttpResponse response = succeeded(failure.code, statusBody(failure));
  if (failure.retryAfterSeconds > 0)
    response.headers["retry-after"] = std::to_string(failure.retryAfterSeconds);
  return response;
}

kube::HttpResponse succeeded(int code, std::string body) {
  return {.status = code,
          .body = std::move(body),
          .headers = {{"content-type", "application/json"}},
          .error = {}};
}

kube::HttpResponse done(int code, const Resource& resource, std::string_view name, std::string_view uid) {
  api::JsonWriter json;
  beginStatus(json, "Success");
  json.key("details");
  json.beginObject();
  json.member("name", name);
  if (!resource.group.empty()) json.member("group", resource.group);
  json.member("kind", resource.plural);
  if (!uid.empty()) json.member("uid", uid);
  json.endObject();
  json.endObject();
  return succeeded(code, json.take());
}

Failure notFound(const Target& target) {
  if (!target.resource)
    return {.code = 404, .reason = "NotFound", .message = "the server could not find the requested resource"};
  return {.code = 404,
          .reason = "NotFound",
          .message = fmt::format("{} \"{}\" not found", target.resource->title(), target.name),
          .resource = target.resource,
          .name = target.name};
}

Failure badRequest(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

Failure invalid(const Target& target, std::string message, std::string field) {
  const std::string text = fmt::format("{} \"{}\" is invalid: {}{}{}", target.resource->kind, target.name,
                                       field, field.empty() ? "" : ": ", message);
  return {
      .code = 422,
      .reason = "Invalid",
      .message = text,
      .resource = target.resource,
      .name = target.name,
      .causes = {{.reason = "FieldValueInvalid", .message = std::move(message), .field = std::move(field)}}};
}

Failure conflict(const Target& target, std::string message) {
  return {.code = 409,
          .reason = "Conflict",
          .message = fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", target.resource->title(),
                                 target.name, message),
          .resource = target.resource,
          .name = target.name};
}

Failure expired(std::string message) {
  return {.code = 410, .reason = "Expired", .message = std::move(message)};
}

Failure methodNotAllowed(const std::string& method) {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = method + " is not supported on resources of this kind"};
}

}  // namespace tidegate::rest
