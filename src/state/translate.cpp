#include "state/translate.hpp"

#include <algorithm>
#include <charconv>

#include "api/names.hpp"
#include "api/owners.hpp"

namespace tidegate {
namespace names = api::names;

namespace {

// Requests of one container; a resource with only a limit is requested in full.
ResourceVec containerRequest(const api::Container& container, ResourceTable& table) {
  ResourceList merged = container.resources.limits;
  for (const auto& [name, quantity] : container.resources.requests) merged[name] = quantity;
  for (auto& [name, quantity] : merged) {
    if (quantity.isNegative()) quantity = Quantity{};
  }
  return ResourceVec::fromList(merged, table);
}

ResourceVec maximum(const ResourceVec& a, const ResourceVec& b) {
  ResourceVec result = a;
  for (ResourceId r = 0; r < b.size(); ++r) {
    if (b[r] > result[r]) result.set(r, b[r]);
  }
  return result;
}

bool conditionIs(const std::vector<api::Condition>& conditions, const char* type, const char* status) {
  return std::ranges::any_of(conditions, [&](const auto& c) { return c.type == type && c.status == status; });
}

PodPhase phaseOf(const api::Pod& pod) {
  if (pod.status.phase == "Succeeded") return PodPhase::Succeeded;
  if (pod.status.phase == "Failed") return PodPhase::Failed;
  if (pod.status.phase == "Running") return PodPhase::Running;
  return PodPhase::Pending;
}

// volcano.sh/preemptable: annotation first, then label; any value but a true one opts out.
bool readPreemptable(const api::ObjectMeta& metadata) {
  const std::string* value = annotation(metadata, names::kPreemptable);
  if (value == nullptr) {
    auto label = metadata.labels.find(names::kPreemptable);
    if (label == metadata.labels.end()) return true;
    value = &label->second;
  }
  return *value == "true" || *value == "True" || *value == "TRUE" || *value == "1" || *value == "t" ||
         *value == "T";
}

std::optional<bool> wholeNodeAnnotation(const api::ObjectMeta& metadata) {
  const std::string* value = annotation(metadata, names::kTopology);
  if (value == nullptr) return std::nullopt;
  return *value == "whole-node";
}

// What PodGroups and the pods of implicit gangs may both declare about checkpoints and run time.
void readJobAnnotations(const api::ObjectMeta& metadata, GangInfo& info) {
  info.lastCheckpoint = timeAnnotation(metadata, names::kLastCheckpoint);
  info.checkpointInterval = durationAnnotation(metadata, names::kCheckpointInterval);
  info.checkpointDuration = durationAnnotation(metadata, names::kCheckpointDuration);
  info.stopDuration = durationAnnotation(metadata, names::kStopDuration);
  info.minRuntime = durationAnnotation(metadata, names::kMinRuntime);
  info.resumedAt = timeAnnotation(metadata, names::kResumedAt);
  info.evictions = intAnnotation(metadata, names::kEvictions).value_or(0);
  info.wholeNode = wholeNodeAnnotation(metadata);
  const std::string* recalled = annotation(metadata, names::kRecalledBy);
  info.recalledBy = recalled == nullptr ? "" : *recalled;
}

// Its controller, else the first owner it has.
api::OwnerReference ownerOf(const api::ObjectMeta& metadata) {
  if (const api::OwnerReference* controller = api::controllerOf(metadata)) return *controller;
  return metadata.ownerReferences.empty() ? api::OwnerReference{} : metadata.ownerReferences.front();
}

}  // namespace

const std::string* annotation(const api::ObjectMeta& metadata, const char* name) {
  auto found = metadata.annotations.find(name);
  return found == metadata.annotations.end() ? nullptr : &found->second;
}

std::optional<std::int32_t> intAnnotation(const api::ObjectMeta& metadata, const char* name) {
  const std::string* text = annotation(metadata, name);
  if (text == nullptr) return std::nullopt;
  std::int32_t value = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

std::optional<Time> timeAnnotation(const api::ObjectMeta& metadata, const char* name) {
  const std::string* text = annotation(metadata, name);
  if (text == nullptr) return std::nullopt;
  auto parsed = parseTime(*text);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<Duration> durationAnnotation(const api::ObjectMeta& metadata, const char* name) {
  const std::string* text = annotation(metadata, name);
  if (text == nullptr) return std::nullopt;
  auto parsed = parseDuration(*text);
  return parsed && *parsed >= Duration{} ? std::optional(*parsed) : std::nullopt;
}

ResourceVec podRequest(const api::PodSpec& spec, ResourceTable& table) {
  ResourceVec running;
  for (const auto& container : spec.containers) running += containerRequest(container, table);
  ResourceVec sidecars;
  ResourceVec starting;
  for (const auto& container : spec.initContainers) {
    ResourceVec request = containerRequest(container, table);
    if (container.restartPolicy == "Always") {
      sidecars += request;
      starting = maximum(starting, sidecars);
    } else {
      starting = maximum(starting, sidecars + request);
    }
  }
  ResourceVec total = maximum(running + sidecars, starting);
  total += ResourceVec::fromList(spec.overhead, table);
  total.set(ResourceTable::kPods, table.unit(ResourceTable::kPods));
  return total;
}

quota::QueueConfig queueConfig(const api::Queue& queue, ResourceTable& table) {
  const auto& metadata = queue.metadata;
  quota::QueueConfig config;
  config.name = metadata.name;
  config.parent = queue.spec.parent == names::kRootQueue ? "" : queue.spec.parent;
  config.weight = std::max(1, queue.spec.weight);
  config.priority = queue.spec.priority;
  config.reclaimable = queue.spec.reclaimable.value_or(true);
  config.open = queue.status.state.empty() || queue.status.state == "Open" || queue.status.state == "Unknown";
  const std::string* lending = annotation(metadata, names::kLending);
  config.lendsGuarantee = lending == nullptr || *lending != "none";
  config.guarantee = ResourceVec::fromList(queue.spec.guarantee.resource, table);
  config.deserved = ResourceLimits::fromList(queue.spec.deserved, table);
  config.capability = ResourceLimits::fromList(queue.spec.capability, table);
  config.wholeNode = wholeNodeAnnotation(metadata).value_or(false);
  config.minRuntime = durationAnnotation(metadata, names::kMinRuntime);
  config.recallDeadline = durationAnnotation(metadata, names::kRecallDeadline);
  if (const std::string* ratio = annotation(metadata, names::kStraddleRatio)) {
    auto parsed = Quantity::parse(*ratio);
    if (parsed && parsed->milliValue() >= 0)
      config.straddleRatio = static_cast<double>(parsed->milliValue()) / 1000.0;
  }
  return config;
}

void readNode(const api::Node& node, ResourceTable& table, NodeInfo& info) {
  info.exists = true;
  info.name = node.metadata.name;
  info.labels = node.metadata.labels;
  info.taints = node.spec.taints;
  info.unschedulable = node.spec.unschedulable;
  info.ready = !conditionIs(node.status.conditions, "Ready", "False") &&
               !conditionIs(node.status.conditions, "Ready", "Unknown") && !node.metadata.deletionTimestamp;
  const ResourceList& offered =
      node.status.allocatable.empty() ? node.status.capacity : node.status.allocatable;
  info.allocatable = ResourceVec::fromList(offered, table);
  if (!offered.contains("pods"))
    info.allocatable.set(ResourceTable::kPods, 110 * table.unit(ResourceTable::kPods));
}

void readPod(const api::Pod& pod, ResourceTable& table, PodInfo& info) {
  const auto& metadata = pod.metadata;
  info.key = keyOf(metadata);
  info.uid = metadata.uid;
  info.phase = phaseOf(pod);
  info.ready = conditionIs(pod.status.conditions, "Ready", "True");
  info.preemptable = readPreemptable(metadata);
  info.neverPreempts = pod.spec.preemptionPolicy == "Never";
  info.terminating = metadata.deletionTimestamp.has_value();
  info.created = metadata.creationTimestamp;
  info.started = pod.status.startTime;
  info.stopsBy = metadata.deletionTimestamp;
  info.lastCheckpoint = timeAnnotation(metadata, names::kLastCheckpoint);
  info.grace = seconds(std::max<std::int64_t>(0, pod.spec.terminationGracePeriodSeconds.value_or(30)));
  info.request = podRequest(pod.spec, table);
  info.object = std::make_shared<const PodSource>(PodSource{
      .metadata = metadata, .priority = pod.spec.priority, .priorityClassName = pod.spec.priorityClassName});
}

void readPodGroup(const api::PodGroup& group, GangInfo& info) {
  info.exists = true;
  info.implicit = false;
  info.uid = group.metadata.uid;
  info.queue = group.spec.queue.empty() ? names::kDefaultQueue : group.spec.queue;
  info.asksNoQueue = info.queue == names::kDefaultQueue;  // the API server fills it in where none is named
  info.minMember = std::max(0, group.spec.minMember);
  info.preemptable = readPreemptable(group.metadata);
  info.created = group.metadata.creationTimestamp;
  info.hardTier.reset();
  if (const auto& topology = group.spec.networkTopology; topology && topology->mode != "soft") {
    info.hardTier = topology->highestTierAllowed.value_or(1);
  }
  info.owner = ownerOf(group.metadata);
  readJobAnnotations(group.metadata, info);
}

void readImplicitGang(const api::Pod& pod, GangInfo& info) {
  const auto& metadata = pod.metadata;
  info.implicit = true;
  info.owner = ownerOf(metadata);
  info.uid = info.owner.uid.empty() ? metadata.uid : info.owner.uid;
  const std::string* queue = annotation(metadata, names::kQueueName);
  auto label = metadata.labels.find(names::kQueueName);
  if (queue == nullptr && label != metadata.labels.end()) queue = &label->second;
  info.queue = queue == nullptr || queue->empty() ? names::kDefaultQueue : *queue;
  info.asksNoQueue = info.queue == names::kDefaultQueue;
  info.minMember = std::max(0, intAnnotation(metadata, names::kGroupMinMember).value_or(1));
  if (!info.created || (metadata.creationTimestamp && *metadata.creationTimestamp < *info.created)) {
    info.created = metadata.creationTimestamp;
  }
  readJobAnnotations(metadata, info);
  info.recalledBy.clear();  // pods of an implicit gang are marked one by one
}

}  // namespace tidegate
