// The names volcano-scheduler.conf may use, and what tidegate makes of each.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

struct KnownAction {
  std::string_view name;
  std::optional<ActionKind> kind;  // nullopt: accepted, nothing is done
  std::string_view notice;         // what differs from Volcano; empty: nothing
};
std::span<const KnownAction> knownActions();

struct KnownPlugin {
  std::string_view name;
  bool Policy::* rule;      // what it switches on; nullptr: nothing that could be off
  std::string_view flag;    // the flag that switches it off again
  std::string_view notice;  // what differs from Volcano; empty: nothing
};
std::span<const KnownPlugin> knownPlugins();

// Flags of a plugin, in Volcano's mixed spelling.
std::span<const std::string_view> knownFlags();
// Arguments of actions under `configurations`.
std::span<const std::string_view> knownActionArguments();

struct KnownWeight {
  std::string_view name;
  double NodeOrderWeights::* weight;  // nullptr: known to Volcano, not scored here
};
std::span<const KnownWeight> knownNodeOrderWeights();

template <class T>
const T* findNamed(std::span<const T> table, std::string_view name) {
  for (const T& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

template <class T>
std::vector<std::string_view> namesOf(std::span<const T> table) {
  std::vector<std::string_view> names;
  for (const T& entry : table) names.push_back(entry.name);
  return names;
}

}  // namespace tidegate::scheduler
