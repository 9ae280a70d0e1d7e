// What a state machine asks for in one step.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"
#include "protocol/events.hpp"

namespace tidegate {

// An action and the intention it serves. A machine asks for the same intention in every step until the
// objects show it done; whoever sends it out keeps one command per intention under way.
struct Act {
  std::string key;  // "recall-3/delete/<uid>"
  Action action;
};

struct Acts {
  std::vector<Act> list;
  std::optional<Time> wakeAt;  // step again then, even if nothing happens until then

  void add(std::string key, Action action) {
    list.push_back({.key = std::move(key), .action = std::move(action)});
  }
  void wake(Time at) { wakeAt = wakeAt ? std::min(*wakeAt, at) : at; }
};

}  // namespace tidegate
