#include "world/sim/garbage_collector.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace tidegate::sim {

namespace {

// By this owner alone, or controlled by it.
bool isOwnedBy(const api::ObjectMeta& metadata, const std::string& uid) {
  const std::vector<api::OwnerReference>& owners = metadata.ownerReferences;
  const api::OwnerReference* controller = controllerOf(metadata);
  return controller ? controller->uid == uid : owners.size() == 1 && owners.front().uid == uid;
}

}  // namespace

GarbageCollector::GarbageCollector(ControllerServices services) : services_(services) {
  services_.api.feed().subscribe([this](const Change& change) {
    if (change.after || std::holds_alternative<api::Pod>(*change.before)) return;
    services_.clock.after(services_.delay,
                          [this, uid = api::metadataOf(*change.before).uid] { collect(uid); });
  });
  services_.api.documentFeed().subscribe([this](const DocumentChange& change) {
    if (change.after) return;
    services_.clock.after(services_.delay, [this, uid = change.before->uid] { collect(uid); });
  });
}

void GarbageCollector::collect(const std::string& ownerUid) {
  SimApiServer& api = services_.api;
  for (const PodPtr& pod : api.store().podsOwnedBy(ownerUid)) deletePod(api, *pod);
  std::vector<std::pair<api::ObjectRef, std::string>> owned;  // with their uids
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (kind == kindIndex<api::Pod>()) continue;
    for (const auto& [key, object] : api.store().table(kind)) {
      const api::ObjectMeta& metadata = api::metadataOf(*object);
      if (isOwnedBy(metadata, ownerUid)) owned.emplace_back(api::refOf(*object), metadata.uid);
    }
  }
  for (const auto& [ref, document] : api.documents().all()) {
    if (std::ranges::find(document->owners, ownerUid) != document->owners.end())
      owned.emplace_back(ref, document->uid);
  }
  for (const auto& [ref, uid] : owned) api.remove(ref, {.uid = uid});
}

}  // namespace tidegate::sim
