#include "run/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "controllers/object_checks.hpp"
#include "controllers/podgroup_controller.hpp"
#include "controllers/podgroup_status.hpp"
#include "controllers/queue_controller.hpp"
#include "controllers/vcjob.hpp"
#include "run/ssh_keys.hpp"
#include "world/kube/kube_host.hpp"

namespace tidegate::run {
namespace {

struct Named {
  std::string_view name;
  Component component;
};
constexpr std::array kNames = {Named{"scheduler", Component::Scheduler},
                               Named{"queue-controller", Component::QueueController},
                               Named{"podgroup-controller", Component::PodGroupController},
                               Named{"vcjob-controller", Component::VcJobController}};

std::string allNames() {
  std::string out;
  for (const Named& each : kNames) out += fmt::format("{}{}", out.empty() ? "" : ", ", each.name);
  return out;
}

BrainOptions brainOptions(const RunOptions& options, const scheduler::Policy& policy) {
  BrainOptions out;
  out.policy = policy;
  out.schedulerNames = {options.schedulerNames.begin(), options.schedulerNames.end()};
  out.coalesce = options.coalesce;
  out.recallDeadline = policy.recallDeadline;
  out.vcjobCommands = options.vcjobSuspend == VcJobSuspend::Command;
  out.remakePods = options.recreateBarePods;
  return out;
}

controllers::SchedulerNames schedulersOf(const RunOptions& options) {
  return {options.schedulerNames.begin(), options.schedulerNames.end()};
}

void addScheduler(const RunOptions& options, const scheduler::Policy& policy, Components& out) {
  auto brain = std::make_unique<BrainController>(brainOptions(options, policy));
  out.brain = brain.get();
  out.hosted.push_back(
      {.name = "scheduler",
       .controller = std::move(brain),
       .kinds = kube::kindsOf<api::PriorityClass, api::Namespace, api::Node, api::HyperNode, api::Queue,
                              api::PodDisruptionBudget, api::PodGroup, api::VcJob, api::BatchJob,
                              api::Deployment, api::StatefulSet, api::ReplicaSet, api::Recall, api::Pod>()});
  const auto operators = kube::operatorKinds();
  out.hosted.back().kinds.insert(out.hosted.back().kinds.end(), operators.begin(), operators.end());
  if (options.recreateBarePods) out.hosted.back().kinds.push_back(kube::kObjectIndex<api::SuspendedPod>);
  out.hosted.push_back({.name = "object-checks",
                        .controller = std::make_unique<controllers::ObjectChecks>(),
                        .kinds = kube::kindsOf<api::Queue, api::PodGroup, api::Pod, api::VcJob, api::BatchJob,
                                               api::Deployment, api::StatefulSet>()});
  // In Volcano the scheduler writes the phases of PodGroups; its controllers wait for them.
  out.hosted.push_back({.name = "podgroup-status",
                        .controller = std::make_unique<controllers::PodGroupStatusController>(
                            controllers::PodGroupStatusOptions{.schedulers = schedulersOf(options)}),
                        .kinds = kube::kindsOf<api::PodGroup, api::Pod>()});
}

void addQueueController(const RunOptions& options, Components& out) {
  out.hosted.push_back({.name = "queue-controller",
                        .controller = std::make_unique<controllers::QueueController>(
                            controllers::QueueControllerOptions{.schedulers = schedulersOf(options)}),
                        .kinds = kube::kindsOf<api::Namespace, api::Queue, api::PodGroup, api::Pod,
                                               api::Recall, api::BusCommand>()});
}

void addPodGroupController(const RunOptions& options, Components& out) {
  out.hosted.push_back({.name = "podgroup-controller",
                        .controller = std::make_unique<controllers::PodGroupController>(
                            controllers::PodGroupControllerOptions{.schedulers = schedulersOf(options)}),
                        .kinds = kube::kindsOf<api::Pod, api::PodGroup, api::ReplicaSet, api::StatefulSet,
                                               api::BatchJob, api::Namespace>()});
}

void addVcJobController(Components& out) {
  out.hosted.push_back({.name = "vcjob-controller",
                        .controller = std::make_unique<VcJobController>(makeSshKeys),
                        .kinds = kube::kindsOf<api::PriorityClass, api::Namespace, api::PodGroup, api::VcJob,
                                               api::Pod, api::BusCommand>()});
}

void add(Component component, const RunOptions& options, const scheduler::Policy& policy, Components& out) {
  switch (component) {
    case Component::Scheduler:
      return addScheduler(options, policy, out);
    case Component::QueueController:
      return addQueueController(options, out);
    case Component::PodGroupController:
      return addPodGroupController(options, out);
    case Component::VcJobController:
      return addVcJobController(out);
  }
}

}  // namespace

Result<std::vector<Component>> parseComponents(const std::string& text) {
  std::vector<Component> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view name = std::string_view(text).substr(from, comma - from);
    const auto found = std::ranges::find(kNames, name, &Named::name);
    if (found == kNames.end()) return fail(fmt::format("want some of {}, got \"{}\"", allNames(), name));
    if (std::ranges::find(out, found->component) == out.end()) out.push_back(found->component);
    from = comma + 1;
  }
  return out;
}

Components makeComponents(const RunOptions& options, const scheduler::Policy& policy) {
  Components out;
  for (const Component component : options.components) add(component, options, policy, out);
  return out;
}

}  // namespace tidegate::run
