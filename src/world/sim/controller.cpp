#include "world/sim/controller.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "api/names.hpp"
#include "world/sim/pod_status.hpp"

namespace tidegate::sim {

api::Pod podFrom(const api::PodTemplateSpec& pods, const std::string& namespace_, const std::string& name,
                 const api::OwnerReference& owner) {
  api::Pod pod;
  pod.metadata.name = name;
  pod.metadata.namespace_ = namespace_;
  pod.metadata.labels = pods.metadata.labels;
  pod.metadata.annotations = pods.metadata.annotations;
  pod.metadata.finalizers = pods.metadata.finalizers;
  pod.metadata.ownerReferences = {owner};
  pod.spec = pods.spec;
  return pod;
}

PodPtr createPod(const ControllerServices& services, api::Pod pod) {
  const std::string key = keyOf(pod.metadata);
  if (services.faults.heldByFinalizer(key + "@" + formatTime(services.clock.now()))) {
    pod.metadata.finalizers.push_back(kHoldFinalizer);
  }
  return services.api.create(std::move(pod)).ok() ? services.api.store().find<api::Pod>(key) : nullptr;
}

void deletePod(SimApiServer& api, const api::Pod& pod) {
  api.remove(refTo<api::Pod>(pod.metadata.namespace_, pod.metadata.name),
             {.uid = pod.metadata.uid, .graceSeconds = {}});
}

std::string generateName(const ControllerServices& services, const std::string& base) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  Rng draw = services.faults.stream(Draw::Name, base + "@" + std::to_string(services.api.store().version()));
  std::string name = base + "-";
  for (int i = 0; i < 5; ++i) name += kLetters[draw.below(kLetters.size())];
  return name;
}

namespace {

std::int32_t deletionCost(const api::Pod& pod) {
  const auto found = pod.metadata.annotations.find(api::names::kPodDeletionCost);
  std::int32_t cost = 0;
  if (found != pod.metadata.annotations.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), cost);
  }
  return cost;
}

}  // namespace

std::vector<PodPtr> firstToGo(std::vector<PodPtr> pods, std::size_t count) {
  const auto rank = [](const PodPtr& pod) {
    return std::tuple(!pod->spec.nodeName.empty(), pod->status.phase == "Running", isReady(*pod),
                      deletionCost(*pod));
  };
  std::ranges::sort(pods, [&](const PodPtr& a, const PodPtr& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (a->metadata.creationTimestamp != b->metadata.creationTimestamp) {
      return a->metadata.creationTimestamp > b->metadata.creationTimestamp;
    }
    return a->metadata.name < b->metadata.name;
  });
  pods.resize(std::min(count, pods.size()));
  return pods;
}

}  // namespace tidegate::sim
