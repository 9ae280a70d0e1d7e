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
    for (const auto& [name, value] : it.labels)
      text += fmt::format(" label {}={}", name, value.value_or("(removed)"));
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
  std::string operator()(const Create& it) const { return named("Create", it.target); }
  std::string operator()(const Delete& it) const { return named("Delete", it.target); }
  std::string operator()(const Merge& it) const { return named("Merge", it.target) + " " + it.json; }
  std::string operator()(const WriteStatus& it) const {
    return named("WriteStatus", it.target) + " " + it.statusJson;
  }
  std::string operator()(const StorePod& it) const {
    return fmt::format("StorePod {} for {}", keyOf(it.namespace_, it.name), it.facts.recall);
  }
  std::string operator()(const RemakePod& it) const {
    return fmt::format("RemakePod {}", keyOf(it.namespace_, it.name));
  }

 private:
  static std::string named(const char* verb, const api::ObjectRef& target) {
    return fmt::format("{} {} {}", verb, target.kind, keyOf(target.namespace_, target.name));
  }
};

}  // namespace

std::string describe(const Action& action) {
  return std::visit(Describer{}, action);
}

}  // namespace tidegate::sim
