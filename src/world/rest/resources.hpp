// The resources the simulated API server serves, and how a request's path names one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "api/objects.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::rest {

struct Resource {
  std::string kind;
  std::string group;  // "" is the core group
  std::string version;
  std::string plural;
  bool namespaced = true;
  bool custom = false;               // by a CustomResourceDefinition: no strategic patch
  std::optional<std::size_t> typed;  // place in api::Object; else kept as documents

  std::string apiVersion() const { return group.empty() ? version : group + "/" + version; }
  // "pods", "jobs.batch.volcano.sh": as messages and RestOptions::absent name it.
  std::string title() const { return group.empty() ? plural : plural + "." + group; }
  bool hasScale() const { return group == "apps"; }
  api::ObjectRef ref(std::string_view namespace_, std::string_view name) const {
    return {kind, apiVersion(), std::string(namespace_), std::string(name)};
  }
};

// All of them; a resource's place in it is its index.
std::span<const Resource> resources();
std::size_t indexOf(const Resource& resource);
std::optional<std::size_t> resourceIndexOf(std::size_t typed);
std::optional<std::size_t> resourceIndexOf(const api::ObjectRef& ref);

// A request's path, taken apart.
struct Target {
  const Resource* resource = nullptr;  // null: no such resource
  std::string namespace_;              // empty: all of them, or cluster-scoped
  std::string name;                    // empty: the collection
  std::string subresource;
  std::map<std::string, std::string, std::less<>> query;
  std::string path;  // without the query

  std::string_view param(std::string_view key) const {
    const auto found = query.find(key);
    return found == query.end() ? std::string_view{} : std::string_view(found->second);
  }
  bool isTrue(std::string_view key) const { return param(key) == "true" || param(key) == "1"; }
  api::ObjectRef ref() const { return resource->ref(namespace_, name); }
};
Target parseTarget(std::string_view pathAndQuery, const std::set<std::string>& absent);

// Of "/api/v1" and "/apis/<group>/<version>": the APIResourceList; empty if there is nothing.
std::string discovery(std::string_view path, const std::set<std::string>& absent);

}  // namespace tidegate::rest
