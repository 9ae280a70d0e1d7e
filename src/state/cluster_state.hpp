// The cluster mirror: what the API objects say, indexed for scheduling, with accounting kept up to date on
// every change. It is changed in one place (apply / remove) and read everywhere; nothing here decides
// anything.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/objects.hpp"
#include "core/resources.hpp"
#include "core/time.hpp"
#include "quota/queue_tree.hpp"
#include "state/namespace_queues.hpp"

namespace tidegate {

using NodeId = std::uint32_t;
using PodId = std::uint32_t;
using GangId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffff;

// "namespace/name"
std::string keyOf(const api::ObjectMeta& metadata);
std::string keyOf(std::string_view namespace_, std::string_view name);

// What decides on which nodes a pod may stand. Pods with equal constraints share one entry, so that a
// predicate is judged once per node and class of pods.
struct PodConstraints {
  api::StringMap nodeSelector;
  std::optional<api::NodeAffinity> nodeAffinity;
  std::vector<api::Toleration> tolerations;
  bool operator==(const PodConstraints&) const = default;
};
using ConstraintsId = std::uint32_t;
PodConstraints constraintsIn(const api::PodSpec& spec);

struct NodeInfo {
  std::string name;
  api::StringMap labels;
  std::vector<api::Taint> taints;
  bool exists = false;  // false: pods name it, but the Node object is gone or not seen yet
  bool unschedulable = false;
  bool ready = true;    // condition Ready is not False/Unknown
  bool closed = false;  // ready, but cordoned or tainted, and openTo is 0: nothing of ours can come
  std::uint32_t openTo =
      0;                    // if cordoned or tainted: classes of live pods of ours that may stand on it still
  ResourceVec allocatable;  // includes pods
  ResourceVec used;         // requests of all bound pods that are not terminal, leaving ones included
  ResourceVec leaving;      // the part of `used` that is on its way out
  ResourceVec foreign;      // the part of `used` that other schedulers placed
  ResourceVec staying;      // the part of `used` by pods of ours that are not leaving
  std::vector<PodId> pods;  // bound, not terminal; sorted by pod key
};

// What a node adds to the total that queues share: allocatable of a ready node, less the work of other
// schedulers; of a closed node only what our pods hold on it, for what is free there is no one's to use.
// (Volcano counts cordoned nodes in full: a queue is then entitled to GPUs that nobody can get, and a
// guarantee that was lent is not given back.)
ResourceVec offeredBy(const NodeInfo& node);

// What is kept of a Pod object beside what PodInfo says: there are many pods, and their specs are large.
struct PodSource {
  api::ObjectMeta metadata;
  std::optional<std::int32_t> priority;  // spec.priority
  std::string priorityClassName;
};

enum class PodPhase : std::uint8_t { Pending, Running, Succeeded, Failed };

struct PodInfo {
  std::string key;  // "namespace/name"
  std::string uid;
  GangId gang = kNone;
  NodeId node = kNone;  // kNone: not bound
  PodPhase phase = PodPhase::Pending;
  bool ready = false;
  bool ours = false;        // its schedulerName is one of ours: we place it
  bool preemptable = true;  // volcano.sh/preemptable
  bool neverPreempts = false;
  bool terminating = false;  // deletionTimestamp is set
  bool recalled = false;     // itself or its gang is marked kRecalledBy
  std::int32_t priority = 0;
  std::optional<Time> created;
  std::optional<Time> started;
  std::optional<Time> stopsBy;  // deletionTimestamp: when its grace ends
  std::optional<Time> lastCheckpoint;
  Duration grace{};     // terminationGracePeriodSeconds, 30 s when absent
  ResourceVec request;  // includes pods: 1
  ConstraintsId constraints = 0;
  bool assumed = false;  // bound by us, not yet confirmed by the world
  bool overdue = false;  // should be gone by now: nobody may plan on its leaving
  std::shared_ptr<const PodSource> object;

