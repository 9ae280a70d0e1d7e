#include <fmt/format.h>

#include "world/sim/brain_host.hpp"

namespace tidegate::sim {

namespace {

struct Describer {
  std::string operator()(const Bind& it) const {
    return fmt::format("Bind {} to {}", keyOf(it.namespace_, it.name), it.node);
  }
  std::string operator()(const Patch& it) const {
    std::string text =
        fmt::format("Patch {} {}", it.target.kind, keyOf(it.target.namespace_, it.target.name));
    for (const auto& [name, value] : it.annotations)
      text += fmt::format(" {}={}", name, value.value_or("(removed)"));
    if (it.suspend) text += fmt::format(" suspend={}", *it.suspend);
    if (it.replicas) text += fmt::format(" replicas={}", *it.replicas);
    if (it.condition) text += fmt::format(" {}={}", it.condition->type, it.condition->status);
    return text;
  }
  std::string operator()(const DeletePod& it) const {
    return fmt::format("{} {} grace={}s", it.viaEviction ? "Evict" : "DeletePod",
                       keyOf(it.namespace_, it.name), it.graceSeconds);
  }
  std::string operator()(const WriteRecall& it) const {
    return fmt::format("WriteRecall {} {}", it.recall.metadata.name, it.recall.status.phase);
  }
  std::string operator()(const DeleteRecall& it) const { return "DeleteRecall " + it.name; }
  std::string operator()(const Signal& it) const {
    return fmt::format("Signal {} for {}", keyOf(it.namespace_, it.pod), it.recall);
  }
  std::string operator()(const Emit& it) const {
    return fmt::format("Emit {} {}: {}", it.about.name, it.reason, it.message);
  }
  std::string operator()(const WakeAt& it) const { return "WakeAt " + formatTime(it.at); }
};

}  // namespace

std::string describe(const Action& action) {
  return std::visit(Describer{}, action);
}

}  // namespace tidegate::sim
