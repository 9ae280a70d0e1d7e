// What a vcjob makes: its PodGroup and its pods.
#include <algorithm>
#include <charconv>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"
#include "world/sim/vcjob_controller.hpp"

namespace tidegate::sim {

namespace {

namespace names = api::names;

const std::string* annotation(const api::StringMap& annotations, const char* name) {
  const auto found = annotations.find(name);
  return found == annotations.end() ? nullptr : &found->second;
}

void multiplyAdd(ResourceList& total, const ResourceList& request, std::int32_t times) {
  for (const auto& [name, quantity] : request) {
    total[name] = Quantity::ofMilli(total[name].milliValue() + quantity.milliValue() * times);
  }
}

// The least the gang needs: its minimum of pods, tasks in their order.
ResourceList minResources(const api::VcJob& job) {
  ResourceList total;
  std::int32_t left = jobMinimum(job);
  for (const api::TaskSpec& task : job.spec.tasks) {
    const std::int32_t pods = std::min(left, task.replicas);
    left -= pods;
    for (const api::Container& container : task.template_.spec.containers) {
      ResourceList request = container.resources.requests;
      request.insert(container.resources.limits.begin(), container.resources.limits.end());
      multiplyAdd(total, request, pods);
    }
  }
  return total;
}

}  // namespace

std::string podGroupName(const api::VcJob& job) {
  return job.metadata.name + "-" + job.metadata.uid;
}

std::int32_t replicasLimit(const api::VcJob& job) {
  const std::int32_t replicas = jobReplicas(job);
  const std::string* text = annotation(job.metadata.annotations, names::kReplicasLimit);
  if (!text) return replicas;
  std::int32_t limit = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error != std::errc{} || end != text->data() + text->size() || limit < 0) return replicas;
  return std::min(limit, replicas);
}

void VcJobController::ensureGroup(const api::VcJob& job) {
  const std::string name = podGroupName(job);
  if (api().store().find<api::PodGroup>(keyOf(job.metadata.namespace_, name))) return;
  api::PodGroup group;
  group.metadata.name = name;
  group.metadata.namespace_ = job.metadata.namespace_;
  group.metadata.labels = job.metadata.labels;
  group.metadata.annotations = job.metadata.annotations;
  group.metadata.annotations.erase(names::kSuspend);
  group.metadata.annotations.erase(names::kReplicasLimit);
  group.metadata.ownerReferences = {controlledBy(job)};
  group.spec.minMember = jobMinimum(job);
  for (const api::TaskSpec& task : job.spec.tasks) group.spec.minTaskMember[task.name] = taskMinimum(task);
  group.spec.queue = job.spec.queue.empty() ? names::kDefaultQueue : job.spec.queue;
  group.spec.priorityClassName = job.spec.priorityClassName;
  group.spec.minResources = minResources(job);
  group.status.phase = "Pending";
  api().create(std::move(group));
}

void VcJobController::createPods(Memory& memory, const api::VcJob& job) {
  const std::vector<PodPtr> pods = api().store().podsOwnedBy(job.metadata.uid);
  const auto limit = replicasLimit(job);
  auto living = static_cast<std::int32_t>(
      std::ranges::count_if(pods, [](const PodPtr& pod) { return !isTerminating(*pod); }));
  for (std::size_t index = 0; index < job.spec.tasks.size(); ++index) {
    const api::TaskSpec& task = job.spec.tasks[index];
    for (std::int32_t i = 0; i < task.replicas && living < limit; ++i) {
      const std::string name = job.metadata.name + "-" + task.name + "-" + std::to_string(i);
      if (api().store().find<api::Pod>(keyOf(job.metadata.namespace_, name))) continue;
      const PodPtr pod = createPod(services_, makePod(job, task, name));
      if (!pod) continue;
      memory.living.emplace(pod->metadata.uid, index);
      ++living;
    }
  }
}

api::Pod VcJobController::makePod(const api::VcJob& job, const api::TaskSpec& task,
                                  const std::string& name) const {
  api::Pod pod = podFrom(task.template_, job.metadata.namespace_, name, controlledBy(job));
  api::StringMap& labels = pod.metadata.labels;
  labels[names::kJobName] = job.metadata.name;
  labels[names::kTaskSpec] = task.name;
  api::StringMap& annotations = pod.metadata.annotations;
  annotations[names::kGroupName] = podGroupName(job);
  annotations[names::kTaskSpec] = task.name;
  annotations[names::kJobName] = job.metadata.name;
  if (pod.spec.schedulerName.empty()) {
    pod.spec.schedulerName = job.spec.schedulerName.empty() ? "volcano" : job.spec.schedulerName;
  }
  if (pod.spec.priorityClassName.empty()) pod.spec.priorityClassName = job.spec.priorityClassName;
  const auto group =
      services_.api.store().find<api::PodGroup>(keyOf(job.metadata.namespace_, podGroupName(job)));
  const std::string* checkpoint = annotation(job.metadata.annotations, names::kLastCheckpoint);
  if (!checkpoint && group) checkpoint = annotation(group->metadata.annotations, names::kLastCheckpoint);
  if (checkpoint) {
    annotations[names::kLastCheckpoint] = *checkpoint;
    for (api::Container& container : pod.spec.containers) {
      container.env.push_back({.name = names::kResumeFromEnv, .value = *checkpoint});
    }
  }
  return pod;
}

// The scheduler's and the controller's part of a PodGroup's status in one.
void VcJobController::writeGroupStatus(const api::VcJob& job, const api::VcJobStatus& status) {
  const std::string key = keyOf(job.metadata.namespace_, podGroupName(job));
  api().modify<api::PodGroup>(key, "", [&](api::PodGroup& group) {
    group.status.running = status.running;
    group.status.succeeded = status.succeeded;
    group.status.failed = status.failed;
    const bool enough = status.running + status.succeeded >= group.spec.minMember;
    if (status.state.phase == vcjob_phase::kCompleted) {
      group.status.phase = "Completed";
    } else if (enough) {
      group.status.phase = "Running";
    } else {
      group.status.phase = status.pending + status.running > 0 ? "Inqueue" : "Pending";
    }
  });
}

}  // namespace tidegate::sim
