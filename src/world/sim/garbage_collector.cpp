#include "world/sim/garbage_collector.hpp"

#include <variant>

namespace tidegate::sim {

GarbageCollector::GarbageCollector(ControllerServices services) : services_(services) {
  services_.api.feed().subscribe([this](const Change& change) {
    if (change.after || std::holds_alternative<api::Pod>(*change.before)) return;
    services_.clock.after(services_.delay,
                          [this, uid = api::metadataOf(*change.before).uid] { collect(uid); });
  });
}

void GarbageCollector::collect(const std::string& ownerUid) {
  SimApiServer& api = services_.api;
  for (const PodPtr& pod : api.store().podsOwnedBy(ownerUid)) deletePod(api, *pod);
  for (const auto& group : api.store().all<api::PodGroup>()) {
    const api::OwnerReference* owner = controllerOf(group->metadata);
    if (!owner || owner->uid != ownerUid) continue;
    api.remove(refTo<api::PodGroup>(group->metadata.namespace_, group->metadata.name),
               {.uid = group->metadata.uid, .graceSeconds = {}});
  }
}

}  // namespace tidegate::sim
