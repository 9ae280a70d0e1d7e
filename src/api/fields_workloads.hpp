// The schema, continued (see fields.hpp): scheduling/v1, policy/v1, apps/v1, batch/v1.
#pragma once

#include "api/fields.hpp"

namespace tidegate::api {

template <class V>
void fields(V& v, Of<PriorityClass>) {
  v("metadata", &PriorityClass::metadata);
  v("value", &PriorityClass::value);
  v("globalDefault", &PriorityClass::globalDefault);
  v("preemptionPolicy", &PriorityClass::preemptionPolicy);
  v.known({"description"});
}

template <class V>
void fields(V& v, Of<PodDisruptionBudgetSpec>) {
  v("minAvailable", &PodDisruptionBudgetSpec::minAvailable);
  v("maxUnavailable", &PodDisruptionBudgetSpec::maxUnavailable);
  v("selector", &PodDisruptionBudgetSpec::selector);
  v.known({"unhealthyPodEvictionPolicy"});
}

template <class V>
void fields(V& v, Of<PodDisruptionBudget>) {
  v("metadata", &PodDisruptionBudget::metadata);
  v("spec", &PodDisruptionBudget::spec);
  v.known({"status"});
}

template <class V>
void fields(V& v, Of<DeploymentSpec>) {
  v("replicas", &DeploymentSpec::replicas, kReplicas);
  v("selector", &DeploymentSpec::selector);
  v("template", &DeploymentSpec::template_);
  v.known({"strategy", "minReadySeconds", "revisionHistoryLimit", "paused", "progressDeadlineSeconds"});
}

template <class V>
void fields(V& v, Of<DeploymentStatus>) {
  v("replicas", &DeploymentStatus::replicas);
  v("readyReplicas", &DeploymentStatus::readyReplicas);
  v.known({"observedGeneration", "updatedReplicas", "availableReplicas", "unavailableReplicas", "conditions",
           "collisionCount", "terminatingReplicas"});
}

template <class V>
void fields(V& v, Of<Deployment>) {
  v("metadata", &Deployment::metadata);
  v("spec", &Deployment::spec);
  v("status", &Deployment::status);
}

template <class V>
void fields(V& v, Of<ReplicaSetSpec>) {
  v("replicas", &ReplicaSetSpec::replicas, kReplicas);
  v.known({"selector", "template", "minReadySeconds"});
}

template <class V>
void fields(V& v, Of<ReplicaSet>) {
  v("metadata", &ReplicaSet::metadata);
  v("spec", &ReplicaSet::spec);
  v.known({"status"});
}

template <class V>
void fields(V& v, Of<StatefulSetSpec>) {
  v("replicas", &StatefulSetSpec::replicas, kReplicas);
  v("template", &StatefulSetSpec::template_);
  v.known({"selector", "serviceName", "podManagementPolicy", "updateStrategy", "revisionHistoryLimit",
           "volumeClaimTemplates", "minReadySeconds", "persistentVolumeClaimRetentionPolicy", "ordinals"});
}

template <class V>
void fields(V& v, Of<StatefulSet>) {
  v("metadata", &StatefulSet::metadata);
  v("spec", &StatefulSet::spec);
  v.known({"status"});
}

template <class V>
void fields(V& v, Of<JobSpec>) {
  v("parallelism", &JobSpec::parallelism, kReplicas);
  v("completions", &JobSpec::completions, kReplicas);
  v("backoffLimit", &JobSpec::backoffLimit, kFromZero);
  v("suspend", &JobSpec::suspend);
  v("template", &JobSpec::template_);
  v.known({"selector", "manualSelector", "activeDeadlineSeconds", "ttlSecondsAfterFinished", "completionMode",
           "podFailurePolicy", "podReplacementPolicy", "backoffLimitPerIndex", "maxFailedIndexes",
           "managedBy", "successPolicy"});
}

template <class V>
void fields(V& v, Of<JobStatus>) {
  v("active", &JobStatus::active);
  v("succeeded", &JobStatus::succeeded);
  v("failed", &JobStatus::failed);
  v("conditions", &JobStatus::conditions);
  v.known({"startTime", "completionTime", "ready", "terminating", "uncountedTerminatedPods",
           "completedIndexes", "failedIndexes"});
}

template <class V>
void fields(V& v, Of<BatchJob>) {
  v("metadata", &BatchJob::metadata);
  v("spec", &BatchJob::spec);
  v("status", &BatchJob::status);
}

// ---- operators' jobs (operators.hpp)

template <class V, std::size_t Row>
void fields(V& v, Of<OperatorJobOf<Row>>) {
  using Job = OperatorJobOf<Row>;
  v("metadata", static_cast<ObjectMeta Job::*>(&Job::metadata));
  v.asText("spec", static_cast<std::string Job::*>(&Job::spec));
  v.asText("status", static_cast<std::string Job::*>(&Job::status));
}

}  // namespace tidegate::api
