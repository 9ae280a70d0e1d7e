// For tests of the world: objects in few words, and a small brain that places gangs first-fit.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/conditions.hpp"
#include "api/names.hpp"
#include "world/sim/pod_status.hpp"
#include "world/sim/sim_world.hpp"

namespace tidegate::sim::test {

inline api::Node node(const std::string& name, std::int64_t gpus = 8) {
  api::Node it;
  it.metadata.name = name;
  it.status.allocatable = {{"nvidia.com/gpu", Quantity::ofInteger(gpus)}, {"pods", Quantity::ofInteger(110)}};
  it.status.capacity = it.status.allocatable;
  it.status.conditions = {
      {.type = "Ready", .status = "True", .reason = {}, .message = {}, .lastTransitionTime = {}}};
  return it;
}

inline api::PodTemplateSpec podTemplate(std::int64_t gpus, api::StringMap annotations = {}) {
  api::PodTemplateSpec it;
  it.metadata.annotations = std::move(annotations);
  it.spec.schedulerName = "volcano";
  it.spec.restartPolicy = "Never";
  api::Container container;
  container.name = "main";
  container.resources.limits = {{"nvidia.com/gpu", Quantity::ofInteger(gpus)}};
  it.spec.containers = {container};
  return it;
}

inline api::Pod pod(const std::string& name, std::int64_t gpus = 1, api::StringMap annotations = {}) {
  const api::PodTemplateSpec pods = podTemplate(gpus, std::move(annotations));
  api::Pod it;
  it.metadata.name = name;
  it.metadata.namespace_ = "default";
  it.metadata.annotations = pods.metadata.annotations;
  it.spec = pods.spec;
  return it;
}

inline api::Deployment deployment(const std::string& name, std::int32_t replicas, api::PodTemplateSpec pods) {
  api::Deployment it;
  it.metadata.name = name;
  it.metadata.namespace_ = "default";
  it.spec.replicas = replicas;
  pods.metadata.labels["app"] = name;
  it.spec.selector.matchLabels = {{"app", name}};
  it.spec.template_ = std::move(pods);
  return it;
}

inline api::BatchJob batchJob(const std::string& name, std::int32_t pods, api::PodTemplateSpec podTemplate) {
  api::BatchJob it;
  it.metadata.name = name;
  it.metadata.namespace_ = "default";
  it.spec.parallelism = pods;
  it.spec.completions = pods;
  it.spec.template_ = std::move(podTemplate);
  return it;
}

inline api::VcJob vcJob(const std::string& name, std::int32_t replicas, api::PodTemplateSpec pods,
                        std::vector<api::LifecyclePolicy> policies = {}) {
  api::VcJob it;
  it.metadata.name = name;
  it.metadata.namespace_ = "default";
  it.spec.schedulerName = "volcano";
  it.spec.queue = "default";
  it.spec.policies = std::move(policies);
  api::TaskSpec task;
  task.name = "worker";
  task.replicas = replicas;
  task.template_ = std::move(pods);
  it.spec.tasks = {task};
  return it;
}

inline api::LifecyclePolicy policy(const std::string& event, const std::string& action) {
  api::LifecyclePolicy it;
  it.event = event;
  it.action = action;
  return it;
}

// Binds each gang (or single pod) as soon as it fits, node by node in the order of their names.
class FirstFitBrain : public BrainPort {
 public:
  std::vector<Command> handle(const Event& event, Time now) override {
    ++events;
    if (const auto* seen = std::get_if<ObjectSeen>(&event)) note(seen->object);
    if (const auto* gone = std::get_if<ObjectGone>(&event)) {
      if (gone->ref.kind == "Pod") pods_.erase(keyOf(gone->ref.namespace_, gone->ref.name));
      if (gone->ref.kind == "Node") nodes_.erase(gone->ref.name);
      if (gone->ref.kind == "PodGroup") groups_.erase(keyOf(gone->ref.namespace_, gone->ref.name));
    }
    if (const auto* done = std::get_if<CommandDone>(&event)) {
      outcomes.push_back(done->outcome);
      if (done->outcome != Outcome::Succeeded) assumed_.erase(asked_[done->id]);
      asked_.erase(done->id);
    }
    if (std::holds_alternative<Tick>(event)) {
      waking_ = false;
      return place();
    }
    if (std::exchange(waking_, true)) return {};
    return {{++lastId_, WakeAt{now + milliseconds(10)}}};  // when a list is complete, not in the middle of it
  }
  void restart() override {
    ++restarts;
    pods_.clear();
    nodes_.clear();
    groups_.clear();
    assumed_.clear();
    asked_.clear();
    waking_ = false;
  }

