#include "api/pod_copy.hpp"

#include <array>
#include <boost/json.hpp>
#include <optional>

#include "api/json_access.hpp"
#include "api/names.hpp"

namespace tidegate::api {

namespace bj = boost::json;

namespace {

constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr std::array kFilledIn = {"nodeName", "priority", "preemptionPolicy", "overhead",
                                  "ephemeralContainers"};
// Of the stay on one node: our marks, and what network plugins have written.
constexpr std::array kMarks = {names::kRecalledBy,
                               names::kCheckpointRequested,
                               names::kCheckpointDone,
                               names::kPodDeletionCost,
                               names::kResumedAt,
                               "cni.projectcalico.org/containerID",
                               "cni.projectcalico.org/podIP",
                               "cni.projectcalico.org/podIPs",
                               "k8s.v1.cni.cncf.io/network-status"};

Result<bj::object> parse(std::string_view text, const char* what) {
  boost::system::error_code failure;
  bj::value value = bj::parse(text, failure);
  if (failure || !value.is_object()) return fail(std::string(what) + " is no JSON object");
  return std::move(value.get_object());
}

bj::object objectIn(const bj::object& object, std::string_view name) {
  const bj::object* found = objectAt(object, {name});
  return found == nullptr ? bj::object() : *found;
}

bool isToken(const bj::value& named) {
  return named.is_object() && textAt(named.get_object(), {"name"}).starts_with(kTokenVolume);
}

// Takes elements out of the list `name`; the whole list if nothing is left.
template <class Predicate>
void dropFrom(bj::object& object, std::string_view name, Predicate drop) {
  bj::value* list = object.if_contains(name);
  if (list == nullptr || !list->is_array()) return;
  bj::array kept;
  for (const bj::value& each : list->get_array()) {
    if (!drop(each)) kept.push_back(each);
  }
  if (kept.empty()) {
    object.erase(name);
  } else {
    *list = std::move(kept);
  }
}

bj::object cleanSpec(bj::object spec) {
  for (const char* name : kFilledIn) spec.erase(name);
  dropFrom(spec, "volumes", isToken);
  for (const char* name : {"containers", "initContainers"}) {
    bj::value* list = spec.if_contains(name);
    if (list == nullptr || !list->is_array()) continue;
    for (bj::value& container : list->get_array()) {
      if (container.is_object()) dropFrom(container.get_object(), "volumeMounts", isToken);
    }
  }
  return spec;
}

bj::object cleanAnnotations(const bj::object& metadata) {
  bj::object annotations = objectIn(metadata, "annotations");
  for (const char* name : kMarks) annotations.erase(name);
  // A group made for this one pod goes with it; the next pod gets its own.
  const std::string own = "podgroup-" + textAt(metadata, {"uid"});
  for (const char* name : {names::kGroupName, names::kGroupNameVolcano}) {
    if (textAt(annotations, {name}) == own) annotations.erase(name);
  }
  return annotations;
}

std::string submittedAt(const bj::object& metadata) {
  const std::string created = textAt(metadata, {"creationTimestamp"});
  const std::string first = textAt(metadata, {"annotations", names::kSubmittedAt});
  const auto a = parseTime(first);
  const auto b = parseTime(created);
  return a && b && *a < *b ? first : created;
}

bj::object keptMetadata(const bj::object& metadata) {
  bj::object kept{{"name", textAt(metadata, {"name"})},
                  {"namespace", textAt(metadata, {"namespace"})},
                  {"uid", textAt(metadata, {"uid"})},
                  {"creationTimestamp", submittedAt(metadata)}};
  for (const char* name : {"labels", "ownerReferences"}) {
    if (const bj::value* found = metadata.if_contains(name)) kept[name] = *found;
  }
  kept["annotations"] = cleanAnnotations(metadata);
  return kept;
}

bj::object recordMetadata(const bj::object& pod, const SuspendFacts& facts) {
  bj::object metadata{{"name", textAt(pod, {"name"})}, {"namespace", textAt(pod, {"namespace"})}};
  bj::object annotations;
  for (const auto& [name, value] : facts.annotations) annotations[name] = value;
  metadata["annotations"] = std::move(annotations);
  if (facts.podGroupUid.empty()) return metadata;
  metadata["ownerReferences"] = bj::array{bj::object{{"apiVersion", PodGroup::kApiVersion},
                                                     {"kind", PodGroup::kKind},
                                                     {"name", facts.podGroup},
                                                     {"uid", facts.podGroupUid}}};
  return metadata;
}

}  // namespace

Result<std::string> suspendedPodJson(std::string_view pod, const SuspendFacts& facts) {
  auto parsed = parse(pod, "the pod");
  if (!parsed) return std::unexpected(parsed.error());
  const bj::object metadata = keptMetadata(objectIn(*parsed, "metadata"));
  bj::object spec{{"recall", facts.recall}, {"queue", facts.queue}, {"whole", facts.whole}};
  if (!facts.podGroup.empty()) spec["podGroup"] = facts.podGroup;
  spec["podUid"] = metadata.at("uid");
  spec["pod"] = bj::object{{"metadata", metadata}, {"spec", cleanSpec(objectIn(*parsed, "spec"))}};
  return bj::serialize(bj::object{{"apiVersion", SuspendedPod::kApiVersion},
                                  {"kind", SuspendedPod::kKind},
                                  {"metadata", recordMetadata(metadata, facts)},
                                  {"spec", std::move(spec)}});
}

Result<std::string> remadePodJson(std::string_view suspendedPod) {
  auto record = parse(suspendedPod, "the SuspendedPod");
  if (!record) return std::unexpected(record.error());
  const bj::object* pod = objectAt(*record, {"spec", "pod"});
  if (pod == nullptr || objectAt(*pod, {"spec"}) == nullptr) return fail("the SuspendedPod holds no pod");
  bj::object metadata = objectIn(*pod, "metadata");
  metadata["name"] = textAt(*record, {"metadata", "name"});
  metadata["namespace"] = textAt(*record, {"metadata", "namespace"});
  bj::object annotations = objectIn(metadata, "annotations");
  for (const char* name : {names::kResumedAt, names::kLastCheckpoint, names::kEvictions}) {
    const std::string value = textAt(*record, {"metadata", "annotations", name});
    if (!value.empty()) annotations[name] = value;
  }
  const std::string submitted = textAt(metadata, {"creationTimestamp"});
  if (!submitted.empty()) annotations[names::kSubmittedAt] = submitted;
  metadata["annotations"] = std::move(annotations);
  for (const char* name : {"uid", "creationTimestamp"}) metadata.erase(name);
  return bj::serialize(bj::object{{"apiVersion", Pod::kApiVersion},
                                  {"kind", Pod::kKind},
                                  {"metadata", std::move(metadata)},
                                  {"spec", objectIn(*pod, "spec")}});
}

}  // namespace tidegate::api
