#include "world/sim/api_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

constexpr std::int64_t kDefaultGraceSeconds = 30;

Answer answer(Outcome outcome, std::string message) {
  return {outcome, std::move(message)};
}

// Limits stand in for requests that are not given.
void defaultRequests(std::vector<api::Container>& containers) {
  for (api::Container& container : containers) {
    container.resources.requests.insert(container.resources.limits.begin(), container.resources.limits.end());
  }
}

void mergeTexts(api::StringMap& texts, const std::map<std::string, std::optional<std::string>>& changes) {
  for (const auto& [name, value] : changes) {
    if (value) {
      texts[name] = *value;
    } else {
      texts.erase(name);
    }
  }
}

// Applies what only some kinds have; false if the patch names a field this kind lacks.
struct FieldPatch {
  const Patch& patch;
  Time now;

  bool operator()(api::BatchJob& job) const {
    if (patch.suspend) job.spec.suspend = patch.suspend;
    if (patch.replicas) job.spec.parallelism = patch.replicas;
    return !patch.condition;
  }
  bool operator()(api::Deployment& deployment) const {
    if (patch.replicas) deployment.spec.replicas = patch.replicas;
    return !patch.suspend && !patch.condition;
  }
  bool operator()(api::StatefulSet& set) const {
    if (patch.replicas) set.spec.replicas = patch.replicas;
    return !patch.suspend && !patch.condition;
  }
  template <std::size_t Row>
  bool operator()(api::OperatorJobOf<Row>& job) const {
    if (patch.suspend) job.spec = api::withSuspend(Row, job.spec, *patch.suspend);
    return !patch.replicas && !patch.condition;
  }
  bool operator()(api::PodGroup& group) const { return conditioned(group.status.conditions); }
  bool operator()(api::Pod& pod) const { return conditioned(pod.status.conditions); }
  template <class Other>
  bool operator()(Other&) const {
    return !patch.suspend && !patch.replicas && !patch.condition;
  }
  bool conditioned(std::vector<api::Condition>& conditions) const {
    if (patch.condition) setCondition(conditions, *patch.condition, now);
    return !patch.suspend && !patch.replicas;
  }
};

// An object that waits for nothing but its finalizers.
bool onlyFinalizersLeft(const api::ObjectMeta& metadata) {
  return metadata.deletionTimestamp && metadata.deletionGracePeriodSeconds.value_or(0) == 0;
}

}  // namespace

Answer SimApiServer::precondition(const api::ObjectMeta* stored, const std::string& uid,
                                  const std::string& resourceVersion) {
  if (!stored) return answer(Outcome::NotFound, "not found");
  if (!uid.empty() && uid != stored->uid) return answer(Outcome::Conflict, "uid is " + stored->uid);
  if (!resourceVersion.empty() && resourceVersion != stored->resourceVersion) {
    return answer(Outcome::Conflict, "resourceVersion is " + stored->resourceVersion);
  }
  return {};
}

std::string SimApiServer::newUid() {
  const std::uint64_t high = uids_.next();
  const std::uint64_t low = uids_.next();
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff,
                     low >> 48, low & 0xffffffffffff);
}

Answer SimApiServer::admit(api::Pod& pod) const {
  defaultRequests(pod.spec.containers);
  defaultRequests(pod.spec.initContainers);
  if (pod.status.phase.empty()) pod.status.phase = "Pending";
  if (!pod.spec.terminationGracePeriodSeconds) pod.spec.terminationGracePeriodSeconds = kDefaultGraceSeconds;
  std::shared_ptr<const api::PriorityClass> priority;
  if (pod.spec.priorityClassName.empty()) {
    for (const auto& each : store_.all<api::PriorityClass>()) {
      if (each->globalDefault) priority = each;
    }
  } else {
    priority = store_.find<api::PriorityClass>(pod.spec.priorityClassName);
    if (!priority) return answer(Outcome::Rejected, "no PriorityClass " + pod.spec.priorityClassName);
  }
  if (!pod.spec.priority) pod.spec.priority = priority ? priority->value : 0;
  if (pod.spec.preemptionPolicy.empty() && priority) pod.spec.preemptionPolicy = priority->preemptionPolicy;
  return {};
}

Answer SimApiServer::create(api::Object object) {
  if (store_.find(api::refOf(object))) return answer(Outcome::Conflict, "already exists");
  if (auto* pod = std::get_if<api::Pod>(&object)) {
    if (const Answer admitted = admit(*pod); !admitted.ok()) return admitted;
  }
  if (auto* queue = std::get_if<api::Queue>(&object); queue && queue->status.state.empty()) {
    queue->status.state = "Open";
  }
  api::ObjectMeta& metadata = api::metadataOf(object);
  metadata.uid = newUid();
  metadata.creationTimestamp = now();
  metadata.deletionTimestamp.reset();
  metadata.deletionGracePeriodSeconds.reset();
  store_.put(std::move(object));
  return {};
}

// The write itself: an object whose deletion waited only for finalizers goes with the last of them.
void SimApiServer::commit(api::Object object) {
  const api::ObjectMeta& metadata = api::metadataOf(object);
  if (onlyFinalizersLeft(metadata) && metadata.finalizers.empty()) {
    store_.erase(api::refOf(object));
  } else {
    store_.put(std::move(object));
  }
}

