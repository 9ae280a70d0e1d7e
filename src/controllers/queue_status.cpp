#include "controllers/queue_status.hpp"

#include <algorithm>

#include "api/json_writer.hpp"
#include "api/write.hpp"

namespace tidegate::controllers {

namespace {

void patchList(api::JsonWriter& json, const char* name, const ResourceList& from, const ResourceList& to) {
  if (from == to) return;
  json.key(name);
  json.beginObject();
  for (const auto& [resource, amount] : to) {
    auto held = from.find(resource);
    if (held == from.end() || held->second != amount) json.member(resource, amount.text());
  }
  for (const auto& [resource, amount] : from) {
    if (to.contains(resource)) continue;
    json.key(resource);
    json.null();
  }
  json.endObject();
}

void patchCount(api::JsonWriter& json, const char* name, std::int32_t from, std::int32_t to) {
  if (from != to) json.member(name, to);
}

void patchReservation(api::JsonWriter& json, const api::QueueReservation& from,
                      const api::QueueReservation& to) {
  if (from == to) return;
  json.key("reservation");
  if (to == api::QueueReservation{}) {
    json.null();
    return;
  }
  json.beginObject();
  if (from.nodes != to.nodes) {
    json.key("nodes");
    json.beginArray();
    for (const auto& node : to.nodes) json.value(node);
    json.endArray();
  }
  patchList(json, "resource", from.resource, to.resource);
  json.endObject();
}

}  // namespace

ResourceList deservedOf(const api::QueueSpec& spec) {
  ResourceList deserved = spec.deserved;
  for (auto& [resource, amount] : deserved) {
    auto limit = spec.capability.find(resource);
    if (limit != spec.capability.end()) amount = std::min(amount, limit->second);
  }
  for (const auto& [resource, amount] : spec.guarantee.resource) {
    auto [held, added] = deserved.try_emplace(resource, amount);
    if (!added) held->second = std::max(held->second, amount);
  }
  return deserved;
}

std::string statusPatch(const api::QueueStatus& from, const api::QueueStatus& to) {
  if (from == to) return "";
  api::JsonWriter json;
  json.beginObject();
  if (from.state != to.state) json.member("state", to.state);
  patchList(json, "allocated", from.allocated, to.allocated);
  patchList(json, "deserved", from.deserved, to.deserved);
  patchReservation(json, from.reservation, to.reservation);
  patchCount(json, "pending", from.pending, to.pending);
  patchCount(json, "inqueue", from.inqueue, to.inqueue);
  patchCount(json, "running", from.running, to.running);
  patchCount(json, "unknown", from.unknown, to.unknown);
  patchCount(json, "completed", from.completed, to.completed);
  json.endObject();
  return json.take();
}

}  // namespace tidegate::controllers
