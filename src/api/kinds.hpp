// What holds of a kind of object as such, whichever world it lives in.
//
// Which kinds have a status subresource: of Kubernetes' own, the API reference; of Volcano's, its definitions
// (config/crd/volcano/bases: queues, jobs and hypernodes have one, podgroups and commands have none); of
// ours, deploy/crds, which a test compares with this.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/objects.hpp"

namespace tidegate::api {

// "scheduling.volcano.sh/v1beta1" -> "scheduling.volcano.sh"; "" is the core group.
std::string_view groupOfVersion(std::string_view apiVersion);

// Is the status of such an object written by itself (".../status")? If not, it is written with the object. A
// kind that is not known here is taken to have one, as most have.
bool hasStatusSubresource(const ObjectRef& ref);

// A resourceVersion as a number. Nothing if it is none: then it cannot be compared with another.
std::optional<std::uint64_t> versionNumber(std::string_view resourceVersion);

}  // namespace tidegate::api
