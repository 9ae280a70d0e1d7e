#include "lifecycle/objects.hpp"

#include "api/names.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

api::ObjectRef groupRef(const std::string& gangKey) {
  const auto slash = gangKey.find('/');
  return {.kind = api::PodGroup::kKind,
          .apiVersion = api::PodGroup::kApiVersion,
          .namespace_ = gangKey.substr(0, slash),
          .name = gangKey.substr(slash + 1)};
}

api::ObjectRef groupRef(const GangInfo& gang) {
  return groupRef(gang.key);
}

api::ObjectRef podRef(const api::RecallPod& pod) {
  return {.kind = api::Pod::kKind,
          .apiVersion = api::Pod::kApiVersion,
          .namespace_ = pod.namespace_,
          .name = pod.name};
}

Patch patchOf(api::ObjectRef target, std::string uid) {
  return {.target = std::move(target), .uid = std::move(uid)};
}

Patch unmarkPod(const PodInfo& pod) {
  Patch patch = patchOf(refOf(pod), pod.uid);
  for (const char* name : {names::kRecalledBy, names::kCheckpointRequested, names::kPodDeletionCost}) {
    if (pod.object->metadata.annotations.contains(name)) patch.annotations[name] = std::nullopt;
  }
  return patch;
}

bool recallActive(const ClusterState& state, const std::string& id) {
  const auto found = state.recalls().find(id);
  return found != state.recalls().end() && found->second.active;
}

}  // namespace tidegate::lifecycle
