#include "scheduler/devices.hpp"

#include <algorithm>

namespace tidegate::scheduler {

Amount acceleratorsOf(const ResourceTable& table, const ResourceVec& request) {
  Amount sum = 0;
  for (const ResourceId r : acceleratorsIn(table, request)) sum += request[r];
  return sum;
}

std::vector<ResourceId> acceleratorsIn(const ResourceTable& table, const ResourceVec& request) {
  std::vector<ResourceId> kinds;
  for (ResourceId r = 0; r < request.size(); ++r) {
    if (request[r] > 0 && table.isAccelerator(r)) kinds.push_back(r);
  }
  return kinds;
}

std::int64_t gpusOf(const ClusterState& state, PodId pod, std::int64_t floor) {
  const ResourceVec& request = state.pod(pod).request;
  std::int64_t gpus = 0;
  for (const ResourceId r : acceleratorsIn(state.resources(), request)) {
    const Amount unit = state.resources().unit(r);
    gpus += (request[r] + unit - 1) / unit;
  }
  return std::max(gpus, floor);
}

bool isShort(const placement::Session& session, const std::vector<placement::Slot>& slots, ResourceId r,
             Amount request) {
  return std::ranges::any_of(slots,
                             [&](placement::Slot slot) { return session.futureFree(slot, r) < request; });
}

}  // namespace tidegate::scheduler
