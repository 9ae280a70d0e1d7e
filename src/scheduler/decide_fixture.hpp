// A cluster of a few lines for tests of decide().
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/names.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler::test {
namespace names = api::names;

inline const Time kStart = Time{} + std::chrono::hours(24 * 20000);

struct Gang {
  std::string name;
  double submitted = 0;  // seconds
  std::int32_t pods = 1;
  std::int64_t gpus = 1;
  std::string node = {};  // empty: waits
  std::int32_t priority = 0;
  std::string queue = "q";
  std::int32_t minimum = 0;  // 0: all
  std::string ownerKind = "Job";
};

inline api::Pod podOf(const Gang& gang, std::int32_t index) {
  api::Pod pod;
  pod.metadata.name = fmt::format("{}-{}", gang.name, index);
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = "uid-" + pod.metadata.name;
  pod.metadata.creationTimestamp = kStart + fromSeconds(gang.submitted);
  pod.metadata.annotations[names::kGroupName] = gang.name;
  api::Container container;
  container.name = "main";
  container.resources.requests["nvidia.com/gpu"] = Quantity::ofInteger(gang.gpus);
  pod.spec.containers.push_back(container);
  pod.spec.schedulerName = "tidegate";
  pod.spec.priority = gang.priority;
  pod.spec.nodeName = gang.node;
  pod.status.phase = gang.node.empty() ? "Pending" : "Running";
  pod.status.startTime = pod.metadata.creationTimestamp;
  return pod;
}

class DecideTest : public testing::Test {
 protected:
  void nodes(std::int32_t count, std::int64_t gpus = 8) {
    for (std::int32_t i = 1; i <= count; ++i) {
      api::Node node;
      node.metadata.name = fmt::format("n{}", i);
      node.metadata.uid = "uid-" + node.metadata.name;
      node.status.allocatable["nvidia.com/gpu"] = Quantity::ofInteger(gpus);
      node.status.allocatable["pods"] = Quantity::ofInteger(110);
      state_.apply(node);
    }
  }

  void queue(const std::string& name, std::int64_t deserved, std::int64_t guarantee = 0) {
    api::Queue queue;
    queue.metadata.name = name;
    queue.metadata.uid = "uid-queue-" + name;
    queue.spec.deserved["nvidia.com/gpu"] = Quantity::ofInteger(deserved);
    if (guarantee > 0) queue.spec.guarantee.resource["nvidia.com/gpu"] = Quantity::ofInteger(guarantee);
    state_.apply(queue);
  }

  void put(const Gang& gang) {
    api::PodGroup group;
    group.metadata.name = gang.name;
    group.metadata.namespace_ = "default";
    group.metadata.uid = "uid-group-" + gang.name;
    group.metadata.creationTimestamp = kStart + fromSeconds(gang.submitted);
    group.metadata.ownerReferences = {{"batch.volcano.sh/v1alpha1", gang.ownerKind, gang.name, "o", true}};
    group.spec.minMember = gang.minimum == 0 ? gang.pods : gang.minimum;
    group.spec.queue = gang.queue;
    state_.apply(group);
    for (std::int32_t i = 0; i < gang.pods; ++i) state_.apply(podOf(gang, i));
  }

  Decisions decided() { return decide(state_, policy_, now_, returning_); }
  std::vector<std::string> bound() {
    std::vector<std::string> out;
    for (const auto& bind : decided().binds) out.push_back(state_.pod(bind.pod).object->metadata.name);
    return out;
  }
  std::vector<std::int32_t> fits() { return fitsNow(state_, policy_, returning_, now_); }
  std::string reason(const std::string& pod) {
    for (const auto& pending : decided().pending) {
      if (state_.pod(pending.pod).object->metadata.name == pod) return pending.reason;
    }
    return "";
  }

  ClusterState state_;
  Policy policy_;
  std::vector<ReturningJob> returning_;
  Time now_ = kStart + seconds(10000);
};

}  // namespace tidegate::scheduler::test
