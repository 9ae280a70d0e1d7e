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

struct Target {
  api::ObjectRef operator()(const Bind& it) const { return podRef(it.namespace_, it.name); }
  api::ObjectRef operator()(const Patch& it) const { return it.target; }
  api::ObjectRef operator()(const DeletePod& it) const { return podRef(it.namespace_, it.name); }
  api::ObjectRef operator()(const WriteRecall& it) const { return recallRef(it.recall.metadata.name); }
  api::ObjectRef operator()(const DeleteRecall& it) const { return recallRef(it.name); }
  api::ObjectRef operator()(const Signal& it) const { return podRef(it.namespace_, it.pod); }
  api::ObjectRef operator()(const Emit& it) const { return it.about; }
  api::ObjectRef operator()(const WakeAt&) const { return {}; }
  api::ObjectRef operator()(const Create& it) const { return it.target; }
  api::ObjectRef operator()(const Delete& it) const { return it.target; }
  api::ObjectRef operator()(const Merge& it) const { return it.target; }
  api::ObjectRef operator()(const WriteStatus& it) const { return it.target; }
  // The pod, so that its deletion goes after it.
  api::ObjectRef operator()(const StorePod& it) const { return podRef(it.namespace_, it.name); }
  api::ObjectRef operator()(const RemakePod& it) const { return podRef(it.namespace_, it.name); }
};

bool onlyCondition(const Patch& patch) {
  return patch.annotations.empty() && patch.labels.empty() && !patch.suspend && !patch.replicas;
}

// A pod is told its group: of each pod of a burst, just when the burst has to be made room for.
bool namesGroup(const Patch& patch) {
  return patch.annotations.contains(api::names::kGroupName);
}

}  // namespace

api::ObjectRef targetOf(const Action& action) {
  return std::visit(Target{}, action);
}

std::string targetKey(const Action& action) {
  if (const auto* emit = std::get_if<Emit>(&action)) return "event " + EventRecorder::keyOf(*emit);
  const std::string key = keyOf(targetOf(action));
  const auto* signal = std::get_if<Signal>(&action);
  return signal == nullptr ? key : "signal of " + signal->recall + " to " + key;
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
