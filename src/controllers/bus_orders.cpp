#include "controllers/bus_orders.hpp"

#include <algorithm>

namespace tidegate::controllers {

void BusOrders::seen(const api::BusCommand& command) {
  const std::string& uid = command.metadata.uid;
  if (command.metadata.deletionTimestamp || closed_.contains(uid)) return;
  entries_.try_emplace(uid, Entry{.command = command});
}

void BusOrders::gone(const api::ObjectRef& ref, const std::string& uid) {
  auto at = std::ranges::find_if(entries_, [&](const auto& item) {
    return uid.empty() ? api::refOf(item.second.command) == ref : item.first == uid;
  });
  if (at == entries_.end()) return;
  at->second.gone = true;
  if (!at->second.underWay && !at->second.unsure) close(std::string(at->first));
}

std::optional<Delete> BusOrders::deletion(const std::string& uid) const {
  auto at = entries_.find(uid);
  if (at == entries_.end()) return std::nullopt;
  return Delete{.target = api::refOf(at->second.command), .uid = uid};
}

void BusOrders::deletionSent(const std::string& uid) {
  Entry& entry = entries_.at(uid);
  if (entry.underWay) entry.unsure = true;
  entry.underWay = true;
}

std::optional<api::BusCommand> BusOrders::deletionAnswered(const std::string& uid, Outcome outcome) {
  auto at = entries_.find(uid);
  if (at == entries_.end()) return std::nullopt;
  Entry& entry = at->second;
  entry.underWay = false;
  if (outcome == Outcome::Unknown) entry.unsure = true;
  const bool absent = outcome == Outcome::NotFound || outcome == Outcome::Conflict;
  const bool taken = outcome == Outcome::Succeeded || (absent && entry.unsure);
  std::optional<api::BusCommand> order;
  if (taken) order = entry.command;
  if (taken || absent || (entry.gone && !entry.unsure)) close(uid);
  return order;
}

void BusOrders::close(const std::string& uid) {
  constexpr std::size_t kRemembered = 1000;
  entries_.erase(uid);
  if (!closed_.insert(uid).second) return;
  closedOrder_.push_back(uid);
  if (closedOrder_.size() <= kRemembered) return;
  closed_.erase(closedOrder_.front());
  closedOrder_.pop_front();
}

}  // namespace tidegate::controllers
