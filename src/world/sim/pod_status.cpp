#include "world/sim/pod_status.hpp"

#include "api/conditions.hpp"

#include <algorithm>

namespace tidegate::sim {

namespace {

void raiseTo(ResourceVec& total, const ResourceVec& floor) {
  for (ResourceId id = 0; id < floor.size(); ++id) total.set(id, std::max(total[id], floor[id]));
}

bool matches(const api::LabelSelectorRequirement& requirement, const api::StringMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  const auto listed = [&] {
    return exists && std::ranges::find(requirement.values, label->second) != requirement.values.end();
  };
  if (requirement.operator_ == "In") return listed();
  if (requirement.operator_ == "NotIn") return !listed();
  if (requirement.operator_ == "Exists") return exists;
  if (requirement.operator_ == "DoesNotExist") return !exists;
  return false;
}

}  // namespace

bool isTerminal(const api::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool isTerminating(const api::Pod& pod) {
  return pod.metadata.deletionTimestamp.has_value();
}

bool isActive(const api::Pod& pod) {
  return !isTerminal(pod) && !isTerminating(pod);
}

bool isReady(const api::Pod& pod) {
  return api::isTrue(pod.status.conditions, "Ready");
}

void setCondition(std::vector<api::Condition>& conditions, api::Condition condition, Time now) {
  const auto found = std::ranges::find(conditions, condition.type, &api::Condition::type);
  if (found == conditions.end()) {
    condition.lastTransitionTime = now;
    conditions.push_back(std::move(condition));
    return;
  }
  condition.lastTransitionTime = found->status == condition.status ? found->lastTransitionTime : now;
  *found = std::move(condition);
}

ResourceVec requestsOf(const api::PodSpec& spec, ResourceTable& table) {
  ResourceVec total;
  ResourceVec sidecars;
  ResourceVec peak;  // init containers run one after the other, beside the sidecars started before them
  for (const api::Container& container : spec.containers) {
    total += ResourceVec::fromList(container.resources.requests, table);
  }
  for (const api::Container& container : spec.initContainers) {
    const ResourceVec request = ResourceVec::fromList(container.resources.requests, table);
    if (container.restartPolicy == "Always") sidecars += request;
    raiseTo(peak, container.restartPolicy == "Always" ? sidecars : sidecars + request);
  }
  total += sidecars;
  raiseTo(total, peak);
  total += ResourceVec::fromList(spec.overhead, table);
  total.set(ResourceTable::kPods, table.unit(ResourceTable::kPods));
  return total;
}

std::int64_t gpusOf(const api::PodSpec& spec) {
  ResourceTable table;
  return requestsOf(spec, table)[ResourceTable::kGpu] / table.unit(ResourceTable::kGpu);
}

bool matches(const api::LabelSelector& selector, const api::StringMap& labels) {
  for (const auto& [key, value] : selector.matchLabels) {
    const auto label = labels.find(key);
    if (label == labels.end() || label->second != value) return false;
  }
  return std::ranges::all_of(selector.matchExpressions,
                             [&](const auto& requirement) { return matches(requirement, labels); });
}

}  // namespace tidegate::sim