  bool terminal() const { return phase == PodPhase::Succeeded || phase == PodPhase::Failed; }
  bool bound() const { return node != kNone && !terminal(); }
  bool leaving() const { return bound() && !overdue && (terminating || recalled); }
  // Waits for us: a live, unbound pod of ours that may be placed.
  bool pending() const { return ours && node == kNone && !terminal() && !terminating && !recalled; }
};

api::ObjectRef refOf(const PodInfo& pod);

// A gang: a PodGroup, or an implicit one for pods without it (one per controller, or per bare pod).
struct GangInfo {
  std::string key;  // "namespace/podgroup"
  std::string uid;
  bool exists = false;       // the PodGroup was seen; false while only pods name it
  bool implicit = false;     // made for pods without a PodGroup
  bool asksNoQueue = false;  // neither its PodGroup nor, without one, its pods: its namespace's
  std::string queue;         // name; "default" when unset
  quota::QueueId queueId = quota::kNoQueue;
  std::int32_t minMember = 1;
  std::int32_t priority = 0;
  bool preemptable = true;
  std::optional<Time> created;
  std::optional<Time> lastCheckpoint;
  std::optional<Duration> checkpointInterval;
  std::optional<Duration> checkpointDuration;
  std::optional<Duration> stopDuration;
  std::optional<Duration> minRuntime;
  std::optional<Time> resumedAt;
  std::int32_t evictions = 0;            // recalled so often before
  std::string recalledBy;                // id of the recall under way, empty if none
  std::optional<bool> wholeNode;         // tidegate.dev/topology, if set
  std::optional<std::int32_t> hardTier;  // networkTopology hard: highest HyperNode tier allowed
  api::OwnerReference owner;             // controller of the gang (or of its pods); kind empty if none
  std::vector<PodId> pods;               // live pods (not gone), sorted by key

  // Its pods name a PodGroup that was not seen: pods and PodGroups come by watches of their own.
  bool unseen() const { return !exists && !implicit; }
};

// An active Recall, as scheduling sees it: whose nodes are held for whom.
struct RecallInfo {
  std::string name;
  std::string queue;
  std::set<NodeId> nodes;
  bool active = true;  // not HandedOver, not Abandoned
  std::shared_ptr<const api::Recall> object;
};

// A job of another project's operator (api/operators.hpp).
struct OperatorJobInfo {
  std::size_t row = 0;  // of its version
  api::OperatorJob object;
  api::OperatorFacts facts;
};

// A HyperNode with its member nodes resolved (HyperNode members flattened).
struct DomainInfo {
  std::string name;
  std::int32_t tier = 0;
  std::vector<NodeId> nodes;  // sorted by node name
};

class ClusterState {
 public:
  // Pods with one of these schedulerNames are placed here; all others are only counted.
  explicit ClusterState(std::set<std::string> schedulerNames = {"volcano", "tidegate"});

  // Takes over a new or changed object. An object older than the one already held (same uid, resourceVersion
  // not newer when both are numbers) changes nothing, so repeated and reordered watch events are harmless.
  void apply(const api::Object& object);
  // The object is gone. `uid` guards against a late event about an older object of the same name; empty: any.
  void remove(const api::ObjectRef& ref, const std::string& uid = "");

  ResourceTable& resources() { return resources_; }
  const ResourceTable& resources() const { return resources_; }
  const quota::QueueTree& queues() const { return queues_; }

  // Dense tables; entries of objects that are gone stay as tombstones (exists = false / empty key) for reuse.
  const std::vector<NodeInfo>& nodes() const { return nodes_; }
  const std::vector<PodInfo>& pods() const { return pods_; }
  const std::vector<GangInfo>& gangs() const { return gangs_; }
  const NodeInfo& node(NodeId id) const { return nodes_[id]; }
  const PodInfo& pod(PodId id) const { return pods_[id]; }
  const GangInfo& gang(GangId id) const { return gangs_[id]; }
  const PodConstraints& constraints(ConstraintsId id) const { return constraints_[id]; }
  // The class that a pod like this belongs to; kNone if no pod like it was ever seen.
  ConstraintsId constraintsOf(const api::PodSpec& spec) const;
  std::size_t constraintsCount() const { return constraints_.size(); }

