#include <set>

#include "plan/naming.hpp"

namespace tidegate::plan {
namespace {

// Room for pods and scratch disk is nobody's quota unless a queue names it.
bool usuallyCounts(ResourceId r) {
  return r != ResourceTable::kPods && r != ResourceTable::kEphemeralStorage;
}

std::vector<ResourceId> resourcesThatCount(const ClusterState& state) {
  std::set<ResourceId> found;
  for (const NodeInfo& node : state.nodes())
    for (ResourceId r = 0; r < node.allocatable.size(); ++r)
      if (node.allocatable[r] > 0 && usuallyCounts(r)) found.insert(r);
  for (const quota::QueueId queue : state.queues().sortedByName()) {
    const quota::QueueConfig& config = state.queues().config(queue);
    for (ResourceId r = 0; r < state.resources().size(); ++r)
      if (config.guarantee[r] > 0 || config.deserved.has(r) || config.capability.has(r)) found.insert(r);
  }
  return {found.begin(), found.end()};
}

Quantity quantityOf(const ResourceTable& table, ResourceId r, Amount amount) {
  if (table.unit(r) != 1) return Quantity::ofMilli(amount);
  // Through the text, so that bytes keep their binary suffix for readers.
  return Quantity::parse(table.format(r, amount)).value_or(Quantity::ofInteger(amount));
}

QueueFigures figuresOf(const ClusterState& state, quota::QueueId queue,
                       const std::vector<ResourceId>& resources) {
  const quota::QueueTree& tree = state.queues();
  const quota::QueueConfig& config = tree.config(queue);
  QueueFigures figures{.name = config.name};
  if (tree.parent(queue) != quota::kRoot) figures.parent = tree.config(tree.parent(queue)).name;
  const ResourceVec guarantee = tree.guarantee(queue);
  const ResourceVec borrowed = tree.borrowed(queue);
  const ResourceVec lent = tree.lent(queue);
  for (const ResourceId r : resources) {
    const std::string& name = state.resources().name(r);
    const auto put = [&](ResourceList& list, Amount amount) {
      list[name] = quantityOf(state.resources(), r, amount);
    };
    if (guarantee[r] > 0) put(figures.guarantee, guarantee[r]);
    if (tree.deserved(queue, r) != kUnlimited) put(figures.deserved, tree.deserved(queue, r));
    if (config.capability.has(r)) put(figures.capability, config.capability[r]);
    put(figures.entitlement, tree.entitlement(queue)[r]);
    put(figures.used, tree.used(queue)[r]);
    put(figures.borrowed, borrowed[r]);
    put(figures.lent, lent[r]);
  }
  return figures;
}

}  // namespace

std::vector<QueueFigures> queueFigures(const ClusterState& state) {
  const std::vector<ResourceId> resources = resourcesThatCount(state);
  std::vector<QueueFigures> figures;
  for (const quota::QueueId queue : state.queues().sortedByName())
    figures.push_back(figuresOf(state, queue, resources));
  return figures;
}

}  // namespace tidegate::plan
