#include "world/sim/documents.hpp"

#include <boost/json.hpp>
#include <utility>

namespace tidegate::sim {

namespace {

namespace json = boost::json;

Result<json::object> parseObject(std::string_view text) {
  boost::system::error_code failure;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failure);
  if (failure) return fail("no JSON: " + failure.message());
  if (!value.is_object()) return fail("want a JSON object");
  return std::move(value.as_object());
}

std::string textOf(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

void merge(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  json::object& object = target.as_object();
  for (const auto& [name, value] : patch.as_object()) {
    if (value.is_null()) {
      object.erase(name);
    } else {
      merge(object[name], value);
    }
  }
}

const json::object* metadataIn(const json::object& object) {
  const json::value* metadata = object.if_contains("metadata");
  return metadata && metadata->is_object() ? &metadata->as_object() : nullptr;
}

json::object& metadataOf(json::object& object) {
  json::value& metadata = object["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  return metadata.as_object();
}

void readOwnership(const json::object& metadata, Document& document) {
  document.deleting = metadata.contains("deletionTimestamp");
  const json::value* finalizers = metadata.if_contains("finalizers");
  document.held = finalizers && finalizers->is_array() && !finalizers->as_array().empty();
  const json::value* owners = metadata.if_contains("ownerReferences");
  if (!owners || !owners->is_array()) return;
  for (const json::value& owner : owners->as_array()) {
    if (owner.is_object()) document.owners.push_back(textOf(owner.as_object(), "uid"));
  }
}

std::string print(const json::object& object) {
  return json::serialize(object);
}

}  // namespace

DocumentPtr DocumentStore::find(const api::ObjectRef& ref) const {
  const auto found = documents_.find(ref);
  return found == documents_.end() ? nullptr : found->second;
}

DocumentPtr DocumentStore::put(const api::ObjectRef& ref, std::string_view text) {
  auto object = parseObject(text);
  TIDEGATE_CHECK(object.has_value(), "a document that is no JSON object");
  json::object& metadata = metadataOf(*object);
  Document document;
  document.ref = ref;
  document.uid = textOf(metadata, "uid");
  document.resourceVersion = std::to_string(versions_.nextVersion());
  metadata["resourceVersion"] = document.resourceVersion;
  readOwnership(metadata, document);
  document.json = print(*object);
  DocumentPtr& slot = documents_[ref];
  const DocumentChange change{.before = slot, .after = std::make_shared<const Document>(std::move(document))};
  slot = change.after;
  publish(change);
  return change.after;
}

void DocumentStore::erase(const api::ObjectRef& ref) {
  const auto found = documents_.find(ref);
  TIDEGATE_CHECK(found != documents_.end(), "no such document: " + ref.name);
  versions_.nextVersion();
  const DocumentChange change{.before = found->second, .after = nullptr};
  documents_.erase(found);
  publish(change);
}

void DocumentStore::publish(const DocumentChange& change) {
  for (const Listener& listener : listeners_) listener(change);
}

bool sameJson(std::string_view a, std::string_view b) {
  const auto left = parseObject(a);
  const auto right = parseObject(b);
  return left && right && *left == *right;
}

Result<std::string> mergePatch(std::string_view target, std::string_view patch) {
  TIDEGATE_TRY(json::object object, parseObject(target));
  TIDEGATE_TRY(const json::object changes, parseObject(patch));
  json::value merged(std::move(object));
  merge(merged, json::value(changes));
  return json::serialize(merged);
}

Result<std::string> withMemberOf(std::string_view object, std::string_view name, std::string_view other) {
  TIDEGATE_TRY(json::object target, parseObject(object));
  TIDEGATE_TRY(const json::object source, parseObject(other));
  if (const json::value* value = source.if_contains(name)) {
    target[name] = *value;
  } else {
    target.erase(name);
  }
  return print(target);
}

Result<WrittenMeta> readMeta(std::string_view object) {
  TIDEGATE_TRY(const json::object parsed, parseObject(object));
  const json::object* metadata = metadataIn(parsed);
  static const json::object kNone;
  if (!metadata) metadata = &kNone;
  return WrittenMeta{.apiVersion = textOf(parsed, "apiVersion"),
                     .kind = textOf(parsed, "kind"),
                     .name = textOf(*metadata, "name"),
                     .namespace_ = textOf(*metadata, "namespace"),
                     .generateName = textOf(*metadata, "generateName"),
                     .uid = textOf(*metadata, "uid"),
                     .resourceVersion = textOf(*metadata, "resourceVersion")};
}

Result<std::string> withMeta(std::string_view object, const MetaChange& change) {
  TIDEGATE_TRY(json::object target, parseObject(object));
  json::object& metadata = metadataOf(target);
  for (const auto& [name, value] : change.texts) {
    if (value) {
      metadata[name] = *value;
    } else {
      metadata.erase(name);
    }
  }
  for (const auto& [name, value] : change.numbers) {
    if (value) {
      metadata[name] = *value;
    } else {
      metadata.erase(name);
    }
  }
  return print(target);
}

MetaChange serverFieldsOf(std::string_view object) {
  MetaChange change;
  const auto parsed = parseObject(object);
  TIDEGATE_CHECK(parsed.has_value(), "a stored document that is no JSON object");
  const json::object* metadata = metadataIn(*parsed);
  for (const char* name : {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"}) {
    const std::string text = metadata ? textOf(*metadata, name) : "";
    change.texts[name] = text.empty() ? std::nullopt : std::optional(text);
  }
  const json::value* grace = metadata ? metadata->if_contains("deletionGracePeriodSeconds") : nullptr;
  change.numbers["deletionGracePeriodSeconds"] =
      grace && grace->is_int64() ? std::optional(grace->as_int64()) : std::nullopt;
  return change;
}

}  // namespace tidegate::sim