  int events = 0;
  int restarts = 0;
  std::vector<Outcome> outcomes;

 private:
  void note(const api::Object& object) {
    if (const auto* it = std::get_if<api::Pod>(&object)) {
      pods_[keyOf(it->metadata)] = *it;
      if (!it->spec.nodeName.empty()) assumed_.erase(it->metadata.uid);
    }
    if (const auto* it = std::get_if<api::Node>(&object)) nodes_[it->metadata.name] = *it;
    if (const auto* it = std::get_if<api::PodGroup>(&object)) groups_[keyOf(it->metadata)] = *it;
  }

  std::map<std::string, std::int64_t> idle() const {
    std::map<std::string, std::int64_t> free;
    for (const auto& [name, node] : nodes_) {
      const api::Condition* ready = findCondition(node.status.conditions, "Ready");
      if (ready && ready->status != "True") continue;
      free[name] = node.status.allocatable.at("nvidia.com/gpu").value();
    }
    for (const auto& [key, pod] : pods_) {
      const auto assumed = assumed_.find(pod.metadata.uid);
      const std::string& on = assumed != assumed_.end() ? assumed->second : pod.spec.nodeName;
      if (!isTerminal(pod) && free.contains(on)) free[on] -= gpusOf(pod.spec);
    }
    return free;
  }

  // Pending pods by gang; single pods are gangs of their own.
  std::vector<Command> place() {
    std::map<std::string, std::vector<const api::Pod*>> gangs;
    std::map<std::string, std::size_t> standing;
    for (const auto& [key, pod] : pods_) {
      const auto group = pod.metadata.annotations.find(api::names::kGroupName);
      const std::string gang =
          group == pod.metadata.annotations.end() ? key : keyOf(pod.metadata.namespace_, group->second);
      if (pod.status.phase == "Succeeded") ++standing[gang];  // has done its part: the others may follow
      if (!isActive(pod)) continue;
      if (pod.spec.nodeName.empty() && !assumed_.contains(pod.metadata.uid)) {
        gangs[gang].push_back(&pod);
      } else {
        ++standing[gang];
      }
    }
    std::vector<Command> commands;
    for (const auto& [gang, members] : gangs) {
      const auto group = groups_.find(gang);
      const auto minimum =
          group == groups_.end() ? 1 : static_cast<std::size_t>(group->second.spec.minMember);
      if (members.size() + standing[gang] >= minimum) placeGang(members, commands);
    }
    return commands;
  }

  void placeGang(const std::vector<const api::Pod*>& members, std::vector<Command>& commands) {
    std::map<std::string, std::int64_t> free = idle();
    std::map<const api::Pod*, std::string> chosen;
    for (const api::Pod* member : members) {
      for (auto& [name, gpus] : free) {
        if (chosen.contains(member) || gpus < gpusOf(member->spec)) continue;
        gpus -= gpusOf(member->spec);
        chosen[member] = name;
      }
      if (!chosen.contains(member)) return;
    }
    for (const api::Pod* member : members) {
      const std::string& on = chosen.at(member);
      assumed_[member->metadata.uid] = on;
      asked_[++lastId_] = member->metadata.uid;
      commands.push_back(
          {lastId_, Bind{member->metadata.namespace_, member->metadata.name, member->metadata.uid, on}});
    }
  }

  std::map<std::string, api::Pod> pods_;
  std::map<std::string, api::Node> nodes_;
  std::map<std::string, api::PodGroup> groups_;
  std::map<std::string, std::string> assumed_;  // pod uid -> node
  std::map<CommandId, std::string> asked_;      // pod uid
  CommandId lastId_ = 0;
  bool waking_ = false;
};

// Exact times: nothing varies.
inline SimOptions exactOptions() {
  SimOptions options;
  options.kubelet.jitter = 0;
  options.api.requestJitter = {};
  options.api.watchJitter = {};
  return options;
}

inline std::vector<double> timesOf(const SimWorld& world, TraceKind kind, const std::string& object) {
  std::vector<double> times;
  for (const TraceEntry& entry : world.trace().entries()) {
    if (entry.kind == kind && entry.object == object) times.push_back(toSeconds(entry.at - world.start()));
  }
  return times;
}

inline std::size_t countOf(const SimWorld& world, TraceKind kind) {
  std::size_t count = 0;
  for (const TraceEntry& entry : world.trace().entries()) count += entry.kind == kind ? 1u : 0u;
  return count;
}

}  // namespace tidegate::sim::test
