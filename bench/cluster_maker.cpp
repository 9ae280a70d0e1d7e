#include "cluster_maker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.hpp"
#include "core/rng.hpp"

namespace tidegate::bench {
namespace {

constexpr std::int32_t kNodeGpus = 8;

api::Node makeNode(std::uint32_t index) {
  api::Node node;
  node.metadata.name = fmt::format("gpu-{:05}", index);
  node.status.allocatable = {{"cpu", Quantity::ofInteger(128)},
                             {"memory", Quantity::ofInteger(std::int64_t{1} << 40)},
                             {"pods", Quantity::ofInteger(110)},
                             {"nvidia.com/gpu", Quantity::ofInteger(kNodeGpus)}};
  return node;
}

api::Queue makeQueue(const std::string& name, std::int64_t guarantee, bool reclaimable) {
  api::Queue queue;
  queue.metadata.name = name;
  queue.spec.reclaimable = reclaimable;
  queue.spec.guarantee.resource["nvidia.com/gpu"] = Quantity::ofInteger(guarantee);
  return queue;
}

class Maker {
 public:
  explicit Maker(const ClusterSpec& spec) : spec_(spec), rng_(spec.seed) {}

  ClusterState make() {
    const auto onlineNodes = static_cast<std::uint32_t>(spec_.online * spec_.nodes);
    for (std::uint32_t i = 0; i < spec_.nodes; ++i) state_.apply(makeNode(i));
    state_.apply(makeQueue("online", std::int64_t{2} * onlineNodes * kNodeGpus, true));
    state_.apply(makeQueue("offline", 0, spec_.reclaimable));
    for (std::uint32_t i = 0; i < onlineNodes; ++i) {
      addPod("online", "serve", kNodeGpus, fmt::format("gpu-{:05}", i), clusterTime() - seconds(86400));
    }
    fillOffline(onlineNodes);
    for (std::int32_t i = 0; i < spec_.burstPods; ++i)
      addPod("online", "burst", spec_.podGpus, "", clusterTime());
    return std::move(state_);
  }

 private:
  void addPod(const std::string& queue, const std::string& group, std::int32_t gpus, const std::string& node,
              Time when) {
    api::Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = fmt::format("{}-{}", group, ++pods_);
    pod.metadata.uid = pod.metadata.name;
    pod.metadata.creationTimestamp = when;
    pod.metadata.annotations[api::names::kGroupName] = group;
    pod.spec.schedulerName = "volcano";
    pod.spec.nodeName = node;
    pod.spec.priority = queue == "online" ? 1000 : 10;
    api::Container container;
    container.name = "main";
    container.resources.requests = {{"cpu", Quantity::ofInteger(gpus)},
                                    {"nvidia.com/gpu", Quantity::ofInteger(gpus)}};
    pod.spec.containers.push_back(std::move(container));
    pod.status.phase = node.empty() ? "Pending" : "Running";
    if (!node.empty()) pod.status.startTime = when;
    addGroup(queue, group, 1, when);
    state_.apply(pod);
  }

  void addGroup(const std::string& queue, const std::string& name, std::int32_t minMember, Time when) {
    if (state_.findGang("default/" + name) != kNone) return;
    api::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = name;
    group.metadata.uid = name;
    group.metadata.creationTimestamp = when;
    group.spec.queue = queue;
    group.spec.minMember = minMember;
    state_.apply(group);
  }

  // Gangs of pods of 1, 2, 4 or 8 GPUs wherever there is room, until all is full.
  void fillOffline(std::uint32_t firstNode) {
    std::vector<std::int32_t> room(spec_.nodes, 0);
    std::fill(room.begin() + firstNode, room.end(), kNodeGpus);
    std::uint32_t cursor = firstNode;
    constexpr std::int32_t kPodGpus[] = {1, 2, 4, 8, 8};
    constexpr std::int32_t kGangPods[] = {1, 1, 2, 2, 4, 8};
    for (std::int32_t gang = 0; cursor < spec_.nodes; ++gang) {
      const std::int32_t gpus = kPodGpus[rng_.below(5)];
      const std::int32_t pods = kGangPods[rng_.below(6)];
      const std::string name = fmt::format("job-{}", gang);
      const Time when = clusterTime() - seconds(rng_.between(1200, 40000));
      addGroup("offline", name, pods, when);
      for (std::int32_t i = 0; i < pods; ++i) {
        const auto slot = findRoom(room, cursor, gpus);
        if (slot == spec_.nodes) break;
        room[slot] -= gpus;
        addPod("offline", name, gpus, fmt::format("gpu-{:05}", slot), when);
      }
      while (cursor < spec_.nodes && room[cursor] == 0) ++cursor;
      if (cursor < spec_.nodes && gang % 4 == 3) fillUp(room, cursor);
    }
  }

  std::uint32_t findRoom(const std::vector<std::int32_t>& room, std::uint32_t cursor,
                         std::int32_t gpus) const {
    const std::uint32_t until = std::min(spec_.nodes, cursor + 12);
    for (std::uint32_t slot = cursor; slot < until; ++slot) {
      if (room[slot] >= gpus) return slot;
    }
    return spec_.nodes;
  }

  // Closes the gap on the oldest open node with a single job, so that the window moves on.
  void fillUp(std::vector<std::int32_t>& room, std::uint32_t slot) {
    const Time when = clusterTime() - seconds(rng_.between(1200, 40000));
    const std::string name = fmt::format("small-{}", pods_);
    addGroup("offline", name, 1, when);
    addPod("offline", name, room[slot], fmt::format("gpu-{:05}", slot), when);
    room[slot] = 0;
  }

  ClusterSpec spec_;
  Rng rng_;
  ClusterState state_;
  std::int64_t pods_ = 0;
};

}  // namespace

Time clusterTime() {
  return Time{seconds(1'781'800'000)};
}

ClusterState makeCluster(const ClusterSpec& spec) {
  return Maker(spec).make();
}

}  // namespace tidegate::bench
