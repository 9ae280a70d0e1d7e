#include "drill/live/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/conditions.hpp"
#include "drill/live/outfit.hpp"
#include "report/words.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::drill::live {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kKwokNode = "kwok.x-k8s.io/node";  // annotation, "fake"
constexpr const char* kSimulatedNode = "tidegate.dev/sim";
constexpr std::size_t kMostListed = 20;

int gpusOf(const api::Node& node) {
  const auto found = node.status.allocatable.find(kGpu);
  return found == node.status.allocatable.end() ? 0 : static_cast<int>(found->second.value());
}

// GPU nodes are often kept free of other pods by a taint of this name; the drill's pods tolerate it.
bool isOpen(const api::Node& node) {
  const bool barred = std::ranges::any_of(node.spec.taints, [](const api::Taint& taint) {
    return taint.effect != "PreferNoSchedule" && taint.key != kGpu;
  });
  return !node.spec.unschedulable && !barred && api::isTrue(node.status.conditions, "Ready");
}

bool hasLabels(const api::Node& node, const api::StringMap& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& label) {
    const auto found = node.metadata.labels.find(label.first);
    return found != node.metadata.labels.end() && found->second == label.second;
  });
}

bool isSimulated(const api::Node& node) {
  return node.metadata.labels.contains(kSimulatedNode) || node.metadata.annotations.contains(kKwokNode);
}

// Pods that hold GPUs or wait for them, and end before their work does if the drill takes these away.
bool mayBeVictim(const api::Pod& pod, const std::set<std::string>& pool) {
  const api::OwnerReference* owner = api::controllerOf(pod.metadata);
  if (owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node")) return false;
  if (!sim::isActive(pod) || sim::gpusOf(pod.spec) == 0) return false;
  return pod.spec.nodeName.empty() || pool.contains(pod.spec.nodeName);
}

std::vector<std::string> strangersIn(const sim::ObjectStore& store, const Pool& pool) {
  const std::set<std::string> nodes(pool.nodes.begin(), pool.nodes.end());
  std::vector<std::string> out;
  for (const auto& pod : store.all<api::Pod>()) {
    if (!mayBeVictim(*pod, nodes)) continue;
    const std::string where = pod->spec.nodeName.empty() ? "waiting" : "on " + pod->spec.nodeName;
    out.push_back(fmt::format("pod {} ({}, {})", sim::keyOf(pod->metadata),
                              report::countText(sim::gpusOf(pod->spec), "GPU"), where));
  }
  return out;
}

// Queues of the drill's names that are there already.
std::vector<std::string> takenQueues(const Inputs& inputs, const sim::ObjectStore& store) {
  std::vector<std::string> out;
  for (const api::Object& object : inputs.setup) {
    if (!std::holds_alternative<api::Queue>(object)) continue;
    const std::string& name = api::metadataOf(object).name;
    const auto there = store.find<api::Queue>(name);
    if (!there) continue;
    const std::string drill = drillOf(there->metadata);
    out.push_back(drill.empty()
                      ? fmt::format("queue {}", name)
                      : fmt::format("queue {} of drill {}; if that is over: kubectl delete queue -l {}={}",
                                    name, drill, kDrillLabel, drill));
  }
  return out;
}

std::vector<std::string> missingQueues(const Inputs& inputs, const sim::ObjectStore& store) {
  std::vector<std::string> out;
  for (const std::string& name : {inputs.online.name, inputs.offline.name}) {
    if (!store.find<api::Queue>(name))
      out.push_back(fmt::format("there is no queue {}, and with --live-victims none is made", name));
  }
  return out;
}

void addAll(std::vector<std::string>& out, const char* headline, std::vector<std::string> items) {
  if (items.empty()) return;
  out.emplace_back(headline);
  const std::size_t more = items.size() > kMostListed ? items.size() - kMostListed : 0;
  items.resize(items.size() - more);
  for (const std::string& item : items) out.push_back("  " + item);
  if (more > 0) out.push_back(fmt::format("  and {} more", more));
}

}  // namespace

std::string drillOf(const api::ObjectMeta& metadata) {
  const auto found = metadata.labels.find(kDrillLabel);
  return found == metadata.labels.end() ? "" : found->second;
}

Result<api::StringMap> selectorOf(const std::string& label) {
  if (label.empty()) return api::StringMap{};
  const std::size_t equals = label.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return fail(Error{.message = fmt::format("want KEY=VALUE, got \"{}\"", label), .field = "--pool-label"});
  }
  return api::StringMap{{label.substr(0, equals), label.substr(equals + 1)}};
}

Pool poolOf(const sim::ObjectStore& store, const std::string& label) {
  const api::StringMap wanted = selectorOf(label).value_or(api::StringMap{});
  std::map<std::string, int> used;
  for (const auto& pod : store.all<api::Pod>()) {
    if (!pod->spec.nodeName.empty() && !sim::isTerminal(*pod))
      used[pod->spec.nodeName] += static_cast<int>(sim::gpusOf(pod->spec));
  }
  Pool out;
  out.simulated = true;
  std::vector<std::pair<int, bool>> sizes;  // GPUs, idle
  for (const auto& node : store.all<api::Node>()) {
    const int gpus = gpusOf(*node);
    if (gpus == 0 || !isOpen(*node) || !hasLabels(*node, wanted)) continue;
    out.nodes.push_back(node->metadata.name);
    out.gpus += gpus;
    out.gpusPerNode = std::max(out.gpusPerNode, gpus);
    out.simulated = out.simulated && isSimulated(*node);
    sizes.emplace_back(gpus, used[node->metadata.name] == 0);
  }
  for (const auto& [gpus, idle] : sizes) out.idleNodes += idle && gpus == out.gpusPerNode ? 1 : 0;
  return out;
}

std::vector<std::string> objections(const LiveOptions& options, const Inputs& inputs,
                                    const sim::ObjectStore& store) {
  const Pool pool = poolOf(store, options.poolLabel);
  std::vector<std::string> out;
  if (options.liveVictims) {
    out = missingQueues(inputs, store);
  } else {
    addAll(out,
           "work that is not the drill's uses the pool, and could be stopped (--live-victims allows that):",
           strangersIn(store, pool));
    addAll(out, "queues of these names are there already (--live-victims uses them as they are):",
           takenQueues(inputs, store));
  }
  const int gpus = options.drill.onlineGpus + options.drill.shape.gpus();
  const int per = std::max(1, pool.gpusPerNode);
  const int needed = (gpus + per - 1) / per;
  if (options.drill.shape.gpusPerPod > pool.gpusPerNode) {
    out.push_back(fmt::format("a pod of {} fits no node: the largest of the {} of the pool has {}",
                              report::countText(options.drill.shape.gpusPerPod, "GPU"),
                              report::countText(static_cast<std::int64_t>(pool.nodes.size()), "GPU node"),
                              pool.gpusPerNode));
  } else if (!options.liveVictims && pool.idleNodes < needed) {
    out.push_back(fmt::format(
        "online's {} and the burst's {} GPUs need {} idle nodes of {} GPUs; there are {}",
        options.drill.onlineGpus, options.drill.shape.gpus(), needed, pool.gpusPerNode, pool.idleNodes));
  }
  return out;
}

}  // namespace tidegate::drill::live
