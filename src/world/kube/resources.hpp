// Where objects live in an API server: for each kind its group, version, plural and scope, and the paths made
// of them. One table holds every kind of api::Object, a second the kinds that are only created or deleted.
//
// Paths as the "Kubernetes API Concepts" page gives them: /api/v1/... for the core group,
// /apis/<group>/<version>/... for all others, with namespaces/<namespace> before the plural of a namespaced
// kind.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "api/objects.hpp"
#include "core/error.hpp"

namespace tidegate::kube {

inline constexpr std::size_t kObjectKinds = std::variant_size_v<api::Object>;

struct Resource {
  std::string kind;
  std::string apiVersion;  // "v1", "apps/v1"
  std::string plural;
  bool namespaced = false;
  std::optional<std::size_t> object;  // its place in api::Object, if it is a kind of those
  bool olderOrNewer = false;  // a further version of a kind that has a place already: its title tells it
  bool ofOthers = false;      // of a project that need not be installed: nothing waits for it

  // "pods", "jobs.batch.volcano.sh": for messages and metrics.
  std::string title() const;
  // Of all objects, or of one namespace's.
  std::string listPath(std::string_view inNamespace = {}) const;
  std::string objectPath(std::string_view inNamespace, std::string_view name,
                         std::string_view subresource = {}) const;
};

// The kinds of api::Object, in its order.
std::span<const Resource> objectResources();

// The place of a kind in api::Object.
template <class T>
inline constexpr std::size_t kObjectIndex = [] {
  std::size_t index = 0;
  [&]<class... Kinds>(std::type_identity<std::variant<Kinds...>>) {
    (void)((std::is_same_v<T, Kinds> || (++index, false)) || ...);
  }(std::type_identity<api::Object>{});
  return index;
}();

template <class T>
const Resource& resourceOf() {
  return objectResources()[kObjectIndex<T>];
}

// The resource an ObjectRef names: of the tables, or by rule (kind in lower case, plural; namespaced if the
// ref has a namespace; group and version from apiVersion). An error if kind, apiVersion or name is missing or
// could not stand in a path, or if a namespaced kind has no namespace.
Result<Resource> resourceOf(const api::ObjectRef& ref);
Result<std::string> pathOf(const api::ObjectRef& ref, std::string_view subresource = {});
// Where an object's status is written: the subresource, but of kinds that have none the object itself.
Result<std::string> statusPathOf(const api::ObjectRef& ref);

// Escaped to stand in a query or as one step of a path (RFC 3986: all but unreserved characters).
std::string percentEncode(std::string_view text);

}  // namespace tidegate::kube
