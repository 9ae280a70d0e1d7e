// Nodes, HyperNodes and the cluster's total.
#include <algorithm>
#include <regex>
#include <tuple>

#include "state/cluster_state.hpp"
#include "state/selectors.hpp"
#include "state/translate.hpp"

namespace tidegate {
namespace {

bool isEmpty(const api::LabelSelector& selector) {
  return selector.matchLabels.empty() && selector.matchExpressions.empty();
}

bool memberMatches(const api::MemberSelector& selector, const NodeInfo& node) {
  if (!selector.exactMatch.empty()) return selector.exactMatch == node.name;
  if (!selector.regexMatch.empty()) {
    try {
      return std::regex_match(node.name, std::regex(selector.regexMatch, std::regex::ECMAScript));
    } catch (const std::regex_error&) {
      return false;
    }
  }
  return !isEmpty(selector.labelMatch) && matches(selector.labelMatch, node.labels);
}

// Collects the nodes under one HyperNode; `depth` bounds cycles among HyperNodes.
void collectNodes(const api::HyperNode& hyperNode, const std::map<std::string, api::HyperNode>& all,
                  const std::vector<NodeInfo>& nodes, int depth, std::vector<NodeId>& out) {
  for (const auto& member : hyperNode.spec.members) {
    if (member.type == "HyperNode") {
      auto child = all.find(member.selector.exactMatch);
      if (child != all.end() && depth > 0) collectNodes(child->second, all, nodes, depth - 1, out);
      continue;
    }
    for (NodeId id = 0; id < nodes.size(); ++id) {
      if (nodes[id].exists && memberMatches(member.selector, nodes[id])) out.push_back(id);
    }
  }
}

}  // namespace

void ClusterState::refreshTotal(const ResourceVec& before, const ResourceVec& after) {
  total_ -= before;
  total_ += after;
  queues_.setTotal(total_);
}

NodeId ClusterState::nodeSlot(const std::string& name) {
  auto [entry, added] = nodeIndex_.try_emplace(name, static_cast<NodeId>(nodes_.size()));
  if (added) {
    nodes_.emplace_back();
    nodes_.back().name = name;
  }
  return entry->second;
}

// Heartbeats, the most frequent of all changes, change nothing that a decision rests on.
bool ClusterState::applyObject(const api::Node& object) {
  NodeInfo& info = nodes_[nodeSlot(object.metadata.name)];
  NodeInfo read;
  readNode(object, resources_, read);
  const auto facts = [](NodeInfo& node) {
    return std::tie(node.exists, node.unschedulable, node.ready, node.labels, node.taints, node.allocatable);
  };
  if (facts(read) == facts(info)) return false;
  const ResourceVec before = offeredBy(info);
  if (!info.exists || read.labels != info.labels) domains_.reset();
  facts(info) = facts(read);
  countOpeners(info);
  settleClosed(info);
  refreshTotal(before, offeredBy(info));
  return true;
}

void ClusterState::removeNode(const std::string& name) {
  const NodeId id = findNode(name);
  if (id == kNone) return;
  NodeInfo& info = nodes_[id];
  const ResourceVec before = offeredBy(info);
  info.exists = false;
  settleClosed(info);
  refreshTotal(before, offeredBy(info));
  domains_.reset();
}

void ClusterState::applyObject(const api::HyperNode& object) {
  hyperNodes_[object.metadata.name] = object;
  domains_.reset();
}

const std::vector<DomainInfo>& ClusterState::domains() const {
  if (domains_) return *domains_;
  constexpr int kDeepest = 8;
  std::vector<DomainInfo> resolved;
  for (const auto& [name, hyperNode] : hyperNodes_) {
    DomainInfo domain{.name = name, .tier = hyperNode.spec.tier, .nodes = {}};
    collectNodes(hyperNode, hyperNodes_, nodes_, kDeepest, domain.nodes);
    std::ranges::sort(domain.nodes, {}, [this](NodeId id) -> const std::string& { return nodes_[id].name; });
    const auto repeated = std::ranges::unique(domain.nodes);
    domain.nodes.erase(repeated.begin(), repeated.end());
    resolved.push_back(std::move(domain));
  }
  std::ranges::stable_sort(resolved, {}, &DomainInfo::tier);
  domains_ = std::move(resolved);
  return *domains_;
}

}  // namespace tidegate
