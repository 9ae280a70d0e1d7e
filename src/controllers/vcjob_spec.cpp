#include "controllers/vcjob_spec.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "api/json_access.hpp"
#include "api/names.hpp"
#include "controllers/vcjob_json.hpp"

namespace tidegate::vcjob {
namespace names = api::names;

namespace {

bool isCountedInBytes(const std::string& name) {
  return name == "memory" || name.ends_with("storage") || name.starts_with("hugepages-");
}

void multiplyAdd(ResourceList& total, const ResourceList& request, std::int32_t times) {
  for (const auto& [name, quantity] : request) {
    Quantity& sum = total[name];
    sum = isCountedInBytes(name) ? Quantity::ofBytes(sum.value() + quantity.value() * times)
                                 : Quantity::ofMilli(sum.milliValue() + quantity.milliValue() * times);
  }
}

ResourceList requestOf(const api::PodSpec& spec) {
  ResourceList total = spec.overhead;
  for (const api::Container& container : spec.containers) {
    ResourceList request = container.resources.requests;
    request.insert(container.resources.limits.begin(), container.resources.limits.end());
    multiplyAdd(total, request, 1);
  }
  return total;
}

std::int32_t sumOf(const api::VcJob& job, std::int32_t (*of)(const api::TaskSpec&)) {
  std::int64_t sum = 0;
  for (const api::TaskSpec& task : job.spec.tasks) sum += of(task);
  return static_cast<std::int32_t>(std::min<std::int64_t>(sum, 1'000'000'000));
}

}  // namespace

api::VcJob withDefaults(api::VcJob job) {
  api::VcJobSpec& spec = job.spec;
  if (spec.queue.empty()) spec.queue = names::kDefaultQueue;
  if (spec.schedulerName.empty()) spec.schedulerName = "volcano";
  if (!spec.maxRetry) spec.maxRetry = 3;
  for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
    if (spec.tasks[i].name.empty()) spec.tasks[i].name = "default" + std::to_string(i);
  }
  for (const char* framework : {"pytorch", "tensorflow", "mpi"}) {
    if (spec.plugins.contains(framework)) spec.plugins.try_emplace("svc");
  }
  if (spec.plugins.contains("mpi")) spec.plugins.try_emplace("ssh");
  return job;
}

std::int32_t taskMinimum(const api::TaskSpec& task) {
  return task.minAvailable.value_or(task.replicas);
}

std::int32_t jobMinimum(const api::VcJob& job) {
  return job.spec.minAvailable ? *job.spec.minAvailable : sumOf(job, taskMinimum);
}

std::int32_t jobReplicas(const api::VcJob& job) {
  return sumOf(job, [](const api::TaskSpec& task) { return task.replicas; });
}

std::int32_t replicasLimit(const api::VcJob& job) {
  const std::int32_t replicas = jobReplicas(job);
  const auto found = job.metadata.annotations.find(names::kReplicasLimit);
  if (found == job.metadata.annotations.end()) return replicas;
  const std::string& text = found->second;
  std::int32_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc{} || end != text.data() + text.size() || limit < 0) return replicas;
  return std::min(limit, replicas);
}

bool isSuspended(const api::VcJob& job) {
  return job.metadata.annotations.contains(names::kSuspend);
}

std::string podGroupName(const api::VcJob& job) {
  return job.metadata.name + "-" + job.metadata.uid;
}

std::string podName(const api::VcJob& job, const api::TaskSpec& task, std::int32_t index) {
  return job.metadata.name + "-" + task.name + "-" + std::to_string(index);
}

std::string hostName(const api::VcJob& job, const api::TaskSpec& task, std::int32_t index) {
  const json::object pod = parsedObject(task.templateJson);
  std::string host = api::textAt(pod, {"spec", "hostname"});
  std::string domain = api::textAt(pod, {"spec", "subdomain"});
  if (host.empty()) host = podName(job, task, index);
  if (domain.empty()) domain = job.metadata.name;
  return host + "." + domain;
}

std::vector<std::string> hostNames(const api::VcJob& job, const api::TaskSpec& task) {
  const json::object pod = parsedObject(task.templateJson);
  const std::string host = api::textAt(pod, {"spec", "hostname"});
  std::string domain = api::textAt(pod, {"spec", "subdomain"});
  if (domain.empty()) domain = job.metadata.name;
  if (!host.empty() && task.replicas > 0) return {host + "." + domain};
  std::vector<std::string> hosts;
  for (std::int32_t i = 0; i < task.replicas; ++i) hosts.push_back(podName(job, task, i) + "." + domain);
  return hosts;
}

std::size_t taskIndex(const api::VcJob& job, const std::string& name) {
  const auto found = std::ranges::find(job.spec.tasks, name, &api::TaskSpec::name);
  return static_cast<std::size_t>(found - job.spec.tasks.begin());
}

std::vector<std::size_t> tasksByPriority(const api::VcJob& job, const Priorities& priorities) {
  const auto priority = [&](std::size_t task) {
    const auto found = priorities.find(job.spec.tasks[task].template_.spec.priorityClassName);
    return found == priorities.end() ? 0 : found->second;
  };
  std::vector<std::size_t> order(job.spec.tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater{}, priority);
  return order;
}

ResourceList minResources(const api::VcJob& job, const Priorities& priorities) {
  ResourceList total;
  std::int32_t left = jobMinimum(job);
  for (const std::size_t index : tasksByPriority(job, priorities)) {
    const api::TaskSpec& task = job.spec.tasks[index];
    const std::int32_t pods = std::min(left, task.replicas);
    left -= pods;
    if (pods > 0) multiplyAdd(total, requestOf(task.template_.spec), pods);
  }
  return total;
}

}  // namespace tidegate::vcjob
