#include "controllers/vcjob_book.hpp"

#include <algorithm>
#include <charconv>

#include "api/names.hpp"

namespace tidegate::vcjob {

namespace {

PodPhase phaseOf(const std::string& text) {
  if (text == "Running") return PodPhase::Running;
  if (text == "Succeeded") return PodPhase::Succeeded;
  if (text == "Failed") return PodPhase::Failed;
  if (text == "Unknown") return PodPhase::Unknown;
  return PodPhase::Pending;
}

const std::string* find(const api::StringMap& map, const char* name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

std::int32_t numberOf(const std::string* text) {
  std::int32_t number = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

std::string taskOf(const api::ObjectMeta& metadata) {
  for (const api::StringMap* map : {&metadata.annotations, &metadata.labels}) {
    if (const std::string* task = find(*map, api::names::kTaskSpec)) return *task;
  }
  return {};
}

// A pod that says nothing of its readiness counts as ready when it runs.
bool isReady(const api::PodStatus& status) {
  const auto ready = std::ranges::find(status.conditions, "Ready", &api::Condition::type);
  return ready == status.conditions.end() || ready->status == "True";
}

}  // namespace

PodView viewOf(const api::Pod& pod) {
  PodView view;
  view.name = pod.metadata.name;
  view.uid = pod.metadata.uid;
  view.task = taskOf(pod.metadata);
  view.phase = phaseOf(pod.status.phase);
  view.terminating = pod.metadata.deletionTimestamp.has_value();
  view.ready = isReady(pod.status);
  view.outOfSync = pod.metadata.annotations.contains(kOutOfSync);
  view.recalled = pod.metadata.annotations.contains(api::names::kRecalledBy);
  view.version = numberOf(find(pod.metadata.annotations, kJobVersion));
  view.grace = pod.spec.terminationGracePeriodSeconds.value_or(30);
  view.created = pod.metadata.creationTimestamp;
  for (const api::ContainerStatus& container : pod.status.containerStatuses) {
    view.restarts += container.restartCount;
    const auto& terminated = container.state.terminated;
    if (view.exitCode == 0 && terminated) view.exitCode = terminated->exitCode;
  }
  return view;
}

}  // namespace tidegate::vcjob
