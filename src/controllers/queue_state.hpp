// The states of a queue: Open, Closing (until its PodGroups are gone), Closed, Unknown.
//
// Rules: Volcano's pkg/controllers/queue/state/*.go, and for parents and children
// queue_controller_action.go: the children of a queue that closes close too and are marked, those marked open
// with it, no queue opens under a closed one, and root does not close.
#pragma once

#include <optional>
#include <string>

namespace tidegate::controllers {

enum class QueueOrder : std::uint8_t { Open, Close };

struct QueueSituation {
  std::string state;  // status.state; empty: new
  bool root = false;
  bool marked = false;        // volcano.sh/closed-by-parent is "true"
  bool parentClosed = false;  // Closing or Closed
  bool hasGroups = false;
  std::optional<QueueOrder> order = {};
};

enum class OrderFate : std::uint8_t { None, Waiting, Done, Refused };

struct QueueStep {
  std::string state;              // as it should be now
  std::optional<bool> mark = {};  // to be set before the state is
  OrderFate order = OrderFate::None;
};

bool isClosed(const std::string& state);  // Closing or Closed
QueueStep nextStep(const QueueSituation& situation);

}  // namespace tidegate::controllers
