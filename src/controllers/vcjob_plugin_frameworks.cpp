// The pytorch, tensorflow and mpi plugins: how a distributed program learns who it is and who the others are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "controllers/vcjob_plugins.hpp"
#include "controllers/vcjob_spec.hpp"

namespace tidegate::vcjob {

namespace {

PluginArguments argumentsOf(const PodPlace& place, const char* plugin) {
  return PluginArguments(place.job.spec.plugins.at(plugin));
}

const api::TaskSpec& taskOf(const PodPlace& place) {
  return place.job.spec.tasks[place.task];
}

const api::TaskSpec* findTask(const api::VcJob& job, const std::string& name) {
  const std::size_t index = taskIndex(job, name);
  return index < job.spec.tasks.size() ? &job.spec.tasks[index] : nullptr;
}

// Holds a worker back until its master listens, or the time is over.
json::object waitForMaster(const PluginArguments& arguments, const std::string& master, int port) {
  const int timeout = arguments.number("wait-master-timeout", 300);
  const std::string script = fmt::format(
      "left={}; until nc -z {} {}; do left=$((left - 2)); [ $left -gt 0 ] || exit 1; sleep 2; done", timeout,
      master, port);
  json::object container{{"name", "wait-for-master"}};
  container["image"] = arguments.text("wait-master-image", "busybox:1.36.1");
  container["command"] = json::array{"sh", "-c", script};
  return container;
}

using Names = std::vector<std::pair<std::string, std::string>>;  // role -> name of its task

Names tensorflowRoles(const PluginArguments& arguments) {
  Names roles;
  for (const char* role : {"ps", "worker", "chief", "evaluator"}) {
    roles.emplace_back(role, arguments.text(role, role));
  }
  return roles;
}

json::object clusterOf(const api::VcJob& job, const Names& roles, int port) {
  json::object cluster;
  for (const auto& [role, name] : roles) {
    const api::TaskSpec* task = findTask(job, name);
    if (task == nullptr || task->replicas == 0) continue;
    json::array hosts;
    for (std::int32_t i = 0; i < task->replicas; ++i) {
      hosts.push_back(json::string(fmt::format("{}:{}", hostName(job, *task, i), port)));
    }
    cluster[role] = std::move(hosts);
  }
  return cluster;
}

}  // namespace

void applyPytorch(json::object& pod, const PodPlace& place) {
  const PluginArguments arguments = argumentsOf(place, "pytorch");
  const std::string masterName = arguments.text("master", "master");
  const std::string workerName = arguments.text("worker", "worker");
  const int port = arguments.number("port", 23456);
  const api::TaskSpec* master = findTask(place.job, masterName);
  if (master == nullptr) return;
  const api::TaskSpec* worker = findTask(place.job, workerName);
  const std::string address = hostName(place.job, *master, 0);
  const std::int32_t world = master->replicas + (worker != nullptr ? worker->replicas : 0);
  const bool isWorker = taskOf(place).name == workerName;
  for (json::value& it : containersOf(pod, "containers")) {
    json::object& container = it.get_object();
    openPort(container, "pytorchjob-port", port);
    addEnv(container, "MASTER_ADDR", address);
    addEnv(container, "MASTER_PORT", std::to_string(port));
    addEnv(container, "WORLD_SIZE", std::to_string(world));
    if (isWorker) addEnv(container, "RANK", std::to_string(place.index + 1));
    if (taskOf(place).name == masterName) addEnv(container, "RANK", "0");
  }
  if (isWorker && arguments.flag("wait-master-enabled")) {
    containersOf(pod, "initContainers").push_back(waitForMaster(arguments, address, port));
  }
}

void applyTensorflow(json::object& pod, const PodPlace& place) {
  const api::VcJob& job = place.job;
  if (job.spec.tasks.size() == 1 && job.spec.tasks[0].replicas == 1) return;  // stands alone
  const PluginArguments arguments = argumentsOf(place, "tensorflow");
  const Names roles = tensorflowRoles(arguments);
  std::string type = taskOf(place).name;
  for (const auto& [role, name] : roles) {
    if (name == taskOf(place).name) type = role;
  }
  const json::object config{{"cluster", clusterOf(job, roles, arguments.number("port", 2222))},
                            {"task", json::object{{"type", type}, {"index", place.index}}}};
  for (json::value& it : containersOf(pod, "containers")) addEnv(it.get_object(), "TF_CONFIG", text(config));
}

void applyMpi(json::object& pod, const PodPlace& place) {
  const PluginArguments arguments = argumentsOf(place, "mpi");
  const int port = arguments.number("port", 22);
  const api::TaskSpec* worker = findTask(place.job, arguments.text("worker", "worker"));
  const bool isMaster = taskOf(place).name == arguments.text("master", "master");
  for (const char* list : {"initContainers", "containers"}) {
    if (!objectAt(pod, "spec").contains(list)) continue;
    for (json::value& it : containersOf(pod, list)) {
      openPort(it.get_object(), "mpijob-port", port);
      if (!isMaster || worker == nullptr) continue;
      addEnv(it.get_object(), "MPI_HOST", fmt::format("{}", fmt::join(hostNames(place.job, *worker), ",")));
    }
  }
}

}  // namespace tidegate::vcjob
