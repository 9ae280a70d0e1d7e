#include "world/sim/invariants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

namespace {

namespace names = api::names;

std::string annotation(const api::ObjectMeta& metadata, const char* name) {
  const auto found = metadata.annotations.find(name);
  return found == metadata.annotations.end() ? "" : found->second;
}

bool isOurs(const api::Pod& pod) {
  return pod.spec.schedulerName == "volcano" || pod.spec.schedulerName == "tidegate";
}

bool holdsNode(const api::Pod& pod) {
  return !pod.spec.nodeName.empty() && !isTerminal(pod);
}

std::string groupKey(const api::Pod& pod) {
  const std::string group = annotation(pod.metadata, names::kGroupName);
  return group.empty() ? "" : keyOf(pod.metadata.namespace_, group);
}

}  // namespace

Invariants::Invariants(SimWorld& world, InvariantOptions options) : world_(world), options_(options) {
  world_.subscribe([this](const Change& change) { changed(change); });
  world_.observe([this](const SimWorld&) { checkGangs(); });
}

Result<Ok> Invariants::verdict() const {
  if (violations_.empty()) return Ok{};
  const Violation& first = violations_.front();
  return fail(fmt::format("{} broken at {:.3f} s: {} ({} in all)", first.rule,
                          toSeconds(first.at - world_.start()), first.message, violations_.size()));
}

void Invariants::report(const std::string& rule, const std::string& subject, const std::string& message) {
  if (reported_.insert(rule + " " + subject).second) violations_.push_back({world_.now(), rule, message});
}

void Invariants::changed(const Change& change) {
  if (std::holds_alternative<api::Pod>(change.object())) {
    podChanged(change);
  } else if (std::holds_alternative<api::PodGroup>(change.object())) {
    trackGang(keyOf(api::metadataOf(change.object())));
  } else if (std::holds_alternative<api::Queue>(change.object())) {
    queueUsage_.clear();  // its parent may have changed
    for (const auto& [uid, counted] : counted_) countInQueues(counted, +1);
  }
}

void Invariants::podChanged(const Change& change) {
  const auto& pod = std::get<api::Pod>(change.object());
  if (!change.before) checkSuspended(pod);
  const std::string& uid = pod.metadata.uid;
  const bool holds = change.after && holdsNode(pod);
  if (holds && !counted_.contains(uid)) {
    const Counted counted{isOurs(pod) ? queueOf(pod) : "", groupKey(pod), requestsOf(pod.spec, table_)};
    counted_.emplace(uid, counted);
    countInQueues(counted, +1);
    checkNode(pod.spec.nodeName);
    if (options_.queueCapability) checkQueues(counted.queue);
  } else if (!holds && counted_.contains(uid)) {
    countInQueues(counted_.extract(uid).mapped(), -1);
  }
  if (change.after && pod.status.phase == "Running") checkProcesses(pod);
  if (const std::string group = groupKey(pod); !group.empty()) {
    if (holds && !isTerminating(pod)) {
      gangPods_[group].insert(uid);
    } else {
      gangPods_[group].erase(uid);
    }
    trackGang(group);
  }
}

void Invariants::checkNode(const std::string& name) {
  const auto node = store().find<api::Node>(name);
  if (!node) return;
  ResourceVec used;
  for (const auto& pod : store().podsOn(name)) {
    if (!isTerminal(*pod)) used += requestsOf(pod->spec, table_);
  }
  const ResourceVec allocatable = ResourceVec::fromList(node->status.allocatable, table_);
  for (ResourceId id = 0; id < used.size(); ++id) {
    if (used[id] <= allocatable[id]) continue;
    report("node-capacity", name,
           fmt::format("{} holds {} of {} {}", name, table_.format(id, used[id]),
                       table_.format(id, allocatable[id]), table_.name(id)));
  }
}