  // Lookup by name; kNone if unknown. The index maps iterate in name order: use them where order shows.
  NodeId findNode(std::string_view name) const;
  PodId findPod(std::string_view key) const;
  GangId findGang(std::string_view key) const;
  const std::map<std::string, NodeId, std::less<>>& nodeIndex() const { return nodeIndex_; }
  const std::map<std::string, PodId, std::less<>>& podIndex() const { return podIndex_; }
  const std::map<std::string, GangId, std::less<>>& gangIndex() const { return gangIndex_; }

  const std::map<std::string, RecallInfo>& recalls() const { return recalls_; }
  const std::vector<DomainInfo>& domains() const;  // by tier, then name
  const std::map<std::string, api::PodDisruptionBudget>& budgets() const { return budgets_; }

  // Objects that only the lifecycle looks at, by "namespace/name".
  const std::map<std::string, api::VcJob>& vcJobs() const { return vcJobs_; }
  const std::map<std::string, api::BatchJob>& batchJobs() const { return batchJobs_; }
  const std::map<std::string, api::Deployment>& deployments() const { return deployments_; }
  const std::map<std::string, api::StatefulSet>& statefulSets() const { return statefulSets_; }
  const std::map<std::string, api::ReplicaSet>& replicaSets() const { return replicaSets_; }
  // Of a kind as operatorKindOf() numbers it.
  const std::map<std::string, OperatorJobInfo>& operatorJobs(std::size_t kind) const {
    return operatorJobs_.at(kind);
  }

  // By "namespace/name", that of the pod.
  const std::map<std::string, api::SuspendedPod>& suspendedPods() const { return suspendedPods_; }

  // The priority a pod has or, of one that is still to be made, will have.
  std::int32_t priorityOf(const api::Pod& object) const;
  std::int32_t priorityOf(const PodSource& pod) const;

  // Counts a pod as bound to a node before the world confirms it (an assumption); a later object of the same
  // pod overrides it. undoBind takes it back.
  void assumeBind(PodId pod, NodeId node);
  void undoBind(PodId pod);

  // Counts a pod as recalled before its mark is seen; a later object of the pod decides again.
  void assumeRecalled(PodId pod);
  // The pod's time to leave is over and it is still there (node lost, finalizer): it counts as used, no
  // longer as leaving. A later object of the pod decides again.
  void markOverdue(PodId pod);
  // Takes both back: what the objects say counts.
  void dropAssumptions(PodId pod);

  // Rises with every change that may alter a scheduling decision.
  std::uint64_t generation() const { return generation_; }

 private:
  struct Version {
    std::string uid;
    std::string resourceVersion;
    bool gone = false;
  };

  // versions.cpp: is this object news? Remembers it if so.
  bool isNews(const api::ObjectRef& ref, const api::ObjectMeta& metadata);

  // apply_*.cpp: one function per kind. One that returns false has found nothing that a decision rests on.
  void applyObject(const api::PriorityClass& object);
  bool applyObject(const api::Node& object);
  void applyObject(const api::HyperNode& object);
  bool applyObject(const api::Queue& object);
  void applyObject(const api::PodDisruptionBudget& object);
  void applyObject(const api::PodGroup& object);
  void applyObject(const api::VcJob& object);
  void applyObject(const api::BatchJob& object);
  void applyObject(const api::Deployment& object);
  void applyObject(const api::StatefulSet& object);
  void applyObject(const api::ReplicaSet& object);
  template <std::size_t Row>
  void applyObject(const api::OperatorJobOf<Row>& object) {
    applyOperatorJob(Row, object);
  }
  void applyOperatorJob(std::size_t row, const api::OperatorJob& object);
  void applyObject(const api::Recall& object);
  void applyObject(const api::SuspendedPod& object);
  void applyObject(const api::Pod& object);
  bool applyObject(const api::Namespace& object);
  void applyObject(const api::ConfigMap&) {}
  void applyObject(const api::BusCommand&) {}
  void removeNode(const std::string& name);
  void removePod(const std::string& key);
  void removePodGroup(const std::string& key);

