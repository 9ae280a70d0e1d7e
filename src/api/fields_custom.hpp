// The schema, continued (see fields.hpp): Volcano's kinds and tidegate's own. What users write here (spec) is
// strict; status is written by controllers of any version and is not.
#pragma once

#include "api/fields.hpp"

namespace tidegate::api {

// ---- scheduling.volcano.sh/v1beta1
// -------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<QueueGuarantee>) {
  v("resource", &QueueGuarantee::resource);
  v.strict("the list of a guarantee stands one level deeper: guarantee: {resource: {...}}");
}

template <class V>
void fields(V& v, Of<QueueSpec>) {
  v("weight", &QueueSpec::weight, Range{.low = 1, .high = 65535});
  v.eitherForm("capability", "resource", &QueueSpec::capability);
  v("reclaimable", &QueueSpec::reclaimable);
  v("guarantee", &QueueSpec::guarantee);
  v("deserved", &QueueSpec::deserved);
  v("parent", &QueueSpec::parent);
  v("priority", &QueueSpec::priority, kFromZero);
  v("type", &QueueSpec::type);
  v("dequeueStrategy", &QueueSpec::dequeueStrategy);
  v.known({"affinity", "extendClusters"});
  v.strict("capability, deserved and guarantee stand directly under spec");
}

template <class V>
void fields(V& v, Of<QueueReservation>) {
  v("nodes", &QueueReservation::nodes);
  v("resource", &QueueReservation::resource);
}

template <class V>
void fields(V& v, Of<QueueStatus>) {
  v("state", &QueueStatus::state);
  v("allocated", &QueueStatus::allocated);
  v("deserved", &QueueStatus::deserved);
  v("reservation", &QueueStatus::reservation);
  v("pending", &QueueStatus::pending);
  v("inqueue", &QueueStatus::inqueue);
  v("running", &QueueStatus::running);
  v("unknown", &QueueStatus::unknown);
  v("completed", &QueueStatus::completed);
}

template <class V>
void fields(V& v, Of<Queue>) {
  v("metadata", &Queue::metadata);
  v("spec", &Queue::spec);
  v("status", &Queue::status);
  v.strict("what a queue may have stands under spec");
}

template <class V>
void fields(V& v, Of<NetworkTopology>) {
  v("mode", &NetworkTopology::mode);
  v("highestTierAllowed", &NetworkTopology::highestTierAllowed, kFromZero);
  v("highestTierName", &NetworkTopology::highestTierName);
  v.strict("");
}

template <class V>
void fields(V& v, Of<PodGroupSpec>) {
  v("minMember", &PodGroupSpec::minMember, kReplicas);
  v("minTaskMember", &PodGroupSpec::minTaskMember, kReplicas);
  v("queue", &PodGroupSpec::queue);
  v("priorityClassName", &PodGroupSpec::priorityClassName);
  v("minResources", &PodGroupSpec::minResources);
  v("networkTopology", &PodGroupSpec::networkTopology);
  v.known({"subGroupPolicy"});
  v.strict("");
}

template <class V>
void fields(V& v, Of<PodGroupStatus>) {
  v("phase", &PodGroupStatus::phase);
  v("conditions", &PodGroupStatus::conditions);
  v("running", &PodGroupStatus::running);
  v("succeeded", &PodGroupStatus::succeeded);
  v("failed", &PodGroupStatus::failed);
}

template <class V>
void fields(V& v, Of<PodGroup>) {
  v("metadata", &PodGroup::metadata);
  v("spec", &PodGroup::spec);
  v("status", &PodGroup::status);
  v.strict("");
}

// ---- batch.volcano.sh/v1alpha1
// -----------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<LifecyclePolicy>) {
  v("action", &LifecyclePolicy::action);
  v("event", &LifecyclePolicy::event);
  v("events", &LifecyclePolicy::events);
  v("exitCode", &LifecyclePolicy::exitCode);
  v("timeout", &LifecyclePolicy::timeout);
  v.strict("");
}

template <class V>
void fields(V& v, Of<TaskDependsOn>) {
  v("name", &TaskDependsOn::name);
  v("iteration", &TaskDependsOn::iteration);
  v.strict("");
}

