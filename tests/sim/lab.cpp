#include "lab.hpp"

#include <fmt/format.h>

#include <set>

#include "api/names.hpp"
#include "core/error.hpp"

namespace tidegate::lab {

namespace names = api::names;

namespace {

constexpr const char* kGpu = "nvidia.com/gpu";

ResourceList gpuList(std::int64_t gpus) {
  return {{kGpu, Quantity::ofInteger(gpus)}};
}

api::Node nodeOf(std::int32_t index, std::int64_t gpus) {
  api::Node node;
  node.metadata.name = fmt::format("n{}", index + 1);
  node.status.allocatable = gpuList(gpus);
  node.status.allocatable["pods"] = Quantity::ofInteger(110);
  node.status.capacity = node.status.allocatable;
  return node;
}

api::Queue queueOf(const QueueShape& shape) {
  api::Queue queue;
  queue.metadata.name = shape.name;
  if (shape.guarantee > 0) queue.spec.guarantee.resource = gpuList(shape.guarantee);
  if (shape.deserved > 0) queue.spec.deserved = gpuList(shape.deserved);
  if (shape.capability > 0) queue.spec.capability = gpuList(shape.capability);
  return queue;
}

api::PodTemplateSpec templateOf(const JobShape& job) {
  api::PodTemplateSpec made;
  made.metadata.annotations = job.annotations;
  made.metadata.annotations[names::kQueueName] = job.queue;
  made.metadata.labels["app"] = job.name;
  api::Container container;
  container.name = "main";
  container.image = "train";
  container.resources.requests = gpuList(job.gpus);
  made.spec.containers.push_back(container);
  made.spec.schedulerName = "tidegate";
  made.spec.priorityClassName = job.priority;
  made.spec.terminationGracePeriodSeconds = static_cast<std::int64_t>(job.grace);
  return made;
}

api::VcJob vcJobOf(const JobShape& shape) {
  api::VcJob job;
  job.spec.queue = shape.queue;
  job.spec.minAvailable = shape.minimum == 0 ? shape.pods : shape.minimum;
  job.spec.maxRetry = shape.maxRetry;
  job.spec.priorityClassName = shape.priority;
  job.spec.schedulerName = "tidegate";
  job.spec.ttlSecondsAfterFinished = shape.ttl;
  if (!shape.onEviction.empty())
    job.spec.policies = {
        {.action = shape.onEviction, .event = "PodEvicted", .events = {}, .exitCode = {}, .timeout = {}}};
  job.spec.tasks.resize(1);
  job.spec.tasks[0].name = "worker";
  job.spec.tasks[0].replicas = shape.pods;
  job.spec.tasks[0].minAvailable = job.spec.minAvailable;
  job.spec.tasks[0].template_ = templateOf(shape);
  return job;
}

api::BatchJob batchJobOf(const JobShape& shape) {
  api::BatchJob job;
  job.spec.parallelism = shape.pods;
  job.spec.completions = shape.pods;
  job.spec.template_ = templateOf(shape);
  return job;
}

api::Deployment deploymentOf(const JobShape& shape) {
  api::Deployment deployment;
  deployment.spec.replicas = shape.pods;
  deployment.spec.selector.matchLabels["app"] = shape.name;
  deployment.spec.template_ = templateOf(shape);
  return deployment;
}

template <class T>
T named(T object, const std::string& name) {
  object.metadata.name = name;
  object.metadata.namespace_ = "default";
  return object;
}

std::vector<api::Object> objectsOf(const JobShape& job) {
  switch (job.kind) {
    case Kind::VcJob:
      return {named(vcJobOf(job), job.name)};
    case Kind::BatchJob:
      return {named(batchJobOf(job), job.name)};
    case Kind::Deployment:
      return {named(deploymentOf(job), job.name)};
    case Kind::BarePods:
      break;
  }
  std::vector<api::Object> pods;
  for (std::int32_t i = 0; i < job.pods; ++i) {
    const api::PodTemplateSpec made = templateOf(job);
    pods.push_back(named(api::Pod{.metadata = made.metadata, .spec = made.spec, .status = {}},
                         fmt::format("{}-{}", job.name, i)));
  }
  return pods;
}

bool belongsTo(const std::string& key, const std::string& job) {
  return key == "default/" + job || key.starts_with("default/" + job + "-");
}

bool alive(const api::Pod& pod) {
  return pod.status.phase != "Succeeded" && pod.status.phase != "Failed";
}

template <class T>
std::vector<T> listOf(const sim::SimWorld& world) {
  std::vector<T> found;
  for (const auto& object : world.store().all<T>()) found.push_back(*object);
  return found;
}

}  // namespace

api::StringMap saves(double takes) {
  return {{names::kCheckpointPort, "8080"},
          {names::kCheckpointDuration, fmt::format("{}ms", static_cast<int>(takes * 1000))},
          {"sim.tidegate.dev/checkpoint-seconds", fmt::format("{}", takes)}};
}

api::StringMap runs(double seconds, api::StringMap more) {
  more["sim.tidegate.dev/run-seconds"] = fmt::format("{}", seconds);
  return more;
}

BrainOptions LabOptions::quickBrain() {
  BrainOptions options;
  options.policy.minRuntime = seconds(0);
  return options;
}

LabOptions lentNodes(std::int32_t nodes, std::int64_t guarantee) {
  LabOptions options{.nodes = nodes, .gpus = 4, .queues = {}};
  options.queues = {{.name = "a", .guarantee = guarantee, .deserved = guarantee},
                    {.name = "b", .capability = 64}};
  return options;
}

JobShape claim(std::int32_t pods) {
  return {
      .name = "claim", .queue = "a", .pods = pods, .gpus = 4, .priority = "high", .annotations = runs(40)};
}

Lab::Lab(LabOptions options) : brain_(options.brain), world_(options.sim, &brain_), invariants_(world_) {
  const std::vector<std::pair<const char*, int>> priorities = {
      {"low", 10}, {"mid", 50}, {"high", 100}, {"top", 1000}};
  for (const auto& [name, value] : priorities) {
    api::PriorityClass priority;
    priority.metadata.name = name;
    priority.value = value;
    create(priority);
  }
  for (std::int32_t i = 0; i < options.nodes; ++i) create(nodeOf(i, options.gpus));
  for (const auto& queue : options.queues) create(queueOf(queue));
  run(0.2);
}

void Lab::create(api::Object object) {
  const auto answer = world_.api().create(std::move(object));
  TIDEGATE_CHECK(answer.ok(), answer.message);
}

void Lab::submit(const JobShape& job) {
  for (auto& object : objectsOf(job)) create(std::move(object));
}

void Lab::submitAt(double t, const JobShape& job) {
  for (auto& object : objectsOf(job)) world_.createAt(fromSeconds(t), std::move(object));
}

void Lab::remove(const JobShape& job) {
  for (const auto& object : objectsOf(job)) world_.api().remove(api::refOf(object));
}

void Lab::scale(const std::string& deployment, std::int32_t replicas) {
  world_.api().modify<api::Deployment>("default/" + deployment, "",
                                       [&](api::Deployment& it) { it.spec.replicas = replicas; });
}

void Lab::deletePod(const std::string& name, double grace) {
  api::ObjectRef ref{
      .kind = api::Pod::kKind, .apiVersion = api::Pod::kApiVersion, .namespace_ = "default", .name = name};
  world_.api().remove(ref, {.uid = {}, .graceSeconds = static_cast<std::int64_t>(grace)});
}

bool Lab::runUntil(const std::function<bool()>& holds, double within) {
  return world_.runUntil([&](const sim::SimWorld&) { return holds(); },
                         world_.elapsed() + fromSeconds(within));
}

std::int32_t Lab::running(const std::string& job) const {
  std::int32_t count = 0;
  for (const auto& pod : listOf<api::Pod>(world_)) {
    count += belongsTo(keyOf(pod.metadata), job) && pod.status.phase == "Running" &&
             !pod.metadata.deletionTimestamp;
  }
  return count;
}

std::int32_t Lab::existing(const std::string& job) const {
  std::int32_t count = 0;
  for (const auto& pod : listOf<api::Pod>(world_)) count += belongsTo(keyOf(pod.metadata), job) && alive(pod);
  return count;
}

std::int64_t Lab::gpusHeld() const {
  std::int64_t gpus = 0;
  for (const auto& pod : listOf<api::Pod>(world_)) {
    if (pod.spec.nodeName.empty() || !alive(pod)) continue;
    gpus += pod.spec.containers[0].resources.requests.at(kGpu).value();
  }
  return gpus;
}

api::VcJob Lab::vcjob(const std::string& name) const {
  const auto job = world_.store().find<api::VcJob>("default/" + name);
  TIDEGATE_CHECK(job != nullptr, "no vcjob " + name);
  return *job;
}

bool Lab::suspended(const std::string& name) const {
  return vcjob(name).metadata.annotations.contains(names::kSuspend);
}

std::vector<api::Recall> Lab::recalls() const {
  return listOf<api::Recall>(world_);
}

bool Lab::bound(const std::string& name) const {
  const auto pod = world_.store().find<api::Pod>("default/" + name);
  return pod != nullptr && !pod->spec.nodeName.empty();
}

std::int32_t Lab::evicted(const std::string& job) const {
  std::set<std::string> uids;
  for (const auto& entry : world_.trace().entries()) {
    if (entry.kind == sim::TraceKind::PodTerminating && belongsTo(entry.object, job)) uids.insert(entry.uid);
  }
  return static_cast<std::int32_t>(uids.size());
}

std::int32_t Lab::evictedInAll() const {
  std::set<std::string> uids;
  for (const auto& entry : world_.trace().entries()) {
    if (entry.kind == sim::TraceKind::PodTerminating) uids.insert(entry.uid);
  }
  return static_cast<std::int32_t>(uids.size());
}

std::vector<double> Lab::times(sim::TraceKind kind, const std::string& job) const {
  std::vector<double> found;
  for (const auto& entry : world_.trace().entries()) {
    if (entry.kind == kind && belongsTo(entry.object, job))
      found.push_back(toSeconds(entry.at - world_.start()));
  }
  return found;
}

}  // namespace tidegate::lab
