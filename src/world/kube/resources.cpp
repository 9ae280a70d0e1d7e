#include "world/kube/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/kinds.hpp"

namespace tidegate::kube {
namespace {

template <class T>
Resource ofKind(const char* plural, bool namespaced) {
  return {.kind = T::kKind,
          .apiVersion = T::kApiVersion,
          .plural = plural,
          .namespaced = namespaced,
          .object = kObjectIndex<T>,
          .ofOthers = api::AnOperatorJob<T>};
}

template <std::size_t... Row>
void addOperators(std::vector<Resource>& table, std::index_sequence<Row...>) {
  (table.push_back(ofKind<api::OperatorJobOf<Row>>(api::kOperatorKinds[Row].plural, true)), ...);
  for (Resource& each : table) {
    each.olderOrNewer = std::ranges::any_of(table, [&](const Resource& other) {
      return &other < &each && other.kind == each.kind &&
             api::groupOfVersion(other.apiVersion) == api::groupOfVersion(each.apiVersion);
    });
  }
}

std::vector<Resource> makeObjectTable() {
  std::vector<Resource> table = {
      ofKind<api::PriorityClass>("priorityclasses", false),
      ofKind<api::Namespace>("namespaces", false),
      ofKind<api::Node>("nodes", false),
      ofKind<api::HyperNode>("hypernodes", false),
      ofKind<api::Queue>("queues", false),
      ofKind<api::PodDisruptionBudget>("poddisruptionbudgets", true),
      ofKind<api::PodGroup>("podgroups", true),
      ofKind<api::VcJob>("jobs", true),
      ofKind<api::BatchJob>("jobs", true),
      ofKind<api::Deployment>("deployments", true),
      ofKind<api::StatefulSet>("statefulsets", true),
      ofKind<api::ReplicaSet>("replicasets", true),
  };
  addOperators(table, std::make_index_sequence<api::kOperatorRows>{});
  const std::vector<Resource> last = {
      ofKind<api::Recall>("recalls", false),
      ofKind<api::SuspendedPod>("suspendedpods", true),
      ofKind<api::Pod>("pods", true),
      ofKind<api::ConfigMap>("configmaps", true),
      ofKind<api::BusCommand>("commands", true),
  };
  table.insert(table.end(), last.begin(), last.end());
  return table;
}

const std::vector<Resource>& objectTable() {
  static const std::vector<Resource> kTable = makeObjectTable();
  return kTable;
}

Resource other(const char* kind, const char* apiVersion, const char* plural) {
  return {.kind = kind, .apiVersion = apiVersion, .plural = plural, .namespaced = true, .object = {}};
}

const std::vector<Resource>& otherTable() {
  static const std::vector<Resource> kTable = {
      other("Service", "v1", "services"),
      other("Secret", "v1", "secrets"),
      other("PersistentVolumeClaim", "v1", "persistentvolumeclaims"),
      other("Event", "v1", "events"),
      other("Event", "events.k8s.io/v1", "events"),
      other("Lease", "coordination.k8s.io/v1", "leases"),
      other("NetworkPolicy", "networking.k8s.io/v1", "networkpolicies"),
  };
  return kTable;
}

// Regular English plurals, which is how nearly all kinds are named.
std::string pluralOf(std::string_view kind) {
  std::string plural(kind);
  std::ranges::transform(plural, plural.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  const auto ends = [&](std::string_view tail) { return plural.ends_with(tail); };
  if (ends("s") || ends("x") || ends("ch") || ends("sh")) return plural + "es";
  if (ends("y") && !ends("ay") && !ends("ey") && !ends("oy")) {
    plural.pop_back();
    return plural + "ies";
  }
  return plural + "s";
}

// Group and version, or a version alone.
bool isApiVersion(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '/';
  };
  return !text.empty() && std::ranges::all_of(text, allowed) && std::ranges::count(text, '/') <= 1 &&
         !text.starts_with('/') && !text.ends_with('/') && !text.starts_with('.');
}

bool isKind(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

// What may be one step of a path (k8s.io/apimachinery/pkg/api/validation/path).
bool isStep(std::string_view text) {
  return !text.empty() && text != "." && text != ".." && text.find_first_of("/%") == std::string_view::npos;
}

const Resource* find(const std::vector<Resource>& table, const api::ObjectRef& ref) {
  const auto found = std::ranges::find_if(table, [&](const Resource& resource) {
    return resource.kind == ref.kind &&
           api::groupOfVersion(resource.apiVersion) == api::groupOfVersion(ref.apiVersion);
  });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

std::string percentEncode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::string Resource::title() const {
  const std::string_view group = api::groupOfVersion(apiVersion);
  if (group.empty()) return plural;
  if (!olderOrNewer) return fmt::format("{}.{}", plural, group);
  return fmt::format("{}.{}.{}", plural, apiVersion.substr(group.size() + 1), group);
}

std::string Resource::listPath(std::string_view inNamespace) const {
  const char* root = api::groupOfVersion(apiVersion).empty() ? "/api" : "/apis";
  if (!namespaced || inNamespace.empty()) return fmt::format("{}/{}/{}", root, apiVersion, plural);
  return fmt::format("{}/{}/namespaces/{}/{}", root, apiVersion, percentEncode(inNamespace), plural);
}

std::string Resource::objectPath(std::string_view inNamespace, std::string_view name,
                                 std::string_view subresource) const {
  std::string path = listPath(inNamespace) + "/" + percentEncode(name);
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

std::span<const Resource> objectResources() {
  return objectTable();
}

Result<Resource> resourceOf(const api::ObjectRef& ref) {
  if (!isKind(ref.kind)) return fail(fmt::format("\"{}\" is no kind", ref.kind));
  if (!isApiVersion(ref.apiVersion)) {
    return fail(fmt::format("{}: \"{}\" is no apiVersion", ref.kind, ref.apiVersion));
  }
  if (!isStep(ref.name)) return fail(fmt::format("{}: \"{}\" is no name", ref.kind, ref.name));
  if (!ref.namespace_.empty() && !isStep(ref.namespace_)) {
    return fail(fmt::format("{} {}: \"{}\" is no namespace", ref.kind, ref.name, ref.namespace_));
  }
  const Resource* known = find(objectTable(), ref);
  if (known == nullptr) known = find(otherTable(), ref);
  if (known == nullptr) {
    return Resource{.kind = ref.kind,
                    .apiVersion = ref.apiVersion,
                    .plural = pluralOf(ref.kind),
                    .namespaced = !ref.namespace_.empty(),
                    .object = {}};
  }
  if (known->namespaced && ref.namespace_.empty()) {
    return fail(fmt::format("{} {} has no namespace", ref.kind, ref.name));
  }
  Resource resource = *known;
  resource.apiVersion = ref.apiVersion;
  return resource;
}

Result<std::string> pathOf(const api::ObjectRef& ref, std::string_view subresource) {
  TIDEGATE_TRY(const Resource resource, resourceOf(ref));
  return resource.objectPath(ref.namespace_, ref.name, subresource);
}

Result<std::string> statusPathOf(const api::ObjectRef& ref) {
  return pathOf(ref, api::hasStatusSubresource(ref) ? "status" : "");
}

}  // namespace tidegate::kube