template <class V>
void fields(V& v, Of<TaskSpec>) {
  v("name", &TaskSpec::name);
  v("replicas", &TaskSpec::replicas, kReplicas);
  v("minAvailable", &TaskSpec::minAvailable, kReplicas);
  v.withText("template", &TaskSpec::template_, &TaskSpec::templateJson);
  v("policies", &TaskSpec::policies);
  v("maxRetry", &TaskSpec::maxRetry);
  v("dependsOn", &TaskSpec::dependsOn);
  v.known({"topologyPolicy", "partitionPolicy"});
  v.strict("");
}

template <class V>
void fields(V& v, Of<VolumeClaimSpec>) {
  v("accessModes", &VolumeClaimSpec::accessModes);
  v("storageClassName", &VolumeClaimSpec::storageClassName);
  v("resources", &VolumeClaimSpec::resources);
  v.known(
      {"selector", "volumeName", "volumeMode", "dataSource", "dataSourceRef", "volumeAttributesClassName"});
}

template <class V>
void fields(V& v, Of<VcJobVolume>) {
  v("mountPath", &VcJobVolume::mountPath);
  v("volumeClaimName", &VcJobVolume::volumeClaimName);
  v.withText("volumeClaim", &VcJobVolume::volumeClaim, &VcJobVolume::volumeClaimJson);
  v.strict("");
}

template <class V>
void fields(V& v, Of<VcJobSpec>) {
  v("schedulerName", &VcJobSpec::schedulerName);
  v("minAvailable", &VcJobSpec::minAvailable, kReplicas);
  v("tasks", &VcJobSpec::tasks);
  v("policies", &VcJobSpec::policies);
  v("queue", &VcJobSpec::queue);
  v("maxRetry", &VcJobSpec::maxRetry, kFromZero);
  v("priorityClassName", &VcJobSpec::priorityClassName);
  v("volumes", &VcJobSpec::volumes);
  v("plugins", &VcJobSpec::plugins);
  v("ttlSecondsAfterFinished", &VcJobSpec::ttlSecondsAfterFinished, kFromZero);
  v("minSuccess", &VcJobSpec::minSuccess, kFromZero);
  v("networkTopology", &VcJobSpec::networkTopology);
  v.known({"runningEstimate"});
  v.strict("");
}

template <class V>
void fields(V& v, Of<VcJobState>) {
  v("phase", &VcJobState::phase);
  v("reason", &VcJobState::reason);
  v("message", &VcJobState::message);
  v("lastTransitionTime", &VcJobState::lastTransitionTime);
}

template <class V>
void fields(V& v, Of<VcJobCondition>) {
  v("status", &VcJobCondition::status);
  v("lastTransitionTime", &VcJobCondition::lastTransitionTime);
}

template <class V>
void fields(V& v, Of<VcTaskState>) {
  v("phase", &VcTaskState::phase);
}

template <class V>
void fields(V& v, Of<VcJobStatus>) {
  v("state", &VcJobStatus::state);
  v("pending", &VcJobStatus::pending);
  v("running", &VcJobStatus::running);
  v("succeeded", &VcJobStatus::succeeded);
  v("failed", &VcJobStatus::failed);
  v("terminating", &VcJobStatus::terminating);
  v("unknown", &VcJobStatus::unknown);
  v("minAvailable", &VcJobStatus::minAvailable);
  v("version", &VcJobStatus::version);
  v("retryCount", &VcJobStatus::retryCount);
  v("runningDuration", &VcJobStatus::runningDuration);
  v("taskStatusCount", &VcJobStatus::taskStatusCount);
  v("controlledResources", &VcJobStatus::controlledResources);
  v("conditions", &VcJobStatus::conditions);
}

template <class V>
void fields(V& v, Of<VcJob>) {
  v("metadata", &VcJob::metadata);
  v("spec", &VcJob::spec);
  v("status", &VcJob::status);
  v.strict("");
}

