// scheduling/v1, policy/v1, apps/v1, batch/v1 (see objects.hpp). Source: k8s.io/api.
#pragma once

#include "api/objects_core.hpp"

namespace tidegate::api {

struct PriorityClass {
  static constexpr const char* kKind = "PriorityClass";
  static constexpr const char* kApiVersion = "scheduling.k8s.io/v1";
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool globalDefault = false;
  std::string preemptionPolicy;
  bool operator==(const PriorityClass&) const = default;
};

// A whole number, or a percentage written "30%".
struct IntOrPercent {
  std::int32_t value = 0;
  bool percent = false;
  bool operator==(const IntOrPercent&) const = default;
};

struct PodDisruptionBudgetSpec {
  std::optional<IntOrPercent> minAvailable;
  std::optional<IntOrPercent> maxUnavailable;
  LabelSelector selector;
  bool operator==(const PodDisruptionBudgetSpec&) const = default;
};

struct PodDisruptionBudget {
  static constexpr const char* kKind = "PodDisruptionBudget";
  static constexpr const char* kApiVersion = "policy/v1";
  ObjectMeta metadata;
  PodDisruptionBudgetSpec spec;
  bool operator==(const PodDisruptionBudget&) const = default;
};

struct DeploymentSpec {
  std::optional<std::int32_t> replicas;  // 1 when absent
  LabelSelector selector;
  PodTemplateSpec template_;
  bool operator==(const DeploymentSpec&) const = default;
};

struct DeploymentStatus {
  std::int32_t replicas = 0;
  std::int32_t readyReplicas = 0;
  bool operator==(const DeploymentStatus&) const = default;
};

struct Deployment {
  static constexpr const char* kKind = "Deployment";
  static constexpr const char* kApiVersion = "apps/v1";
  ObjectMeta metadata;
  DeploymentSpec spec;
  DeploymentStatus status;
  bool operator==(const Deployment&) const = default;
};

struct ReplicaSetSpec {
  std::optional<std::int32_t> replicas;  // 1 when absent
  bool operator==(const ReplicaSetSpec&) const = default;
};

// The step between a Deployment and its pods.
struct ReplicaSet {
  static constexpr const char* kKind = "ReplicaSet";
  static constexpr const char* kApiVersion = "apps/v1";
  ObjectMeta metadata;
  ReplicaSetSpec spec;
  bool operator==(const ReplicaSet&) const = default;
};

struct StatefulSetSpec {
  std::optional<std::int32_t> replicas;  // 1 when absent
  PodTemplateSpec template_;
  bool operator==(const StatefulSetSpec&) const = default;
};

struct StatefulSet {
  static constexpr const char* kKind = "StatefulSet";
  static constexpr const char* kApiVersion = "apps/v1";
  ObjectMeta metadata;
  StatefulSetSpec spec;
  bool operator==(const StatefulSet&) const = default;
};

struct JobSpec {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::optional<std::int32_t> backoffLimit;  // 6 when absent
  std::optional<bool> suspend;
  PodTemplateSpec template_;
  bool operator==(const JobSpec&) const = default;
};

struct JobStatus {
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::vector<Condition> conditions;
  bool operator==(const JobStatus&) const = default;
};

// batch/v1 Job.
struct BatchJob {
  static constexpr const char* kKind = "Job";
  static constexpr const char* kApiVersion = "batch/v1";
  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;
  bool operator==(const BatchJob&) const = default;
};

}  // namespace tidegate::api