Answer SimApiServer::update(api::Object object) {
  const ObjectPtr stored = store_.find(api::refOf(object));
  api::ObjectMeta& metadata = api::metadataOf(object);
  const Answer found =
      precondition(stored ? &api::metadataOf(*stored) : nullptr, metadata.uid, metadata.resourceVersion);
  if (!found.ok()) return found;
  const api::ObjectMeta& old = api::metadataOf(*stored);
  metadata.uid = old.uid;
  metadata.resourceVersion = old.resourceVersion;
  metadata.creationTimestamp = old.creationTimestamp;
  metadata.deletionTimestamp = old.deletionTimestamp;
  metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  if (!(object == *stored)) commit(std::move(object));
  return {};
}

Answer SimApiServer::patch(const Patch& patch) {
  if (!kindIndex(patch.target)) return patchDocument(patch);
  const ObjectPtr stored = store_.find(patch.target);
  const Answer found = precondition(stored ? &api::metadataOf(*stored) : nullptr, patch.uid);
  if (!found.ok()) return found;
  api::Object copy = *stored;
  mergeTexts(api::metadataOf(copy).annotations, patch.annotations);
  mergeTexts(api::metadataOf(copy).labels, patch.labels);
  if (!std::visit(FieldPatch{patch, now()}, copy)) {
    return answer(Outcome::Rejected, "the patch names a field that " + patch.target.kind + " lacks");
  }
  if (!(copy == *stored)) commit(std::move(copy));
  return {};
}

void SimApiServer::removeNow(api::Object object) {
  api::ObjectMeta& metadata = api::metadataOf(object);
  if (metadata.finalizers.empty()) {
    store_.erase(api::refOf(object));
    return;
  }
  if (onlyFinalizersLeft(metadata)) return;
  metadata.deletionTimestamp = now();
  metadata.deletionGracePeriodSeconds = 0;
  store_.put(std::move(object));
}

Answer SimApiServer::remove(const api::ObjectRef& ref, const DeleteOptions& options) {
  if (!kindIndex(ref)) return removeDocument(ref, options);
  const ObjectPtr stored = store_.find(ref);
  const Answer found =
      precondition(stored ? &api::metadataOf(*stored) : nullptr, options.uid, options.resourceVersion);
  if (!found.ok()) return found;
  if (const auto* pod = std::get_if<api::Pod>(&*stored)) return removePod(*pod, options);
  removeNow(*stored);
  return {};
}

Answer SimApiServer::removePod(const api::Pod& pod, const DeleteOptions& options) {
  const std::int64_t own = pod.spec.terminationGracePeriodSeconds.value_or(kDefaultGraceSeconds);
  std::int64_t grace = std::max<std::int64_t>(0, options.graceSeconds.value_or(own));
  // Nothing runs for a pod that is not bound or has ended: there is nobody to wait for.
  if (pod.spec.nodeName.empty() || isTerminal(pod)) grace = 0;
  if (grace == 0) {
    removeNow(pod);
    return {};
  }
  api::Pod copy = pod;
  Time asked = now();
  if (pod.metadata.deletionTimestamp) {
    // A further delete may only shorten the grace, counted from the first one.
    const std::int64_t current = pod.metadata.deletionGracePeriodSeconds.value_or(0);
    if (!options.graceSeconds || grace >= current) return {};
    asked = *pod.metadata.deletionTimestamp - seconds(current);
  }
  copy.metadata.deletionTimestamp = asked + seconds(grace);
  copy.metadata.deletionGracePeriodSeconds = grace;
  store_.put(std::move(copy));
  return {};
}

Answer SimApiServer::bind(const Bind& bind) {
  const std::string key = keyOf(bind.namespace_, bind.name);
  const auto stored = store_.find<api::Pod>(key);
  const Answer found = precondition(stored ? &stored->metadata : nullptr, bind.uid);
  if (!found.ok()) return found;
  if (!stored->spec.nodeName.empty()) {
    return answer(Outcome::Conflict, "pod is already assigned to node " + stored->spec.nodeName);
  }
  if (isTerminating(*stored)) return answer(Outcome::Conflict, "pod is being deleted");
  api::Pod copy = *stored;
  copy.spec.nodeName = bind.node;
  setCondition(
      copy.status.conditions,
      {.type = "PodScheduled", .status = "True", .reason = {}, .message = {}, .lastTransitionTime = {}},
      now());
  store_.put(std::move(copy));
  return {};
}

Answer SimApiServer::evict(const DeletePod& request) {
  const std::string key = keyOf(request.namespace_, request.name);
  const auto pod = store_.find<api::Pod>(key);
  const Answer found = precondition(pod ? &pod->metadata : nullptr, request.uid);
  if (!found.ok()) return found;
  if (const Answer allowed = checkBudgets(store_, *pod); !allowed.ok()) return allowed;
  return removePod(*pod, {.uid = request.uid, .graceSeconds = request.graceSeconds});
}

Answer SimApiServer::writeRecall(const WriteRecall& write) {
  if (write.recall.metadata.resourceVersion.empty()) return create(write.recall);
  return update(write.recall);
}

}  // namespace tidegate::sim
