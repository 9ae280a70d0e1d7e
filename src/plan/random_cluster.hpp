// For tests: small clusters drawn from a seed, as objects. Two or three queues, gangs of different shapes
// that borrow, and a queue that is owed and asks.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "api/names.hpp"
#include "api/objects.hpp"
#include "core/rng.hpp"

namespace tidegate::plan {

class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed) : rng_(seed) { make(); }

  std::vector<api::Object> objects;
  std::vector<std::string> demand;  // "default/pod" of the owed queue's waiting pods

  void addIdleNode() { addNode("zz-idle"); }

 private:
  static constexpr std::int32_t kNodeGpus = 8;

  void make() {
    const auto nodes = rng_.between(2, 6);
    for (std::int64_t i = 0; i < nodes; ++i) {
      addNode(fmt::format("n{}", i));
      room_.push_back(kNodeGpus);
    }
    const std::int64_t total = nodes * kNodeGpus;
    const std::int64_t owed = kNodeGpus * rng_.between(1, nodes);
    addQueue("owed", rng_.chance(0.5) ? owed : 0, owed);
    addQueue("lender", 0, total - owed);
    addQueue("guest", 0, 0);
    for (int i = 0; i < 12; ++i) addRunning(rng_.chance(0.7) ? "lender" : "guest", fmt::format("job{}", i));
    addDemand();
  }

  void addNode(const std::string& name) {
    api::Node node;
    node.metadata.name = name;
    node.status.allocatable = {{"cpu", Quantity::ofInteger(64)},
                               {"memory", Quantity::ofInteger(std::int64_t{1} << 38)},
                               {"pods", Quantity::ofInteger(110)},
                               {"nvidia.com/gpu", Quantity::ofInteger(kNodeGpus)}};
    objects.emplace_back(node);
  }

  void addQueue(const std::string& name, std::int64_t guarantee, std::int64_t deserved) {
    api::Queue queue;
    queue.metadata.name = name;
    if (guarantee > 0) queue.spec.guarantee.resource["nvidia.com/gpu"] = Quantity::ofInteger(guarantee);
    queue.spec.deserved["nvidia.com/gpu"] = Quantity::ofInteger(deserved);
    objects.emplace_back(queue);
  }

  void addGroup(const std::string& queue, const std::string& name, std::int32_t minMember, Time created) {
    api::PodGroup group;
    group.metadata.name = name;
    group.metadata.namespace_ = "default";
    group.metadata.uid = "pg-" + name;
    group.metadata.creationTimestamp = created;
    group.spec.queue = queue;
    group.spec.minMember = minMember;
    objects.emplace_back(group);
  }

  std::string addPod(const std::string& group, int index, std::int64_t gpus, const std::string& node,
                     Time created, std::int32_t priority) {
    api::Pod pod;
    pod.metadata.name = fmt::format("{}-{}", group, index);
    pod.metadata.namespace_ = "default";
    pod.metadata.uid = pod.metadata.name;
    pod.metadata.creationTimestamp = created;
    pod.metadata.annotations[api::names::kGroupName] = group;
    pod.spec.schedulerName = "volcano";
    pod.spec.priority = priority;
    pod.spec.nodeName = node;
    api::Container container;
    container.name = "main";
    container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
    container.resources.requests["cpu"] = Quantity::ofInteger(1);
    pod.spec.containers.push_back(container);
    pod.status.phase = node.empty() ? "Pending" : "Running";
    if (!node.empty()) pod.status.startTime = created;
    const std::string key = "default/" + pod.metadata.name;
    objects.emplace_back(std::move(pod));
    return key;
  }

  // A gang wherever there is room for all of it; none otherwise.
  void addRunning(const std::string& queue, const std::string& name) {
    const std::int64_t gpus = std::int64_t{1} << rng_.below(4);
    const auto pods = static_cast<int>(rng_.between(1, 4));
    std::vector<std::size_t> places;
    auto left = room_;
    for (int i = 0; i < pods; ++i) {
      const std::size_t start = rng_.below(left.size());
      for (std::size_t j = 0; j < left.size(); ++j) {
        const std::size_t node = (start + j) % left.size();
        if (left[node] < gpus) continue;
        left[node] -= gpus;
        places.push_back(node);
        break;
      }
    }
    if (places.size() != static_cast<std::size_t>(pods)) return;
    room_ = left;
    const Time created = base() - seconds(rng_.between(700, 50000));
    addGroup(queue, name, static_cast<std::int32_t>(rng_.chance(0.3) ? 1 : pods), created);
    const auto priority = static_cast<std::int32_t>(10 * rng_.between(1, 2));
    for (int i = 0; i < pods; ++i) {
      addPod(name, i, gpus, fmt::format("n{}", places[static_cast<std::size_t>(i)]), created, priority);
    }
  }

  void addDemand() {
    const std::int64_t gpus = std::int64_t{1} << rng_.below(4);
    const auto pods = static_cast<int>(rng_.between(1, 4));
    addGroup("owed", "ask", static_cast<std::int32_t>(rng_.between(1, pods)), base());
    for (int i = 0; i < pods; ++i) demand.push_back(addPod("ask", i, gpus, "", base(), 100));
  }

  static Time base() { return Time{seconds(1'780'000'000)}; }

  Rng rng_;
  std::vector<std::int64_t> room_;
};

}  // namespace tidegate::plan
