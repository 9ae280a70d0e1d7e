#include "controllers/vcjob_json.hpp"

namespace tidegate::vcjob {

json::object parsedObject(std::string_view text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return {};
  return std::move(value.get_object());
}

json::object& objectAt(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

json::array& arrayAt(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (!value.is_array()) value.emplace_array();
  return value.get_array();
}

json::object toJson(const api::StringMap& map) {
  json::object out;
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

json::object toJson(const ResourceList& list) {
  json::object out;
  for (const auto& [name, quantity] : list) out[name] = quantity.text();
  return out;
}

std::string text(const json::object& object) {
  return json::serialize(object);
}

json::object ownerReference(const api::VcJob& job) {
  return {{"apiVersion", api::VcJob::kApiVersion},
          {"kind", api::VcJob::kKind},
          {"name", job.metadata.name},
          {"uid", job.metadata.uid},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

json::object ownedObject(const api::VcJob& job, const Owned& owned) {
  json::object metadata{{"name", owned.name}, {"namespace", job.metadata.namespace_}};
  metadata["ownerReferences"] = json::array{ownerReference(job)};
  return {{"apiVersion", owned.apiVersion}, {"kind", owned.kind}, {"metadata", std::move(metadata)}};
}

}  // namespace tidegate::vcjob
