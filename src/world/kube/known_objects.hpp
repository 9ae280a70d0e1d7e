// What a reflector remembers of the objects of one kind: their uid and version, and in which list they were
// last met.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects.hpp"

namespace tidegate::kube {

class KnownObjects {
 public:
  struct Entry {
    std::string uid;
    std::string resourceVersion;
    std::uint64_t list = 0;
  };
  // Namespace and name.
  using Key = std::pair<std::string, std::string>;

  // A new list begins: what is not met before the next call of takeMissing() is missing.
  void beginList() { ++list_; }
  // Those of older lists, in the order of their keys; forgotten here.
  std::vector<std::pair<Key, Entry>> takeMissing() {
    std::vector<std::pair<Key, Entry>> missing;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      if (entry->second.list == list_) {
        ++entry;
        continue;
      }
      missing.emplace_back(entry->first, std::move(entry->second));
      entry = entries_.erase(entry);
    }
    return missing;
  }

  Entry* find(const api::ObjectMeta& metadata) {
    const auto found = entries_.find(Key{metadata.namespace_, metadata.name});
    return found == entries_.end() ? nullptr : &found->second;
  }
  std::string_view uidOf(std::string_view inNamespace, std::string_view name) const {
    const auto found = entries_.find(Key{std::string(inNamespace), std::string(name)});
    return found == entries_.end() ? std::string_view{} : std::string_view{found->second.uid};
  }
  void met(Entry& entry) { entry.list = list_; }
  void put(const api::ObjectMeta& metadata) {
    entries_[Key{metadata.namespace_, metadata.name}] = {
        .uid = metadata.uid, .resourceVersion = metadata.resourceVersion, .list = list_};
  }
  void erase(const api::ObjectMeta& metadata) { entries_.erase(Key{metadata.namespace_, metadata.name}); }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::map<Key, Entry> entries_;
  std::uint64_t list_ = 1;
};

}  // namespace tidegate::kube
