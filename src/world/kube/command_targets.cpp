#include "world/kube/command_targets.hpp"

#include <fmt/format.h>

#include <array>

#include "api/json_writer.hpp"
#include "api/kinds.hpp"
#include "api/names.hpp"
#include "world/kube/commands.hpp"
#include "world/kube/event_recorder.hpp"
#include "world/kube/requests.hpp"

namespace tidegate::kube {
namespace {

std::string keyOf(const api::ObjectRef& ref) {
  const std::string_view group = api::groupOfVersion(ref.apiVersion);
  return fmt::format("{}.{} {}/{}", ref.kind, group, ref.namespace_, ref.name);
}

struct Key {
  std::string operator()(const Bind& it) const { return keyOf(podRef(it.namespace_, it.name)); }
  std::string operator()(const Patch& it) const { return keyOf(it.target); }
  std::string operator()(const DeletePod& it) const { return keyOf(podRef(it.namespace_, it.name)); }
  std::string operator()(const WriteRecall& it) const { return keyOf(recallRef(it.recall.metadata.name)); }
  std::string operator()(const DeleteRecall& it) const { return keyOf(recallRef(it.name)); }
  std::string operator()(const Signal& it) const {
    return "signal of " + it.recall + " to " + keyOf(podRef(it.namespace_, it.pod));
  }
  std::string operator()(const Emit& it) const { return "event " + EventRecorder::keyOf(it); }
  std::string operator()(const WakeAt&) const { return {}; }
  std::string operator()(const Create& it) const { return keyOf(it.target); }
  std::string operator()(const Delete& it) const { return keyOf(it.target); }
  std::string operator()(const Merge& it) const { return keyOf(it.target); }
  std::string operator()(const WriteStatus& it) const { return keyOf(it.target); }
  // The pod's, so that its deletion goes after it.
  std::string operator()(const StorePod& it) const { return keyOf(podRef(it.namespace_, it.name)); }
  std::string operator()(const RemakePod& it) const { return keyOf(podRef(it.namespace_, it.name)); }
};

bool onlyCondition(const Patch& patch) {
  return patch.annotations.empty() && patch.labels.empty() && !patch.suspend && !patch.replicas;
}

// A pod is told its group: of each pod of a burst, just when the burst has to be made room for.
bool namesGroup(const Patch& patch) {
  return patch.annotations.contains(api::names::kGroupName);
}

}  // namespace

std::string targetKey(const Action& action) {
  return std::visit(Key{}, action);
}

Rank rankOf(const Action& action) {
  if (const auto* patch = std::get_if<Patch>(&action)) {
    if (namesGroup(*patch)) return Rank::Place;
    return onlyCondition(*patch) ? Rank::Status : Rank::Recall;
  }
  if (std::holds_alternative<Emit>(action)) return Rank::Event;
  if (std::holds_alternative<WriteStatus>(action)) return Rank::Status;
  const bool place = std::holds_alternative<Bind>(action) || std::holds_alternative<Create>(action) ||
                     std::holds_alternative<Delete>(action) || std::holds_alternative<Merge>(action) ||
                     std::holds_alternative<RemakePod>(action);
  return place ? Rank::Place : Rank::Recall;
}

std::string_view nameOf(const Action& action) {
  static constexpr std::array<std::string_view, std::variant_size_v<Action>> kNames = {
      "Bind",   "Patch",  "DeletePod", "WriteRecall", "DeleteRecall", "Signal",   "Emit",
      "WakeAt", "Create", "Delete",    "Merge",       "WriteStatus",  "StorePod", "RemakePod"};
  return kNames.at(action.index());
}

std::string signalUrl(const Signal& signal, const std::string& address) {
  const bool v6 = address.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}{}{}", v6 ? "[" : "", address, v6 ? "]" : "", signal.port,
                     signal.path.starts_with('/') ? "" : "/", signal.path);
}

std::string signalBody(const Signal& signal) {
  api::JsonWriter json;
  json.beginObject();
  json.member("recall", signal.recall);
  json.member("deadline", formatTime(signal.deadline));
  json.member("namespace", signal.namespace_);
  json.member("pod", signal.pod);
  json.endObject();
  return json.take();
}

}  // namespace tidegate::kube
