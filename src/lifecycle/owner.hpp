// What owns a gang, and how each kind of owner is told to keep no pods, or fewer, and to have them back.
//
// Batch Jobs and the jobs of other projects' operators (api/operators.hpp) are suspended by their flag, at
// the top of the chain of controllers: a child Job of a JobSet, or the RayCluster of a RayJob, never by
// itself. Volcano's Jobs by annotation tidegate.dev/suspend, Deployments
// and StatefulSets by replicas: 0, the old number remembered in an annotation. An elastic job is shrunk by a
// replicas limit (Volcano's Job), parallelism (batch Job) or replicas (Deployment). Every owner carries the
// id of the recall that did it, so that doing it twice changes nothing.
//
// The controllers of these owners delete the pods themselves once they see the order. A pod that somebody
// else deletes before is to them one that was lost: the Job controller counts it as failed, backoffLimit or
// not (Kubernetes: pkg/controller/job, trackJobStatusAndRemoveFinalizers), and the ReplicaSet controller
// makes a new one. So the order comes first, and pods are deleted by us only after their controller has
// begun.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/events.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::lifecycle {

// Operator + n is the kind that api::operatorKindOf() numbers n.
enum class OwnerKind : std::uint8_t { VcJob, BatchJob, Deployment, StatefulSet, Pod, Other, Operator };

// "Job.batch.volcano.sh", "Job.batch", "Deployment.apps", "StatefulSet.apps", "Pod", "JobSet.jobset.x-k8s.io"
// and so on; anything else is Other and cannot be suspended.
std::string_view text(OwnerKind kind);
OwnerKind ownerKind(std::string_view text);

// Its number, of an operator's kind.
std::optional<std::size_t> operatorOf(OwnerKind kind);
OwnerKind operatorKind(std::size_t number);

struct Owner {
  OwnerKind kind = OwnerKind::Pod;
  std::string key;  // "namespace/name"; of a bare pod, the pod's own
  bool operator==(const Owner&) const = default;
};

// The owner of a gang's pods. A ReplicaSet is followed to its Deployment by its name ("<deployment>-<hash>").
Owner ownerOf(const ClusterState& state, const GangInfo& gang);
// All gangs it owns, by name.
std::vector<GangId> gangsOf(const ClusterState& state, const Owner& owner);
// Of gangs of one owner the one whose queue counts: the first that asks for one.
GangId mainGang(const ClusterState& state, const std::vector<GangId>& gangs);

// The metadata of an owner, if it still exists and is of a kind that can be suspended.
const api::ObjectMeta* ownerMetadata(const ClusterState& state, const Owner& owner);
api::ObjectRef ownerRef(const ClusterState& state, const Owner& owner, const api::ObjectMeta& metadata);
// The job has ended by itself: there is nothing to suspend or to resume.
bool isFinished(const ClusterState& state, const Owner& owner);

// Every pod is to stop (whole), or all but `keep`.
struct StopOrder {
  std::string recall;
  bool whole = true;
  std::int32_t keep = 0;
  Time now;
  std::optional<Time> checkpoint;  // what the job can resume from
  bool byCommand = false;          // Volcano's Jobs are aborted as well (vcjob_commands.hpp)
};
// True if the owner carries this recall's order already, is gone, has ended, cannot be suspended, or was
// suspended by somebody else, whose it then is to resume it.
bool isStopped(const ClusterState& state, const Owner& owner, const StopOrder& order);
std::optional<Patch> stopPatch(const ClusterState& state, const Owner& owner, const StopOrder& order);

// Its controller deletes the pods that the order leaves over. Else they are ours to delete: of a Volcano Job
// with a limit of replicas, of bare pods.
bool controllerDeletes(const Owner& owner, bool whole);
// The controller has done all it does about an order, so that pods still there are ours to delete: a batch
// Job says that it is suspended, and so does an operator's job and all batch Jobs under it. A StatefulSet
// whose first pod is on its way out (`hasBegun`) would go on one by one; it makes none above its number
// again.
bool controllerIsDone(const ClusterState& state, const Owner& owner, bool hasBegun);

}  // namespace tidegate::lifecycle
