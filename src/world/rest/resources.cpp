#include "world/rest/resources.hpp"

#include <algorithm>
#include <vector>

#include "api/json_writer.hpp"
#include "api/kinds.hpp"
#include "core/text.hpp"
#include "world/kube/resources.hpp"

namespace tidegate::rest {

namespace {

struct Scope {
  bool namespaced = true;
  bool custom = false;
};
constexpr Scope kBuiltIn{};
constexpr Scope kCluster{.namespaced = false};
constexpr Scope kCustom{.custom = true};
constexpr Scope kCustomCluster{.namespaced = false, .custom = true};

Resource document(const char* kind, std::string_view apiVersion, const char* plural, Scope scope) {
  const std::string_view group = api::groupOfVersion(apiVersion);
  return {.kind = kind,
          .group = std::string(group),
          .version = std::string(group.empty() ? apiVersion : apiVersion.substr(group.size() + 1)),
          .plural = plural,
          .namespaced = scope.namespaced,
          .custom = scope.custom,
          .typed = {}};
}

// Groups of definitions (CRDs) have names of somebody's domain; Kubernetes' own have none, or k8s.io's.
bool isCustom(std::string_view apiVersion) {
  const std::string_view group = api::groupOfVersion(apiVersion);
  return group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io");
}

// The kinds of api::Object stand where the client looks for them.
std::vector<Resource> typedKinds() {
  std::vector<Resource> out;
  for (const kube::Resource& kind : kube::objectResources()) {
    const Scope scope{.namespaced = kind.namespaced, .custom = isCustom(kind.apiVersion)};
    out.push_back(document(kind.kind.c_str(), kind.apiVersion, kind.plural.c_str(), scope));
    out.back().typed = kind.object;
  }
  return out;
}

std::vector<Resource> makeTable() {
  std::vector<Resource> out = typedKinds();
  const std::vector<Resource> others = {
      document("Service", "v1", "services", kBuiltIn),
      document("Secret", "v1", "secrets", kBuiltIn),
      document("Event", "v1", "events", kBuiltIn),
      document("Event", "events.k8s.io/v1", "events", kBuiltIn),
      document("ServiceAccount", "v1", "serviceaccounts", kBuiltIn),
      document("PersistentVolumeClaim", "v1", "persistentvolumeclaims", kBuiltIn),
      document("Lease", "coordination.k8s.io/v1", "leases", kBuiltIn),
      document("NetworkPolicy", "networking.k8s.io/v1", "networkpolicies", kBuiltIn),
      document("PeakWindow", "tidegate.dev/v1alpha1", "peakwindows", kCustomCluster),
      document("CustomResourceDefinition", "apiextensions.k8s.io/v1", "customresourcedefinitions", kCluster),
  };
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

const std::vector<Resource>& table() {
  static const std::vector<Resource> kTable = makeTable();
  return kTable;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text, bool isQuery) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped =
        text[i] == '%' && i + 2 < text.size() && hexDigit(text[i + 1]) >= 0 && hexDigit(text[i + 2]) >= 0;
    if (escaped) {
      out.push_back(static_cast<char>(hexDigit(text[i + 1]) * 16 + hexDigit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(isQuery && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

void parseQuery(std::string_view text, Target& target) {
  for (const std::string_view pair : splitText(text, '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    target.query[decoded(pair.substr(0, equals), true)] =
        equals == std::string_view::npos ? "" : decoded(pair.substr(equals + 1), true);
  }
}

// What follows group and version: [namespaces/<ns>/]<plural>[/<name>[/<subresource>]].
void parseSteps(std::span<const std::string_view> steps, std::string_view group, std::string_view version,
                Target& target) {
  std::string namespace_;
  if (steps.size() >= 3 && steps[0] == "namespaces") {
    namespace_ = decoded(steps[1], false);
    steps = steps.subspan(2);
  }
  if (steps.empty() || steps.size() > 3) return;
  for (const Resource& resource : table()) {
    if (resource.group != group || resource.version != version || resource.plural != steps[0]) continue;
    const bool named = steps.size() > 1;
    if (namespace_.empty() ? resource.namespaced && named : !resource.namespaced) return;
    target.resource = &resource;
    target.namespace_ = namespace_;
    if (named) target.name = decoded(steps[1], false);
    if (steps.size() > 2) target.subresource = decoded(steps[2], false);
  }
}

void writeVerbs(api::JsonWriter& json, const Resource& resource) {
  json.beginObject();
  json.member("name", resource.plural);
  json.member("singularName", "");
  json.member("namespaced", resource.namespaced);
  json.member("kind", resource.kind);
  json.key("verbs");
  json.beginArray();
  for (const char* verb : {"create", "delete", "get", "list", "patch", "update", "watch"}) json.value(verb);
  json.endArray();
  json.endObject();
}

}  // namespace

std::span<const Resource> resources() {
  return table();
}

std::size_t indexOf(const Resource& resource) {
  return static_cast<std::size_t>(&resource - table().data());
}

std::optional<std::size_t> resourceIndexOf(std::size_t typed) {
  const auto found = std::ranges::find(table(), std::optional(typed), &Resource::typed);
  return found == table().end() ? std::nullopt : std::optional(indexOf(*found));
}

std::optional<std::size_t> resourceIndexOf(const api::ObjectRef& ref) {
  for (const Resource& resource : table()) {
    if (resource.kind == ref.kind && resource.apiVersion() == ref.apiVersion) return indexOf(resource);
  }
  return std::nullopt;
}

Target parseTarget(std::string_view pathAndQuery, const std::set<std::string>& absent) {
  Target target;
  const std::size_t mark = pathAndQuery.find('?');
  target.path = pathAndQuery.substr(0, mark);
  if (mark != std::string_view::npos) parseQuery(pathAndQuery.substr(mark + 1), target);
  const std::vector<std::string_view> steps = splitText(target.path, '/');
  const std::span<const std::string_view> all(steps);
  if (steps.size() > 3 && steps[1] == "api") parseSteps(all.subspan(3), "", steps[2], target);
  if (steps.size() > 4 && steps[1] == "apis") parseSteps(all.subspan(4), steps[2], steps[3], target);
  if (target.resource && absent.contains(target.resource->title())) target.resource = nullptr;
  return target;
}

std::string discovery(std::string_view path, const std::set<std::string>& absent) {
  api::JsonWriter json;
  bool found = false;
  json.beginObject();
  json.member("kind", "APIResourceList");
  json.member("apiVersion", "v1");
  json.key("resources");
  json.beginArray();
  for (const Resource& resource : table()) {
    const std::string root = (resource.group.empty() ? "/api/" : "/apis/") + resource.apiVersion();
    if (root != path || absent.contains(resource.title())) continue;
    found = true;
    writeVerbs(json, resource);
  }
  json.endArray();
  json.endObject();
  return found ? json.take() : std::string();
}

}  // namespace tidegate::rest
