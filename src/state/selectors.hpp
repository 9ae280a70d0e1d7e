// Label selectors and node selector requirements, as Kubernetes matches them.
#pragma once

#include "api/objects.hpp"

namespace tidegate {

struct NodeInfo;
struct PodConstraints;

// One requirement: In, NotIn, Exists, DoesNotExist, Gt, Lt (the last two compare integers).
bool matches(const api::LabelSelectorRequirement& requirement, const api::StringMap& labels);

// All matchLabels and matchExpressions hold. An empty selector matches everything.
bool matches(const api::LabelSelector& selector, const api::StringMap& labels);

// A term without requirements matches no node. The only field is metadata.name.
bool matches(const api::NodeSelectorTerm& term, const NodeInfo& node);

// Its nodeSelector and the affinity it requires let it stand on the node.
bool selects(const PodConstraints& pod, const NodeInfo& node);

}  // namespace tidegate
