#include "state/companies.hpp"

#include "api/owners.hpp"

namespace tidegate {

namespace {

constexpr int kLongestChain = 8;  // references that lead in a circle end

// What made an object that is itself a maker of pods; nullptr if it is not known or nothing made it.
const api::OwnerReference* makerOf(const api::ObjectMeta* metadata) {
  return metadata == nullptr ? nullptr : api::controllerOf(*metadata);
}

const api::ObjectMeta* batchJob(const ClusterState& state, const std::string& key) {
  const auto found = state.batchJobs().find(key);
  return found == state.batchJobs().end() ? nullptr : &found->second.metadata;
}

const api::ObjectMeta* operatorJob(const ClusterState& state, const OperatorOwner& owner) {
  const auto& jobs = state.operatorJobs(owner.kind);
  const auto found = jobs.find(owner.key);
  return found == jobs.end() ? nullptr : &found->second.object.metadata;
}

const api::OwnerReference* firstMaker(const ClusterState& state, const GangInfo& gang) {
  if (!gang.owner.kind.empty()) return &gang.owner;
  for (const PodId pod : gang.pods) {
    if (const auto* maker = api::controllerOf(state.pod(pod).object->metadata)) return maker;
  }
  return nullptr;
}

}  // namespace

std::optional<OperatorOwner> operatorOwner(const ClusterState& state, const GangInfo& gang) {
  const std::string ns = gang.key.substr(0, gang.key.find('/'));
  std::optional<OperatorOwner> top;
  const api::OwnerReference* maker = firstMaker(state, gang);
  for (int step = 0; step < kLongestChain && maker != nullptr; ++step) {
    const std::string key = keyOf(ns, maker->name);
    if (const auto kind = api::operatorKindOf(maker->kind, maker->apiVersion)) {
      top = OperatorOwner{.kind = *kind, .key = key};
      maker = makerOf(operatorJob(state, *top));
    } else if (maker->kind == api::BatchJob::kKind && maker->apiVersion == api::BatchJob::kApiVersion) {
      maker = makerOf(batchJob(state, key));
    } else {
      break;
    }
  }
  return top;
}

Companies companiesOf(const ClusterState& state) {
  Companies companies;
  for (const auto& [key, id] : state.gangIndex()) {
    if (auto owner = operatorOwner(state, state.gang(id))) companies[std::move(*owner)].push_back(id);
  }
  return companies;
}

}  // namespace tidegate
