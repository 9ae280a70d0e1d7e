// What a controller remembers of the objects of one kind: as little as it needs of each, by "namespace/name".
//
// Events may come twice, late or in any order: an object older than the one held (resourceVersion not newer,
// where both are numbers) and one whose uid is gone are no news.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/kinds.hpp"
#include "api/objects.hpp"

namespace tidegate::controllers {

template <class Info>
class Mirror {
 public:
  struct Entry {
    std::string uid;
    std::optional<std::uint64_t> version;
    Info info;
  };

  bool isNews(const std::string& key, const api::ObjectMeta& metadata) const {
    if (!metadata.uid.empty() && gone_.contains(metadata.uid)) return false;
    const Entry* held = find(key);
    const auto version = api::versionNumber(metadata.resourceVersion);
    return held == nullptr || !version || !held->version || *version > *held->version;
  }

  // Takes over what an object that is news says; what was held before, if anything.
  std::optional<Info> put(const std::string& key, const api::ObjectMeta& metadata, Info info) {
    auto [at, added] = entries_.try_emplace(key);
    std::optional<Info> before = added ? std::nullopt : std::optional(std::move(at->second.info));
    at->second = {.uid = metadata.uid,
                  .version = api::versionNumber(metadata.resourceVersion),
                  .info = std::move(info)};
    return before;
  }

  // The object is gone: what was held. Nothing if another object of that name is there (`uid` empty: any).
  std::optional<Info> remove(const std::string& key, const std::string& uid) {
    auto at = entries_.find(key);
    const bool same =
        at != entries_.end() && (uid.empty() || at->second.uid.empty() || at->second.uid == uid);
    bury(!uid.empty() ? uid : same ? at->second.uid : "");
    if (!same) return std::nullopt;
    std::optional<Info> before = std::move(at->second.info);
    entries_.erase(at);
    return before;
  }

  const Entry* find(const std::string& key) const {
    auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second;
  }
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  static constexpr std::size_t kRememberedGone = 5000;

  void bury(const std::string& uid) {
    if (uid.empty() || !gone_.insert(uid).second) return;
    order_.push_back(uid);
    if (order_.size() <= kRememberedGone) return;
    gone_.erase(order_.front());
    order_.pop_front();
  }

  std::map<std::string, Entry> entries_;
  std::set<std::string> gone_;
  std::deque<std::string> order_;  // oldest first
};

}  // namespace tidegate::controllers
