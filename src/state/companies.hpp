// Gangs that live and die together: those of one job of another project's operator (api/operators.hpp).
//
// A JobSet's pods are in one gang for each of its child Jobs, as Volcano makes them
// (pkg/controllers/podgroup: one for the controller of a pod); an MPIJob's launcher is apart from its
// workers. But what can be told to stop is the whole: an operator takes a change of a part back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "state/cluster_state.hpp"

namespace tidegate {

struct OperatorOwner {
  std::size_t kind = 0;  // as operatorKindOf() numbers it
  std::string key;       // "namespace/name"
  auto operator<=>(const OperatorOwner&) const = default;
};

// At the top of the chain of controllers that leads up from the gang: pod, batch Job, JobSet; or pod,
// RayCluster, RayJob. It need not be known itself. Nothing if no operator's kind is in the chain.
std::optional<OperatorOwner> operatorOwner(const ClusterState& state, const GangInfo& gang);

// Its gangs in the order of their names.
using Companies = std::map<OperatorOwner, std::vector<GangId>>;
Companies companiesOf(const ClusterState& state);

}  // namespace tidegate