  // A pod's share in the sums of its node, its queue and the cluster: taken out before a change, put in after
  // it.
  enum class Sign { Add, Subtract };
  void account(PodId id, Sign sign);
  void accountGang(GangId id, Sign sign);

  // closed_nodes.cpp
  std::optional<ConstraintsId> placedClass(const PodInfo& pod) const;
  bool opens(ConstraintsId id, const NodeInfo& node) const;
  void classComes(ConstraintsId id);
  void classGoes(ConstraintsId id);
  void changeOpeners(ConstraintsId id, Sign sign);
  void countOpeners(NodeInfo& node) const;
  void settleClosed(NodeInfo& node);

  NodeId nodeSlot(const std::string& name);
  GangId gangSlot(const std::string& key);
  GangId gangOf(const api::Pod& object);
  void giveQueue(GangInfo& gang, const std::string& inNamespace);
  void detachPod(PodId id);
  void releaseGangIfUnused(GangId id);
  void refreshGang(GangId id);
  void refreshPriorities();
  std::int32_t classValue(const std::string& name, std::int32_t otherwise) const;
  ConstraintsId internConstraints(const api::PodSpec& spec);
  void refreshTotal(const ResourceVec& before, const ResourceVec& after);

  std::set<std::string> schedulerNames_;
  ResourceTable resources_;
  quota::QueueTree queues_;
  ResourceVec total_;  // what all nodes offer
  std::vector<NodeInfo> nodes_;
  std::vector<PodInfo> pods_;
  std::vector<GangInfo> gangs_;
  std::vector<PodConstraints> constraints_;
  std::map<std::string, ConstraintsId> constraintIndex_;
  std::map<ConstraintsId, std::uint32_t> placedClasses_;  // of live pods of ours, and how many each has
  std::vector<PodId> freePods_;
  std::vector<GangId> freeGangs_;
  std::map<std::string, NodeId, std::less<>> nodeIndex_;
  std::map<std::string, PodId, std::less<>> podIndex_;
  std::map<std::string, GangId, std::less<>> gangIndex_;
  std::map<std::string, api::PodGroup, std::less<>> podGroups_;
  std::map<std::string, api::PriorityClass> priorityClasses_;
  std::map<std::string, api::HyperNode> hyperNodes_;
  std::map<std::string, api::PodDisruptionBudget> budgets_;
  std::map<std::string, api::VcJob> vcJobs_;
  std::map<std::string, api::BatchJob> batchJobs_;
  std::map<std::string, api::Deployment> deployments_;
  std::map<std::string, api::StatefulSet> statefulSets_;
  std::map<std::string, api::ReplicaSet> replicaSets_;
  std::array<std::map<std::string, OperatorJobInfo>, api::kOperatorRows> operatorJobs_;  // by kind
  NamespaceQueues namespaceQueues_;
  std::map<std::string, RecallInfo> recalls_;
  std::map<std::string, api::SuspendedPod> suspendedPods_;
  mutable std::optional<std::vector<DomainInfo>> domains_;  // resolved when first asked for after a change
  std::map<api::ObjectRef, Version> versions_;
  std::vector<api::ObjectRef> goneOrder_;  // oldest first: bounds what is remembered of objects that are gone
  std::uint64_t generation_ = 0;
};

}  // namespace tidegate
