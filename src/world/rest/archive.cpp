#include "world/rest/archive.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/write.hpp"

namespace tidegate::rest {

namespace {

std::uint64_t numberOf(const std::string& version) {
  std::uint64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

Revision revisionOf(const sim::ObjectPtr& object) {
  return {.version = numberOf(api::metadataOf(*object).resourceVersion), .object = object, .document = {}};
}

Revision revisionOf(const sim::DocumentPtr& document) {
  return {.version = numberOf(document->resourceVersion), .object = {}, .document = document};
}

template <class ChangeType>
Past pastOf(const ChangeType& change, std::uint64_t version) {
  Past past{.version = version, .before = {}, .after = {}};
  if (change.before) past.before = revisionOf(change.before);
  if (change.after) past.after = revisionOf(change.after);
  return past;
}

}  // namespace

std::string_view Revision::namespace_() const {
  return object ? api::metadataOf(*object).namespace_ : document->ref.namespace_;
}
std::string_view Revision::name() const {
  return object ? api::metadataOf(*object).name : document->ref.name;
}
std::string_view Revision::uid() const {
  return object ? api::metadataOf(*object).uid : document->uid;
}
std::string_view Revision::nodeName() const {
  const auto* pod = object ? std::get_if<api::Pod>(&*object) : nullptr;
  return pod ? std::string_view(pod->spec.nodeName) : std::string_view{};
}

Archive::Archive(sim::SimApiServer& api, std::size_t history)
    : api_(api),
      limit_(history),
      histories_(resources().size()),
      floors_(resources().size(), api.store().version()) {}

std::optional<Revision> Archive::find(const Resource& resource, const api::ObjectRef& ref) const {
  if (resource.typed) {
    const sim::ObjectPtr object = api_.store().find(ref);
    return object ? std::optional(revisionOf(object)) : std::nullopt;
  }
  const sim::DocumentPtr document = api_.documents().find(ref);
  return document ? std::optional(revisionOf(document)) : std::nullopt;
}

std::vector<Revision> Archive::list(const Resource& resource, std::string_view namespace_) const {
  std::vector<Revision> out;
  if (resource.typed) {
    const sim::ObjectStore::Table& table = api_.store().table(*resource.typed);
    const std::string prefix = namespace_.empty() ? "" : std::string(namespace_) + "/";
    for (auto it = table.lower_bound(prefix); it != table.end(); ++it) {
      if (!it->first.starts_with(prefix)) break;
      out.push_back(revisionOf(it->second));
    }
    return out;
  }
  const sim::DocumentStore::Table& table = api_.documents().all();
  for (auto it = table.lower_bound(resource.ref(namespace_, "")); it != table.end(); ++it) {
    const api::ObjectRef& ref = it->first;
    if (ref.kind != resource.kind || ref.apiVersion != resource.apiVersion()) break;
    if (!namespace_.empty() && ref.namespace_ != namespace_) break;
    out.push_back(revisionOf(it->second));
  }
  return out;
}

std::string Archive::print(const Revision& revision) {
  ++serialised_;
  if (revision.object) {
    if (!revision.removed) return api::toJson(*revision.object);
    api::Object copy = *revision.object;
    api::metadataOf(copy).resourceVersion = std::to_string(revision.version);
    return api::toJson(copy);
  }
  if (!revision.removed) return revision.document->json;
  const auto marked = sim::withMeta(revision.document->json,
                                    {.texts = {{"resourceVersion", std::to_string(revision.version)}}});
  TIDEGATE_CHECK(marked.has_value(), "a stored document that is no JSON");
  return *marked;
}

TextPtr Archive::text(const Revision& revision) {
  if (const auto known = texts_.find(revision.version); known != texts_.end()) return known->second;
  auto text = std::make_shared<const std::string>(print(revision));
  // Only what exists is kept: old states are asked for seldom.
  const Resource* resource = nullptr;
  if (revision.object) {
    if (const auto index = resourceIndexOf(revision.object->index())) resource = &resources()[*index];
  } else if (const auto index = resourceIndexOf(revision.document->ref)) {
    resource = &resources()[*index];
  }
  if (!resource || revision.removed) return text;
  const auto current = find(*resource, resource->ref(revision.namespace_(), revision.name()));
  if (current && current->version == revision.version) texts_[revision.version] = text;
  return text;
}

void Archive::keep(std::size_t resource, Past past) {
  if (past.before) texts_.erase(past.before->version);
  std::deque<Past>& history = histories_[resource];
  history.push_back(std::move(past));
  while (history.size() > limit_) {
    floors_[resource] = history.front().version;
    history.pop_front();
  }
}

std::optional<std::size_t> Archive::record(const sim::Change& change) {
  const auto resource = resourceIndexOf(change.object().index());
  if (resource) keep(*resource, pastOf(change, version()));
  return resource;
}

std::optional<std::size_t> Archive::record(const sim::DocumentChange& change) {
  const auto resource = resourceIndexOf(change.document().ref);
  if (resource) keep(*resource, pastOf(change, version()));
  return resource;
}

void Archive::forget() {
  for (std::deque<Past>& history : histories_) history.clear();
  std::ranges::fill(floors_, version());
}

}  // namespace tidegate::rest
