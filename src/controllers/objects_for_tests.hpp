// Objects for tests of controllers.
#pragma once

#include <string>

#include "api/names.hpp"
#include "api/objects.hpp"

namespace tidegate::controllers::test {

inline api::Queue queueOf(const std::string& name, const std::string& parent = "") {
  api::Queue queue;
  queue.metadata.name = name;
  queue.spec.parent = parent;
  return queue;
}

inline api::PodGroup groupOf(const std::string& name, const std::string& queue,
                             const std::string& phase = "Running") {
  api::PodGroup group;
  group.metadata.name = name;
  group.metadata.namespace_ = "ns";
  group.spec.queue = queue;
  group.spec.minMember = 1;
  group.status.phase = phase;
  return group;
}

// A pod that asks for GPUs; bound to a node and running if one is given.
inline api::Pod podOf(const std::string& name, const std::string& group, const std::string& node = "",
                      std::int64_t gpus = 1) {
  api::Pod pod;
  pod.metadata.name = name;
  pod.metadata.namespace_ = "ns";
  if (!group.empty()) pod.metadata.annotations[api::names::kGroupName] = group;
  pod.spec.schedulerName = "volcano";
  pod.spec.nodeName = node;
  api::Container container;
  container.name = "main";
  container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
  pod.spec.containers.push_back(container);
  pod.status.phase = node.empty() ? "Pending" : "Running";
  return pod;
}

inline api::BusCommand commandFor(const std::string& name, const std::string& queue,
                                  const std::string& action) {
  api::BusCommand command;
  command.metadata.name = name;
  command.metadata.namespace_ = "ns";
  command.action = action;
  command.target.apiVersion = api::Queue::kApiVersion;
  command.target.kind = api::Queue::kKind;
  command.target.name = queue;
  return command;
}

}  // namespace tidegate::controllers::test
