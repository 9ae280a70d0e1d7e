#include "controllers/podgroup_build.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>

#include "api/names.hpp"
#include "controllers/membership.hpp"
#include "state/translate.hpp"

namespace tidegate::controllers {
namespace names = api::names;

namespace {

constexpr std::string_view kInheritedPrefix = "volcano.sh/";
// tidegate's annotations that tell how a job behaves: owners and pods may carry them.
constexpr std::array<const char*, 5> kOfJobs = {names::kTopology, names::kMinRuntime,
                                                names::kCheckpointInterval, names::kCheckpointDuration,
                                                names::kStopDuration};
// What a job has been through: its owner remembers.
constexpr std::array<const char*, 3> kOfOwners = {names::kLastCheckpoint, names::kEvictions,
                                                  names::kResumedAt};

bool inherited(const std::string& key, bool fromOwner) {
  return key.starts_with(kInheritedPrefix) || std::ranges::find(kOfJobs, key) != kOfJobs.end() ||
         (fromOwner && std::ranges::find(kOfOwners, key) != kOfOwners.end());
}

std::optional<std::int32_t> minMemberOf(const api::ObjectMeta& metadata) {
  const auto value = intAnnotation(metadata, names::kGroupMinMember);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<api::NetworkTopology> topologyOf(const api::ObjectMeta& metadata) {
  const std::string* mode = annotation(metadata, names::kTopologyMode);
  const auto tier = intAnnotation(metadata, names::kTopologyTier);
  if (mode == nullptr && !tier) return std::nullopt;
  return api::NetworkTopology{
      .mode = mode != nullptr && (*mode == "soft" || *mode == "Soft") ? "soft" : "hard",
      .highestTierAllowed = tier,
      .highestTierName = ""};
}

std::vector<api::OwnerReference> ownersFor(const api::Pod& pod) {
  if (controllerOf(pod.metadata) != nullptr) return pod.metadata.ownerReferences;
  return {{.apiVersion = api::Pod::kApiVersion,
           .kind = api::Pod::kKind,
           .name = pod.metadata.name,
           .uid = pod.metadata.uid,
           .controller = true}};
}

// {"cpu":"4","nvidia.com/gpu":8}; nothing if it is not of that form.
std::optional<ResourceList> readAmounts(const std::string& text) {
  boost::system::error_code error;
  const boost::json::value json = boost::json::parse(text, error);
  if (error || !json.is_object()) return std::nullopt;
  ResourceList list;
  for (const auto& [name, value] : json.as_object()) {
    const std::string amount(value.is_string() ? std::string(value.as_string())
                                               : boost::json::serialize(value));
    const auto parsed = Quantity::parse(amount);
    if (!parsed || parsed->isNegative()) return std::nullopt;
    list[std::string(name)] = *parsed;
  }
  return list;
}

ResourceList times(const ResourceVec& request, std::int32_t count, const ResourceTable& resources) {
  ResourceVec sum;
  for (ResourceId r = 0; r < request.size(); ++r) {
    Amount product = 0;
    const bool over = __builtin_mul_overflow(request[r], static_cast<Amount>(count), &product);
    sum.set(r, over ? kUnlimited : product);
  }
  return sum.toList(resources);
}

}  // namespace

GroupOwner groupOwner(const api::ObjectMeta& metadata, std::optional<std::int32_t> replicas) {
  GroupOwner owner{.annotations = {},
                   .minMember = minMemberOf(metadata),
                   .atZero = replicas && *replicas == 0,
                   .suspended = annotation(metadata, names::kSuspend) != nullptr};
  for (const auto& [key, value] : metadata.annotations) {
    if (inherited(key, true) || key == names::kGroupMinResources) owner.annotations[key] = value;
  }
  return owner;
}

GroupDraft groupDraft(const api::Pod& pod, ResourceTable& resources) {
  GroupDraft draft{
      .group = {}, .minMember = minMemberOf(pod.metadata), .request = podRequest(pod.spec, resources)};
  api::PodGroup& group = draft.group;
  group.metadata.name = implicitGroupName(pod);
  group.metadata.namespace_ = pod.metadata.namespace_;
  group.metadata.ownerReferences = ownersFor(pod);
  for (const auto& [key, value] : pod.metadata.annotations) {
    // A bare pod is its own owner; one that was made again after a recall says so.
    if (inherited(key, controllerOf(pod.metadata) == nullptr)) group.metadata.annotations[key] = value;
  }
  for (const auto& [key, value] : pod.metadata.labels) {
    if (key.starts_with(kInheritedPrefix)) group.metadata.labels[key] = value;
  }
  group.spec.queue = queueAskedBy(pod);
  group.spec.priorityClassName = pod.spec.priorityClassName;
  group.spec.networkTopology = topologyOf(pod.metadata);
  return draft;
}

api::PodGroup groupFor(const GroupDraft& draft, const GroupOwner* owner, const ResourceTable& resources) {
  api::PodGroup group = draft.group;
  group.spec.minMember = draft.minMember.value_or(1);
  std::optional<ResourceList> amounts;
  if (owner != nullptr) {
    api::StringMap annotations = owner->annotations;
    if (auto text = annotations.extract(names::kGroupMinResources)) amounts = readAmounts(text.mapped());
    group.metadata.annotations.merge(annotations);  // keeps the pod's
    group.spec.minMember = owner->minMember.value_or(group.spec.minMember);
  }
  group.spec.minResources =
      amounts ? std::move(*amounts) : times(draft.request, group.spec.minMember, resources);
  return group;
}

}  // namespace tidegate::controllers
