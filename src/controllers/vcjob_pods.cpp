#include "controllers/vcjob_pods.hpp"

#include <array>

#include "api/names.hpp"
#include "api/write.hpp"

namespace tidegate::vcjob {
namespace names = api::names;

namespace {

// Annotations of the job that its pods are judged by; the pod template's own come first.
constexpr std::array<const char*, 3> kInherited = {names::kPreemptable, names::kCooldownTime,
                                                   "volcano.sh/revocable-zone"};

json::object templateOf(const api::TaskSpec& task) {
  if (!task.templateJson.empty()) return parsedObject(task.templateJson);
  api::Pod pod;
  pod.metadata = task.template_.metadata;
  pod.spec = task.template_.spec;
  return parsedObject(api::toJson(pod));
}

std::string claimName(const api::VcJob& job, std::size_t volume) {
  const std::string& given = job.spec.volumes[volume].volumeClaimName;
  return given.empty() ? job.metadata.name + "-volume-" + std::to_string(volume) : given;
}

void label(json::object& metadata, const PodPlace& place) {
  const api::VcJob& job = place.job;
  json::object& labels = objectAt(metadata, "labels");
  labels[names::kJobName] = job.metadata.name;
  labels["volcano.sh/job-namespace"] = job.metadata.namespace_;
  labels[names::kTaskSpec] = job.spec.tasks[place.task].name;
  labels["volcano.sh/task-index"] = std::to_string(place.index);
  labels["volcano.sh/queue-name"] = job.spec.queue;
}

void annotate(json::object& metadata, const PodPlace& place, const PodMaking& making) {
  const api::VcJob& job = place.job;
  const std::string& task = job.spec.tasks[place.task].name;
  json::object& annotations = objectAt(metadata, "annotations");
  annotations[names::kGroupName] = podGroupName(job);
  annotations[names::kGroupNameVolcano] = podGroupName(job);
  annotations[names::kJobName] = job.metadata.name;
  annotations[names::kTaskSpec] = task;
  annotations["volcano.sh/task-index"] = std::to_string(place.index);
  annotations["volcano.sh/queue-name"] = job.spec.queue;
  annotations["volcano.sh/job-version"] = std::to_string(making.version);
  annotations["volcano.sh/job-retry-count"] = std::to_string(making.retryCount);
  annotations["volcano.sh/template-uid"] = job.metadata.name + "-" + task;
  for (const char* name : kInherited) {
    const auto found = job.metadata.annotations.find(name);
    if (found != job.metadata.annotations.end() && !annotations.contains(name)) {
      annotations[name] = found->second;
    }
  }
  if (!making.checkpoint.empty()) annotations[names::kLastCheckpoint] = making.checkpoint;
}

void mountVolumes(json::object& pod, const api::VcJob& job) {
  for (std::size_t i = 0; i < job.spec.volumes.size(); ++i) {
    const std::string claim = claimName(job, i);
    addVolume(pod, {{"name", claim}, {"persistentVolumeClaim", json::object{{"claimName", claim}}}});
    for (json::value& container : containersOf(pod, "containers")) {
      arrayAt(container.get_object(), "volumeMounts")
          .push_back(json::object{{"name", claim}, {"mountPath", job.spec.volumes[i].mountPath}});
    }
  }
}

json::object tierLimits(const api::NetworkTopology& topology) {
  json::object out;
  if (!topology.mode.empty()) out["mode"] = topology.mode;
  if (topology.highestTierAllowed) out["highestTierAllowed"] = *topology.highestTierAllowed;
  if (!topology.highestTierName.empty()) out["highestTierName"] = topology.highestTierName;
  return out;
}

json::object minima(const api::VcJob& job) {
  json::object out;
  for (const api::TaskSpec& task : job.spec.tasks) out[task.name] = taskMinimum(task);
  return out;
}

// Of the job's annotations all that are not about the job's own state.
json::object groupAnnotations(const api::VcJob& job) {
  json::object out = toJson(job.metadata.annotations);
  for (const char* name :
       {names::kSuspend, names::kReplicasLimit, "kubectl.kubernetes.io/last-applied-configuration"}) {
    out.erase(name);
  }
  return out;
}

}  // namespace

Create makePod(const PodPlace& place, const PodMaking& making) {
  const api::VcJob& job = place.job;
  const api::TaskSpec& task = job.spec.tasks[place.task];
  const std::string name = podName(job, task, place.index);
  json::object pod = templateOf(task);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  json::object& metadata = objectAt(pod, "metadata");
  metadata["name"] = name;
  metadata["namespace"] = job.metadata.namespace_;
  metadata["ownerReferences"] = json::array{ownerReference(job)};
  label(metadata, place);
  annotate(metadata, place, making);
  json::object& spec = objectAt(pod, "spec");
  if (!spec.contains("schedulerName")) spec["schedulerName"] = job.spec.schedulerName;
  if (!spec.contains("priorityClassName") && !job.spec.priorityClassName.empty()) {
    spec["priorityClassName"] = job.spec.priorityClassName;
  }
  mountVolumes(pod, job);
  applyPlugins(pod, place);
  if (!making.checkpoint.empty()) addEnvToAll(pod, names::kResumeFromEnv, making.checkpoint);
  return {.target = {.kind = "Pod", .apiVersion = "v1", .namespace_ = job.metadata.namespace_, .name = name},
          .json = text(pod)};
}

Create makePodGroup(const api::VcJob& job, const Priorities& priorities, const std::string& queue) {
  json::object spec{{"minMember", jobMinimum(job)},
                    {"minTaskMember", minima(job)},
                    {"queue", queue},
                    {"minResources", toJson(minResources(job, priorities))}};
  if (!job.spec.priorityClassName.empty()) spec["priorityClassName"] = job.spec.priorityClassName;
  if (job.spec.networkTopology) spec["networkTopology"] = tierLimits(*job.spec.networkTopology);
  const Owned owned{
      .apiVersion = api::PodGroup::kApiVersion, .kind = api::PodGroup::kKind, .name = podGroupName(job)};
  json::object group = ownedObject(job, owned);
  json::object& metadata = objectAt(group, "metadata");
  metadata["labels"] = toJson(job.metadata.labels);
  metadata["annotations"] = groupAnnotations(job);
  group["spec"] = std::move(spec);
  return createOwned(job, owned, group);
}

std::optional<std::string> podGroupChange(const api::VcJob& job, const api::PodGroup& group,
                                          const Priorities& priorities) {
  json::object spec;
  std::map<std::string, std::int32_t> tasks;
  for (const api::TaskSpec& task : job.spec.tasks) tasks[task.name] = taskMinimum(task);
  const ResourceList resources = minResources(job, priorities);
  if (group.spec.minMember != jobMinimum(job)) spec["minMember"] = jobMinimum(job);
  if (group.spec.minTaskMember != tasks) spec["minTaskMember"] = minima(job);
  if (group.spec.minResources != resources) spec["minResources"] = toJson(resources);
  if (group.spec.priorityClassName != job.spec.priorityClassName) {
    spec["priorityClassName"] = job.spec.priorityClassName;
  }
  if (spec.empty()) return std::nullopt;
  return text({{"spec", std::move(spec)}});
}

std::vector<Create> volumeClaims(const api::VcJob& job) {
  std::vector<Create> claims;
  for (std::size_t i = 0; i < job.spec.volumes.size(); ++i) {
    const std::string& claim = job.spec.volumes[i].volumeClaimJson;
    if (claim.empty()) continue;
    const Owned owned{.apiVersion = "v1", .kind = "PersistentVolumeClaim", .name = claimName(job, i)};
    claims.push_back(createOwned(job, owned, {{"spec", parsedObject(claim)}}));
  }
  return claims;
}

}  // namespace tidegate::vcjob
