#include "drill/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.hpp"
#include "world/sim/pod_timing.hpp"

namespace tidegate::drill {
namespace {

namespace names = api::names;

constexpr const char* kPriorityClass = "online-critical";
constexpr std::int32_t kPriority = 100000;
constexpr std::int64_t kGi = std::int64_t{1} << 30;

api::PodSpec servingPod(const DrillOptions& options, const char* restartPolicy) {
  api::Container container;
  container.name = "server";
  container.image = "registry.local/promo/ranker:1";
  const int gpus = options.shape.gpusPerPod;
  container.resources.requests = {{"cpu", Quantity::ofInteger(4 * gpus)},
                                  {"memory", Quantity::ofInteger(32 * kGi * gpus)},
                                  {"nvidia.com/gpu", Quantity::ofInteger(gpus)}};
  api::PodSpec spec;
  spec.schedulerName = "volcano";
  spec.priorityClassName = kPriorityClass;
  spec.terminationGracePeriodSeconds = 30;
  spec.restartPolicy = restartPolicy;
  spec.containers = {std::move(container)};
  return spec;
}

// Start and ready together take Timings::ready.
api::StringMap servingAnnotations(const DrillOptions& options) {
  const double half = toSeconds(options.timings.ready) / 2;
  return {{sim::annotations::kStart, fmt::format("{:.3f}", half)},
          {sim::annotations::kReady, fmt::format("{:.3f}", half)}};
}

api::Object burstGang(const DrillOptions& options, const std::string& queue) {
  api::PodGroup group;
  group.metadata.name = kBurstName;
  group.metadata.namespace_ = kOnlineNamespace;
  group.spec.queue = queue;
  group.spec.minMember = options.shape.pods;
  group.spec.priorityClassName = kPriorityClass;
  return group;
}

api::Object burstJob(const DrillOptions& options) {
  api::BatchJob job;
  job.metadata.name = kBurstName;
  job.metadata.namespace_ = kOnlineNamespace;
  job.spec.parallelism = options.shape.pods;
  job.spec.completions = options.shape.pods;
  job.spec.template_.metadata.annotations = servingAnnotations(options);
  job.spec.template_.metadata.annotations[names::kGroupName] = kBurstName;
  job.spec.template_.spec = servingPod(options, "Never");
  return job;
}

api::Object burstPod(const DrillOptions& options, const std::string& queue, int index) {
  api::Pod pod;
  pod.metadata.name = fmt::format("{}-{}", kBurstName, index);
  pod.metadata.namespace_ = kOnlineNamespace;
  pod.metadata.annotations = servingAnnotations(options);
  pod.metadata.annotations[names::kQueueName] = queue;
  pod.spec = servingPod(options, "Always");
  return pod;
}

}  // namespace

std::vector<api::Object> makeNodes(const DrillOptions& options) {
  std::vector<api::Object> out;
  const auto width = std::to_string(options.nodes).size();
  for (int i = 1; i <= options.nodes; ++i) {
    api::Node node;
    node.metadata.name = fmt::format("gpu-{:0{}}", i, width);
    node.metadata.labels = {{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"}};
    node.status.allocatable = {{"cpu", Quantity::ofInteger(16 * options.gpusPerNode)},
                               {"memory", Quantity::ofInteger(128 * kGi * options.gpusPerNode)},
                               {"nvidia.com/gpu", Quantity::ofInteger(options.gpusPerNode)},
                               {"pods", Quantity::ofInteger(110)}};
    node.status.capacity = node.status.allocatable;
    api::Condition ready;
    ready.type = "Ready";
    ready.status = "True";
    node.status.conditions = {ready};
    out.emplace_back(std::move(node));
  }
  return out;
}

int onlineReplicas(const DrillOptions& options) {
  return options.onlineGpus / options.shape.gpusPerPod;
}

std::vector<api::Object> makeOnline(const DrillOptions& options, const std::string& queue) {
  api::PriorityClass priority;
  priority.metadata.name = kPriorityClass;
  priority.value = kPriority;
  api::Deployment online;
  online.metadata.name = kOnlineDeployment;
  online.metadata.namespace_ = kOnlineNamespace;
  online.spec.replicas = onlineReplicas(options);
  online.spec.selector.matchLabels = {{"app", kOnlineDeployment}};
  online.spec.template_.metadata.labels = {{"app", kOnlineDeployment}};
  online.spec.template_.metadata.annotations = servingAnnotations(options);
  online.spec.template_.metadata.annotations[names::kQueueName] = queue;
  online.spec.template_.spec = servingPod(options, "Always");
  return {std::move(priority), std::move(online)};
}

std::vector<api::Object> makeBurst(const DrillOptions& options, const std::string& queue) {
  if (options.burst == BurstKind::Job) return {burstGang(options, queue), burstJob(options)};
  std::vector<api::Object> out;
  if (options.burst == BurstKind::Deployment) return out;
  for (int i = 0; i < options.shape.pods; ++i) out.push_back(burstPod(options, queue, i));
  return out;
}

}  // namespace tidegate::drill
