#include "world/sim/operator_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/conditions.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

// Whether one of these has made `metadata`'s object.
std::optional<api::ObjectRef> operatorRefOf(const api::ObjectMeta& metadata) {
  const api::OwnerReference* owner = controllerOf(metadata);
  if (owner == nullptr || !api::operatorKindOf(owner->kind, owner->apiVersion)) return std::nullopt;
  return api::ObjectRef{.kind = owner->kind,
                        .apiVersion = owner->apiVersion,
                        .namespace_ = metadata.namespace_,
                        .name = owner->name};
}

bool isMadeBy(const api::ObjectMeta& metadata, const std::string& uid) {
  const api::OwnerReference* owner = controllerOf(metadata);
  return owner != nullptr && owner->uid == uid;
}

std::string statusWith(const api::StatusMark& mark) {
  if (std::string_view(mark.value).empty()) return "{}";
  if (std::string_view(mark.field).empty())
    return fmt::format(R"({{"conditions":[{{"type":"{}","status":"True"}}]}})", mark.value);
  return fmt::format(R"({{"{}":"{}"}})", mark.field, mark.value);
}

std::string memberOf(const std::string& json, const char* name) {
  boost::system::error_code failure;
  const boost::json::value value = boost::json::parse(json, failure);
  const boost::json::object* object = failure ? nullptr : value.if_object();
  const boost::json::value* member = object == nullptr ? nullptr : object->if_contains(name);
  return member == nullptr ? "{}" : boost::json::serialize(*member);
}

}  // namespace

OperatorController::OperatorController(ControllerServices services) : services_(services) {
  services_.api.feed().subscribe([this](const Change& change) { watch(change); });
}

void OperatorController::watch(const Change& change) {
  const api::Object& object = change.object();
  if (api::operatorJobIn(object) != nullptr && change.after) wake(api::refOf(object));
  // A RayJob looks at its cluster's pods.
  auto maker = operatorRefOf(api::metadataOf(object));
  for (int step = 0; step < 2 && maker; ++step) {
    wake(*maker);
    const ObjectPtr made = services_.api.store().find(*maker);
    maker = made ? operatorRefOf(api::metadataOf(*made)) : std::nullopt;
  }
}

void OperatorController::wake(const api::ObjectRef& ref) {
  if (std::exchange(due_[ref], true)) return;
  services_.clock.at(services_.clock.now() + services_.delay, [this, ref] {
    due_.erase(ref);
    reconcile(ref);
  });
}

void OperatorController::reconcile(const api::ObjectRef& ref) {
  const ObjectPtr object = services_.api.store().find(ref);
  if (!object) return;
  const std::size_t row = api::operatorRowOf(*object).value();
  const api::OperatorJob& job = *api::operatorJobIn(*object);
  const Look look{.row = row,
                  .ref = ref,
                  .job = job,
                  .facts = api::factsOf(row, job),
                  .self = {.apiVersion = ref.apiVersion,
                           .kind = ref.kind,
                           .name = ref.name,
                           .uid = job.metadata.uid,
                           .controller = true}};
  if (job.metadata.deletionTimestamp || look.facts.finished) return;
  const std::string_view kind = api::kOperatorKinds[row].kind;
  tell(look, kind == "JobSet" ? keepJobs(look) : kind == "RayJob" ? keepCluster(look) : keepPods(look));
}

void OperatorController::tell(const Look& look, Standing standing) {
  const api::OperatorKind& kind = api::kOperatorKinds[look.row];
  if (standing == Standing::Stopping) return;
  const std::string status = statusWith(standing == Standing::Stopped    ? kind.stopped
                                        : standing == Standing::Finished ? kind.finished[0]
                                                                         : api::StatusMark{});
  if (status == look.job.status || (status == "{}" && look.job.status.empty())) return;
  api::OperatorJob copy = look.job;
  copy.status = status;
  services_.api.update(api::makeOperatorJob(look.row, std::move(copy)));
}

