// The PodGroup that is made for pods which name none.
//
// Rules: Volcano's pkg/controllers/podgroup/pg_controller_handler.go (buildPodGroupFromPod and what it
// calls). minMember is the owner's annotation group-min-member, else the pod's, else 1. A batch Job's
// parallelism plays no part: its pods start one by one unless the annotation says otherwise. minResources is
// the annotation group-min-resources, else minMember times what one pod asks for. Annotations prefixed
// volcano.sh/ and those of tidegate that tell of a job come from the owner and the pod (the pod's win),
// labels prefixed volcano.sh/ from the pod. The pod's controller owns the group; a bare pod owns its own.
#pragma once

#include <optional>
#include <string>

#include "api/objects.hpp"
#include "core/resources.hpp"

namespace tidegate::controllers {

// What the owner of pods says about their group.
struct GroupOwner {
  api::StringMap annotations;  // those that matter here
  std::optional<std::int32_t> minMember;
  bool atZero = false;     // a ReplicaSet or StatefulSet that wants no pods
  bool suspended = false;  // a recall stopped it: it comes back
  bool operator==(const GroupOwner&) const = default;
};
GroupOwner groupOwner(const api::ObjectMeta& metadata, std::optional<std::int32_t> replicas);

// What a pod says about its group: all but what the owner may add.
struct GroupDraft {
  api::PodGroup group;
  std::optional<std::int32_t> minMember;
  ResourceVec request;  // of one pod
};
GroupDraft groupDraft(const api::Pod& pod, ResourceTable& resources);

// `owner` may be nullptr: unknown, or none.
api::PodGroup groupFor(const GroupDraft& draft, const GroupOwner* owner, const ResourceTable& resources);

}  // namespace tidegate::controllers
