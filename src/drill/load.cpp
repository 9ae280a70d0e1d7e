#include "drill/load.hpp"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "api/names.hpp"
#include "world/sim/pod_timing.hpp"

namespace tidegate::drill {
namespace {

namespace names = api::names;

constexpr const char* kNamespace = "research";
constexpr std::int64_t kCpuPerGpu = 4;
constexpr std::int64_t kMemoryPerGpu = std::int64_t{32} << 30;

// A trace's id as a part of an object's name.
std::string nameFrom(const std::string& id) {
  std::string out = "job-";
  for (const char c : id) {
    const auto letter = static_cast<unsigned char>(c);
    out += std::isalnum(letter) != 0 ? static_cast<char>(std::tolower(letter)) : '-';
  }
  return out + (out.back() == '-' ? "0" : "");
}

std::string className(int priority) {
  return fmt::format("offline-{}", priority);
}

api::Object jobFrom(const TraceJob& job, const std::string& queue) {
  api::Container container;
  container.name = "trainer";
  container.image = "registry.local/research/trace:1";
  container.resources.requests = {{"cpu", Quantity::ofInteger(kCpuPerGpu * job.gpusPerWorker)},
                                  {"memory", Quantity::ofInteger(kMemoryPerGpu * job.gpusPerWorker)},
                                  {"nvidia.com/gpu", Quantity::ofInteger(job.gpusPerWorker)}};
  api::TaskSpec task;
  task.name = "worker";
  task.replicas = job.workers;
  task.minAvailable = job.workers;
  task.template_.metadata.annotations = {{names::kCheckpointPort, "8471"},
                                         {names::kCheckpointPath, "/checkpoint"}};
  task.template_.spec.restartPolicy = "OnFailure";
  task.template_.spec.priorityClassName = className(job.priority);
  task.template_.spec.containers = {std::move(container)};
  api::VcJob out;
  out.metadata.name = nameFrom(job.id);
  out.metadata.namespace_ = kNamespace;
  out.spec.schedulerName = "volcano";
  out.spec.queue = queue;
  out.spec.priorityClassName = className(job.priority);
  out.spec.minAvailable = job.workers;
  out.spec.tasks = {std::move(task)};
  return out;
}

// Sets an annotation that is not there yet.
void propose(api::StringMap& annotations, const char* name, const std::string& value) {
  annotations.try_emplace(name, value);
}

std::string secondsText(Duration d) {
  return fmt::format("{:.3f}", toSeconds(d));
}

void giveBehaviour(api::VcJob& job, const Timings& timings, Rng rng) {
  const Duration run = seconds(rng.between(80 * 60, 180 * 60));
  const Duration interval = seconds(rng.between(300, 1800));
  const Duration drawnSave = milliseconds(rng.between(2000, 8000));
  const Duration drawnStop = milliseconds(rng.between(500, 2000));
  const Duration save = timings.checkpoint.value_or(drawnSave);
  const Duration stop = timings.stop.value_or(drawnStop);

  api::StringMap& declared = job.metadata.annotations;
  propose(declared, names::kCheckpointInterval, formatDuration(interval));
  propose(declared, names::kCheckpointDuration, formatDuration(save));
  propose(declared, names::kStopDuration, formatDuration(stop + seconds(1)));  // with the devices' teardown
  for (api::TaskSpec& task : job.spec.tasks) {
    api::StringMap& pod = task.template_.metadata.annotations;
    propose(pod, names::kCheckpointInterval, declared[names::kCheckpointInterval]);
    propose(pod, sim::annotations::kCheckpoint, secondsText(save));
    propose(pod, sim::annotations::kStop, secondsText(stop));
    propose(pod, sim::annotations::kRun, secondsText(run));
  }
}

}  // namespace

std::vector<api::Object> jobsFromTrace(const std::vector<TraceJob>& jobs, const std::string& queue) {
  std::vector<api::Object> out;
  std::set<int> priorities;
  for (const TraceJob& job : jobs) priorities.insert(job.priority);
  for (const int priority : priorities) {
    api::PriorityClass object;
    object.metadata.name = className(priority);
    object.value = priority;
    out.emplace_back(std::move(object));
  }
  for (const TraceJob& job : jobs) out.push_back(jobFrom(job, queue));
  return out;
}

void redirect(std::vector<api::Object>& load, const std::string& queue) {
  for (api::Object& object : load) {
    if (auto* job = std::get_if<api::VcJob>(&object)) job->spec.queue = queue;
    if (auto* deployment = std::get_if<api::Deployment>(&object)) {
      deployment->spec.template_.metadata.annotations[names::kQueueName] = queue;
    }
  }
}

std::vector<Submission> scheduleLoad(std::vector<api::Object> load, const Timings& timings, Rng rng) {
  std::vector<Submission> out;
  const auto count = static_cast<std::int64_t>(load.size());
  for (api::Object& object : load) {
    const auto position = static_cast<std::int64_t>(out.size());
    Rng own = rng.split(static_cast<std::uint64_t>(position));
    if (auto* job = std::get_if<api::VcJob>(&object)) giveBehaviour(*job, timings, own);
    out.push_back({.at = kFillTime * position / count, .object = std::move(object)});
  }
  return out;
}

}  // namespace tidegate::drill