// ---- bus.volcano.sh/v1alpha1
// -----------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<BusCommand>) {
  v("metadata", &BusCommand::metadata);
  v("action", &BusCommand::action);
  v("target", &BusCommand::target);
  v("reason", &BusCommand::reason);
  v("message", &BusCommand::message);
}

// ---- topology.volcano.sh/v1alpha1
// --------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<MemberSelector>) {
  v.nested("exactMatch", "name", &MemberSelector::exactMatch);
  v.nested("regexMatch", "pattern", &MemberSelector::regexMatch);
  v("labelMatch", &MemberSelector::labelMatch);
  v.strict("");
}

template <class V>
void fields(V& v, Of<HyperNodeMember>) {
  v("type", &HyperNodeMember::type);
  v("selector", &HyperNodeMember::selector);
  v.strict("");
}

template <class V>
void fields(V& v, Of<HyperNodeSpec>) {
  v("tier", &HyperNodeSpec::tier, kFromZero);
  v("tierName", &HyperNodeSpec::tierName);
  v("members", &HyperNodeSpec::members);
  v.strict("");
}

template <class V>
void fields(V& v, Of<HyperNode>) {
  v("metadata", &HyperNode::metadata);
  v("spec", &HyperNode::spec);
  v.known({"status"});
  v.strict("");
}

// ---- tidegate.dev/v1alpha1
// ---------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Of<RecallPod>) {
  v("name", &RecallPod::name);
  v("namespace", &RecallPod::namespace_);
  v("uid", &RecallPod::uid);
  v("node", &RecallPod::node);
}

template <class V>
void fields(V& v, Of<RecallVictim>) {
  v("gang", &RecallVictim::gang);
  v("ownerKind", &RecallVictim::ownerKind);
  v("owner", &RecallVictim::owner);
  v("whole", &RecallVictim::whole);
  v("pods", &RecallVictim::pods);
  v("phase", &RecallVictim::phase);
  v("signalledAt", &RecallVictim::signalledAt);
  v("checkpointedAt", &RecallVictim::checkpointedAt);
  v("stoppingAt", &RecallVictim::stoppingAt);
  v("releasedAt", &RecallVictim::releasedAt);
  v("lostGpuSeconds", &RecallVictim::lostGpuSeconds);
}

template <class V>
void fields(V& v, Of<RecallPlacement>) {
  v("pod", &RecallPlacement::pod);
  v("podUid", &RecallPlacement::podUid);
  v("node", &RecallPlacement::node);
}

template <class V>
void fields(V& v, Of<RecallSpec>) {
  v("queue", &RecallSpec::queue);
  v("reason", &RecallSpec::reason);
  v("guaranteeBacked", &RecallSpec::guaranteeBacked);
  v("startedAt", &RecallSpec::startedAt);
  v("deadline", &RecallSpec::deadline);
  v("nodes", &RecallSpec::nodes);
  v("victims", &RecallSpec::victims);
  v("stops", &RecallSpec::stops);
  v("placements", &RecallSpec::placements);
  v("cost", &RecallSpec::cost);
  v("lowerBound", &RecallSpec::lowerBound);
}

template <class V>
void fields(V& v, Of<RecallStatus>) {
  v("phase", &RecallStatus::phase);
  v("handedOverAt", &RecallStatus::handedOverAt);
  v("message", &RecallStatus::message);
}

template <class V>
void fields(V& v, Of<Recall>) {
  v("metadata", &Recall::metadata);
  v("spec", &Recall::spec);
  v("status", &Recall::status);
}

template <class V>
void fields(V& v, Of<SuspendedPodSpec>) {
  v("recall", &SuspendedPodSpec::recall);
  v("queue", &SuspendedPodSpec::queue);
  v("podGroup", &SuspendedPodSpec::podGroup);
  v("whole", &SuspendedPodSpec::whole);
  v("podUid", &SuspendedPodSpec::podUid);
  v("pod", &SuspendedPodSpec::pod);
}

template <class V>
void fields(V& v, Of<SuspendedPod>) {
  v("metadata", &SuspendedPod::metadata);
  v("spec", &SuspendedPod::spec);
}

}  // namespace tidegate::api