std::string Invariants::queueOf(const api::Pod& pod) const {
  const auto group = store().find<api::PodGroup>(groupKey(pod));
  const std::string queue = group ? group->spec.queue : annotation(pod.metadata, names::kQueueName);
  if (!queue.empty() && queue != names::kDefaultQueue) return queue;
  const auto space = store().find<api::Namespace>(pod.metadata.namespace_);
  const std::string its = space ? annotation(space->metadata, names::kQueueName) : "";
  return its.empty() ? names::kDefaultQueue : its;
}

// The queue and its ancestors; a cycle of parents ends where it closes.
std::vector<std::string> Invariants::lineage(const std::string& queue) const {
  std::vector<std::string> line;
  std::string name = queue;
  while (!name.empty() && std::ranges::find(line, name) == line.end()) {
    line.push_back(name);
    const auto object = store().find<api::Queue>(name);
    name = object ? object->spec.parent : "";
  }
  return line;
}

void Invariants::countInQueues(const Counted& counted, int sign) {
  for (const std::string& queue : lineage(counted.queue)) {
    ResourceVec& usage = queueUsage_[queue];
    if (sign > 0) {
      usage += counted.requests;
    } else {
      usage -= counted.requests;
    }
  }
}

void Invariants::checkQueues(const std::string& queue) {
  for (const std::string& name : lineage(queue)) {
    const auto object = store().find<api::Queue>(name);
    if (!object) continue;
    const ResourceLimits capability = ResourceLimits::fromList(object->spec.capability, table_);
    const ResourceVec& used = queueUsage_[name];
    for (ResourceId id = 0; id < used.size(); ++id) {
      if (used[id] <= capability[id]) continue;
      report("queue-capability", name,
             fmt::format("queue {} uses {} of {} {}", name, table_.format(id, used[id]),
                         table_.format(id, capability[id]), table_.name(id)));
    }
  }
}

void Invariants::checkProcesses(const api::Pod& pod) {
  const std::string key = keyOf(pod.metadata);
  if (world_.kubelets().countOf(key) > 1)
    report("one-incarnation", key, "two processes of " + key + " live at once");
}

void Invariants::checkSuspended(const api::Pod& pod) {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  if (!owner) return;
  const std::string key = keyOf(pod.metadata.namespace_, owner->name);
  bool suspended = false;
  if (owner->apiVersion == api::VcJob::kApiVersion) {
    const auto job = store().find<api::VcJob>(key);
    suspended = job && job->metadata.annotations.contains(names::kSuspend);
  } else if (owner->apiVersion == api::BatchJob::kApiVersion) {
    const auto job = store().find<api::BatchJob>(key);
    suspended = job && job->spec.suspend.value_or(false);
  } else if (api::operatorKindOf(owner->kind, owner->apiVersion)) {
    const ObjectPtr job =
        store().find({owner->kind, owner->apiVersion, pod.metadata.namespace_, owner->name});
    suspended = job && api::factsOf(api::operatorRowOf(*job).value(), *api::operatorJobIn(*job)).suspended;
  }
  if (suspended)
    report("suspended-stays-empty", key, keyOf(pod.metadata) + " was created for a suspended job");
}

void Invariants::trackGang(const std::string& key) {
  const auto group = store().find<api::PodGroup>(key);
  const auto pods = gangPods_.find(key);
  const std::size_t bound = pods == gangPods_.end() ? 0 : pods->second.size();
  const bool ends = group && group->status.succeeded > 0;  // members leave one by one when the work is done
  if (group && !ends && bound > 0 && bound < static_cast<std::size_t>(std::max(0, group->spec.minMember))) {
    partialSince_.try_emplace(key, world_.now());
  } else {
    partialSince_.erase(key);
  }
}

void Invariants::checkGangs() {
  for (const auto& [key, since] : partialSince_) {
    if (world_.now() - since <= options_.partialGang) continue;
    report("whole-gang", key,
           fmt::format("gang {} has had {} bound pods for {:.0f} s", key, gangPods_[key].size(),
                       toSeconds(world_.now() - since)));
  }
}

}  // namespace tidegate::sim
