// Writes of objects as JSON: of the kinds with a struct (the fields tidegate knows; others are dropped, as an
// API server drops what the schema lacks) and of documents.
#include <fmt/format.h>

#include <utility>
#include <variant>

#include "api/kinds.hpp"
#include "api/read.hpp"
#include "api/write.hpp"
#include "world/sim/api_server.hpp"

namespace tidegate::sim {

namespace {

Answer rejected(const Error& error) {
  return {Outcome::Rejected, error.text()};
}

Result<api::Object> readTyped(const api::ObjectRef& ref, std::string_view json) {
  auto loaded = api::readObjects(json, ref.kind);
  if (!loaded) return std::unexpected(loaded.error().front());
  if (loaded->objects.size() != 1) return fail("want one " + ref.kind);
  if (api::refOf(loaded->objects.front()) != ref)
    return fail("the object is another than the one written to");
  return std::move(loaded->objects.front());
}

// The members of `json` as the object `ref` names it.
Result<std::string> named(const api::ObjectRef& ref, std::string_view json, MetaChange change) {
  const std::string type = fmt::format(R"({{"apiVersion":"{}","kind":"{}"}})", ref.apiVersion, ref.kind);
  TIDEGATE_TRY(const std::string typed, mergePatch(json, type));
  change.texts["name"] = ref.name;
  change.texts["namespace"] = ref.namespace_.empty() ? std::nullopt : std::optional(ref.namespace_);
  return withMeta(typed, change);
}

// A new object has no status yet; nodes come with theirs, as their kubelets register them.
Result<std::string> withoutStatus(const api::ObjectRef& ref, std::string_view json) {
  if (ref.kind == api::Node::kKind || !api::hasStatusSubresource(ref)) return std::string(json);
  return withMemberOf(json, "status", "{}");
}

// `stored` with the status of `written`, under the preconditions of that.
api::Object withStatusOf(const api::Object& written, const api::Object& stored) {
  return std::visit(
      [&]<class T>(T whole) {
        const T& fresh = std::get<T>(written);
        whole.metadata.uid = fresh.metadata.uid;
        whole.metadata.resourceVersion = fresh.metadata.resourceVersion;
        if constexpr (requires { whole.status; }) whole.status = fresh.status;
        return api::Object(std::move(whole));
      },
      stored);
}

Answer conflictOf(const Document& stored, const std::string& uid, const std::string& version) {
  if (!uid.empty() && uid != stored.uid) return {Outcome::Conflict, "uid is " + stored.uid};
  if (!version.empty() && version != stored.resourceVersion)
    return {Outcome::Conflict, "resourceVersion is " + stored.resourceVersion};
  return {};
}

// Where a kind keeps what suspends it: JobSet and Ray spec.suspend, Kubeflow's spec.runPolicy.suspend.
std::string specPatch(const Patch& patch) {
  if (patch.suspend && patch.target.apiVersion.starts_with("kubeflow.org/"))
    return fmt::format(R"({{"runPolicy":{{"suspend":{}}}}})", *patch.suspend);
  if (patch.suspend) return fmt::format(R"({{"suspend":{}}})", *patch.suspend);
  if (patch.replicas) return fmt::format(R"({{"replicas":{}}})", *patch.replicas);
  return "{}";
}

void writeTexts(api::JsonWriter& json, const char* name,
                const std::map<std::string, std::optional<std::string>>& texts) {
  json.key(name);
  json.beginObject();
  for (const auto& [key, value] : texts) {
    json.key(key);
    if (value) {
      json.value(*value);
    } else {
      json.null();
    }
  }
  json.endObject();
}

}  // namespace

std::optional<std::string> SimApiServer::json(const api::ObjectRef& ref) const {
  if (kindIndex(ref)) {
    const ObjectPtr object = store_.find(ref);
    return object ? std::optional(api::toJson(*object)) : std::nullopt;
  }
  const DocumentPtr document = documents_.find(ref);
  return document ? std::optional(document->json) : std::nullopt;
}

Answer SimApiServer::createJson(const api::ObjectRef& ref, std::string_view json) {
  const auto fresh = withoutStatus(ref, json);
  if (!fresh) return rejected(fresh.error());
  if (!kindIndex(ref)) return createDocument(ref, *fresh);
  const auto whole = named(ref, *fresh, {.texts = {{"resourceVersion", std::nullopt}}});
  if (!whole) return rejected(whole.error());
  auto object = readTyped(ref, *whole);
  return object ? create(std::move(*object)) : rejected(object.error());
}

Answer SimApiServer::createDocument(const api::ObjectRef& ref, std::string_view json) {
  if (documents_.find(ref)) return {Outcome::Conflict, "already exists"};
  MetaChange change{.texts = {{"uid", newUid()},
                              {"creationTimestamp", formatTime(now())},
                              {"deletionTimestamp", std::nullopt}}};
  const auto whole = named(ref, json, std::move(change));
  if (!whole) return rejected(whole.error());
  documents_.put(ref, *whole);
  return {};
}

Answer SimApiServer::updateJson(const api::ObjectRef& ref, std::string_view json, Part part) {
  if (part == Part::Status && !api::hasStatusSubresource(ref))
    return {Outcome::NotFound, ref.kind + " has no status subresource"};
  const auto stored = this->json(ref);
  if (!stored) return {Outcome::NotFound, "not found"};
  const auto asked = readMeta(json);
  if (!asked) return rejected(asked.error());
  const bool isStatus = part == Part::Status;
  std::string whole(json);
  if (api::hasStatusSubresource(ref)) {
    auto mixed = isStatus ? withMemberOf(*stored, "status", json) : withMemberOf(json, "status", *stored);
    if (!mixed) return rejected(mixed.error());
    whole = std::move(*mixed);
  }
  MetaChange change;
  change.texts["uid"] = asked->uid.empty() ? std::nullopt : std::optional(asked->uid);
  change.texts["resourceVersion"] =
      asked->resourceVersion.empty() ? std::nullopt : std::optional(asked->resourceVersion);
  const auto object = named(ref, whole, std::move(change));
  if (!object) return rejected(object.error());
  if (kindIndex(ref)) return updateTyped(ref, *object, part);
  return updateDocument(*documents_.find(ref), *object);
}

Answer SimApiServer::updateTyped(const api::ObjectRef& ref, std::string_view json, Part part) {
  auto object = readTyped(ref, json);
  if (!object) return rejected(object.error());
  if (part == Part::Status) return update(withStatusOf(*object, *store_.find(ref)));
  const auto* pod = std::get_if<api::Pod>(&*object);
  if (pod) {
    const auto stored = store_.find<api::Pod>(keyOf(pod->metadata));
    if (stored->spec.nodeName != pod->spec.nodeName)
      return {Outcome::Rejected, "spec.nodeName: only a binding may set it"};
  }
  return update(std::move(*object));
}

Answer SimApiServer::updateDocument(const Document& stored, std::string_view json) {
  const auto asked = readMeta(json);
  if (!asked) return rejected(asked.error());
  if (const Answer conflict = conflictOf(stored, asked->uid, asked->resourceVersion); !conflict.ok())
    return conflict;
  // The server's own fields are what they were.
  const auto whole = withMeta(json, serverFieldsOf(stored.json));
  if (!whole) return rejected(whole.error());
  const api::ObjectRef ref = stored.ref;
  if (sameJson(*whole, stored.json)) return {};
  const DocumentPtr written = documents_.put(ref, *whole);
  if (written->deleting && !written->held) documents_.erase(ref);
  return {};
}

Answer SimApiServer::patchDocument(const Patch& patch) {
  const DocumentPtr stored = documents_.find(patch.target);
  if (!stored) return {Outcome::NotFound, "not found"};
  if (patch.condition) return {Outcome::Rejected, "conditions of " + patch.target.kind + " are not patched"};
  api::JsonWriter json;
  json.beginObject();
  json.key("metadata");
  json.beginObject();
  if (!patch.uid.empty()) json.member("uid", patch.uid);
  writeTexts(json, "annotations", patch.annotations);
  writeTexts(json, "labels", patch.labels);
  json.endObject();
  json.key("spec");
  json.raw(specPatch(patch));
  json.endObject();
  return merge({.target = patch.target, .uid = {}, .json = json.take()});
}

Answer SimApiServer::merge(const Merge& merge) {
  const auto stored = json(merge.target);
  if (!stored) return {Outcome::NotFound, "not found"};
  auto merged = mergePatch(*stored, merge.json);
  if (merged && !merge.uid.empty()) merged = withMeta(*merged, {.texts = {{"uid", merge.uid}}});
  if (!merged) return rejected(merged.error());
  return updateJson(merge.target, *merged, Part::Main);
}

Answer SimApiServer::removeDocument(const api::ObjectRef& ref, const DeleteOptions& options) {
  const DocumentPtr stored = documents_.find(ref);
  if (!stored) return {Outcome::NotFound, "not found"};
  if (const Answer conflict = conflictOf(*stored, options.uid, options.resourceVersion); !conflict.ok())
    return conflict;
  if (!stored->held) {
    documents_.erase(ref);
  } else if (!stored->deleting) {
    const auto marked = withMeta(stored->json, {.texts = {{"deletionTimestamp", formatTime(now())}},
                                                .numbers = {{"deletionGracePeriodSeconds", 0}}});
    TIDEGATE_CHECK(marked.has_value(), "a stored document that is no JSON");
    documents_.put(ref, *marked);
  }
  return {};
}

Answer SimApiServer::writeStatus(const WriteStatus& write) {
  const auto stored = json(write.target);
  if (!stored) return {Outcome::NotFound, "not found"};
  api::JsonWriter patch;
  patch.beginObject();
  patch.key("status");
  patch.raw(write.statusJson);
  patch.key("metadata");
  patch.beginObject();
  if (!write.uid.empty()) patch.member("uid", write.uid);
  if (!write.resourceVersion.empty()) patch.member("resourceVersion", write.resourceVersion);
  patch.endObject();
  patch.endObject();
  const auto merged = mergePatch(*stored, patch.text());
  if (!merged) return rejected(merged.error());
  return updateJson(write.target, *merged,
                    api::hasStatusSubresource(write.target) ? Part::Status : Part::Main);
}

}  // namespace tidegate::sim
