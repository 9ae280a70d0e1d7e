#include "controllers/membership.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "state/cluster_state.hpp"
#include "state/translate.hpp"

namespace tidegate::controllers {
namespace names = api::names;

std::string groupNamedBy(const api::Pod& pod) {
  for (const char* name : {names::kGroupName, names::kGroupNameVolcano}) {
    const std::string* value = annotation(pod.metadata, name);
    if (value != nullptr && !value->empty()) return *value;
  }
  return "";
}

std::string implicitGroupName(const api::Pod& pod) {
  const api::OwnerReference* owner = controllerOf(pod.metadata);
  return "podgroup-" + (owner != nullptr ? owner->uid : pod.metadata.uid);
}

std::string gangKeyOf(const api::Pod& pod) {
  const std::string named = groupNamedBy(pod);
  return keyOf(pod.metadata.namespace_, named.empty() ? implicitGroupName(pod) : named);
}

std::string queueAskedBy(const api::Pod& pod) {
  const std::string* queue = annotation(pod.metadata, names::kQueueName);
  auto label = pod.metadata.labels.find(names::kQueueName);
  if (queue == nullptr && label != pod.metadata.labels.end()) queue = &label->second;
  return queue == nullptr || queue->empty() ? names::kDefaultQueue : *queue;
}

bool isTerminal(const api::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace tidegate::controllers
