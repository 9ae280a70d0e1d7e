#include "controllers/queue_state.hpp"

namespace tidegate::controllers {

namespace {

constexpr const char* kOpen = "Open";

std::string closedState(const QueueSituation& queue) {
  // A queue that is closed stays so, whatever is put into it.
  return queue.state == "Closed" || !queue.hasGroups ? "Closed" : "Closing";
}

QueueStep ordered(const QueueSituation& queue) {
  if (*queue.order == QueueOrder::Open) {
    if (queue.parentClosed) return {.state = queue.state, .mark = {}, .order = OrderFate::Refused};
    const bool done = queue.state == kOpen;
    return {.state = kOpen, .mark = {}, .order = done ? OrderFate::Done : OrderFate::Waiting};
  }
  if (queue.root) return {.state = queue.state, .mark = {}, .order = OrderFate::Refused};
  // Closed by its user: it does not open with its parent.
  const bool done = isClosed(queue.state) && !queue.marked;
  return {.state = closedState(queue),
          .mark = queue.marked ? std::optional(false) : std::nullopt,
          .order = done ? OrderFate::Done : OrderFate::Waiting};
}

QueueStep followParent(const QueueSituation& queue) {
  if (queue.parentClosed && !isClosed(queue.state)) {
    return {.state = closedState(queue), .mark = queue.marked ? std::nullopt : std::optional(true)};
  }
  if (isClosed(queue.state)) {
    if (queue.marked && !queue.parentClosed) return {.state = kOpen, .mark = {}};
    return {.state = closedState(queue), .mark = {}};
  }
  QueueStep step{.state = queue.state.empty() ? kOpen : queue.state, .mark = {}};
  if (step.state != kOpen) step.state = "Unknown";
  if (queue.marked) step.mark = false;
  return step;
}

}  // namespace

bool isClosed(const std::string& state) {
  return state == "Closing" || state == "Closed";
}

QueueStep nextStep(const QueueSituation& queue) {
  if (queue.order) {
    QueueStep step = ordered(queue);
    if (step.order == OrderFate::Waiting) return step;
    QueueStep after = followParent(queue);
    after.order = step.order;
    return after;
  }
  return followParent(queue);
}

}  // namespace tidegate::controllers