OperatorController::Standing OperatorController::keepPods(const Look& look) {
  SimApiServer& api = services_.api;
  const std::vector<PodPtr> pods = api.store().podsOwnedBy(look.job.metadata.uid);
  for (const PodPtr& pod : pods) {
    const bool failed = pod->status.phase == "Failed";
    if (isActive(*pod) ? look.facts.suspended : failed && !isTerminating(*pod)) deletePod(api, *pod);
  }
  if (look.facts.suspended) return pods.empty() ? Standing::Stopped : Standing::Stopping;
  std::size_t wanted = 0;
  std::size_t succeeded = 0;
  for (const api::PodShape& shape : look.facts.pods) {
    for (std::int32_t i = 0; i < shape.count; ++i) {
      const std::string name = fmt::format("{}-{}", look.ref.name, wanted++);
      const auto pod = api.store().find<api::Pod>(keyOf(look.ref.namespace_, name));
      if (!pod) createPod(services_, podFrom(shape.template_, look.ref.namespace_, name, look.self));
      if (pod && pod->status.phase == "Succeeded") ++succeeded;
    }
  }
  return wanted > 0 && succeeded == wanted ? Standing::Finished : Standing::Running;
}

OperatorController::Standing OperatorController::keepJobs(const Look& look) {
  SimApiServer& api = services_.api;
  std::size_t complete = 0;
  for (std::size_t i = 0; i < look.facts.pods.size(); ++i) {
    const api::PodShape& shape = look.facts.pods[i];
    api::BatchJob child;
    child.metadata.namespace_ = look.ref.namespace_;
    child.metadata.name = fmt::format("{}-{}", look.ref.name, i);
    child.metadata.ownerReferences = {look.self};
    const auto held = api.store().find<api::BatchJob>(keyOf(child.metadata));
    if (held && api::isTrue(held->status.conditions, "Complete")) ++complete;
    if (held && held->spec.suspend.value_or(false) != look.facts.suspended) {
      api.modify<api::BatchJob>(keyOf(child.metadata), held->metadata.uid,
                                [&](api::BatchJob& it) { it.spec.suspend = look.facts.suspended; });
    }
    if (held) continue;
    child.spec.parallelism = child.spec.completions = shape.count;
    child.spec.suspend = look.facts.suspended;
    child.spec.template_ = shape.template_;
    api.create(child);
  }
  if (look.facts.suspended) return Standing::Stopped;
  return complete > 0 && complete == look.facts.pods.size() ? Standing::Finished : Standing::Running;
}

OperatorController::Standing OperatorController::keepCluster(const Look& look) {
  SimApiServer& api = services_.api;
  const std::size_t row = api::operatorKindOf("RayCluster", look.ref.apiVersion).value();
  const std::size_t kind = kindIndex({"RayCluster", look.ref.apiVersion, "", ""}).value();
  std::vector<ObjectPtr> clusters;
  for (const auto& [key, object] : api.store().table(kind)) {
    if (isMadeBy(api::metadataOf(*object), look.job.metadata.uid)) clusters.push_back(object);
  }
  if (look.facts.suspended) {
    for (const ObjectPtr& each : clusters) api.remove(api::refOf(*each), {.uid = api::metadataOf(*each).uid});
    return clusters.empty() ? Standing::Stopped : Standing::Stopping;
  }
  if (clusters.empty()) {
    api::OperatorJob cluster;
    cluster.metadata.namespace_ = look.ref.namespace_;
    cluster.metadata.name = generateName(services_, look.ref.name);
    cluster.metadata.ownerReferences = {look.self};
    cluster.spec = memberOf(look.job.spec, "rayClusterSpec");
    api.create(api::makeOperatorJob(row, std::move(cluster)));
    return Standing::Running;
  }
  const auto pods = api.store().podsOwnedBy(api::metadataOf(*clusters.front()).uid);
  const bool done = !pods.empty() && std::ranges::all_of(pods, [](const PodPtr& pod) {
    return pod->status.phase == "Succeeded";
  });
  return done ? Standing::Finished : Standing::Running;
}

}  // namespace tidegate::sim
