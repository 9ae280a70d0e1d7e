// What a cycle is told (Policy, from volcano-scheduler.conf) and what it answers (Decisions).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/resources.hpp"
#include "core/time.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::scheduler {

enum class ActionKind : std::uint8_t { Enqueue, Allocate, Backfill, Preempt, Reclaim };

// How victims are chosen. Tidegate is the product; the two others are plain rules for contrast in the drill.
enum class VictimPolicy : std::uint8_t {
  Tidegate,
  PodByPod,   // one pod at a time by priority, as plain preemption does: gangs are not looked at
  LyraCount,  // cheapest servers by the count rule of Lyra (EuroSys'23), our re-implementation
};

struct NodeOrderWeights {
  double leastRequested = 1;
  double mostRequested = 0;
  double nodeAffinity = 2;
  double balancedResource = 1;
  double taintToleration = 3;
};

struct Policy {
  std::vector<ActionKind> actions = {ActionKind::Allocate, ActionKind::Backfill, ActionKind::Preempt,
                                     ActionKind::Reclaim};
  // Plugins named in the conf that switch ordering rules on.
  bool priorityOrder = true;  // priority
  bool gangOrder = true;      // gang
  bool drfOrder = true;       // drf
  bool predicates = true;     // predicates
  bool nodeOrder = true;      // nodeorder
  NodeOrderWeights nodeOrderWeights;

  VictimPolicy victims = VictimPolicy::Tidegate;
  Duration minRuntime = seconds(600);  // a borrower runs at least so long before an ordinary recall
  double straddleRatio = 4;            // GPUs stopped per GPU delivered that deserved or weight may back
  Duration recallDeadline = seconds(15);
  Duration checkpointInterval = seconds(1800);  // assumed of jobs that report none
  Duration restartCost = seconds(60);           // redone by a resumed job: start, rendezvous, warm-up
  Duration jobPenalty = seconds(0);             // GPU-seconds charged per job stopped: more means fewer jobs
  bool overrideBudgets = true;                  // a guarantee-backed recall may break PodDisruptionBudgets
  bool shrinksVcJobs = true;  // their controller knows a limit of replicas; else they go whole or stay
};

// One pod that should start now.
struct BindDecision {
  PodId pod = kNone;
  NodeId node = kNone;
};

// Everything that is lost when one job stops.
struct VictimDecision {
  GangId gang = kNone;
  bool whole = true;  // false: only surplus pods of an elastic gang
  std::vector<PodId> pods;
  std::int64_t lostGpuSeconds = 0;
  std::int32_t priority = 0;
  GangId leader = kNone;  // of gangs that are one job and stop together: the one that is counted
};

struct RecallCost {
  std::map<std::int32_t, std::int64_t> gpusByPriority;  // GPUs stopped per priority of the victims
  std::int64_t lostGpuSeconds = 0;
  std::int64_t gpusStopped = 0;
  std::int64_t gpusBeyondDemand = 0;
  std::int32_t jobs = 0;
  std::int32_t evictedBefore = 0;
  double scalar = 0;  // the folded objective the solver minimised
};

struct RecallDecision {
  std::string queue;
  bool preempt = false;  // inside one queue, by priority; else across queues
  bool guaranteeBacked = false;
  std::vector<NodeId> nodes;
  std::vector<VictimDecision> victims;
  std::vector<BindDecision> placements;  // demand pods and where they will go
  RecallCost cost;
  double lowerBound = 0;
  double gap = 0;
  std::string forcedBy;  // gang that made it stop more than a node's worth beyond the demand, if any
};

struct PendingDecision {
  PodId pod = kNone;
  std::string reason;
};

struct Decisions {
  std::vector<BindDecision> binds;
  std::vector<BindDecision> pipelined;  // will be bound there once leaving pods are gone
  std::vector<RecallDecision> recalls;
  std::vector<PendingDecision> pending;
};

// The pods that a job which is not running now would have.
struct ResumeQuery {
  std::string queue;
  std::int32_t minMember = 1;
  std::vector<api::Pod> pods;
};

// A recalled job that may come back. It has no pods that wait, and yet its place among those that do: by
// priority, then by its own age. The cycle keeps room for it against all that is served after it.
struct ReturningJob {
  ResumeQuery query;
  GangId gang = kNone;  // its PodGroup, if it still has one
  bool whole = true;    // false: it was shrunk; each of its pods comes back on its own
  std::int32_t priority = 0;
  std::optional<Time> created;  // when it was submitted, not when it was recalled
  std::string uid;              // of its PodGroup, or of its owner: breaks ties, as for others
  std::string key;
  bool underWay = false;  // it was told to come back: these pods are still to be made
  bool insists = false;   // has been passed over for long: nodes are kept clear for it
  bool notYet = false;    // its recall is not over, or it cools down for long: no nodes are kept for it
};

// One scheduling cycle: a pure function of state and time. Returning jobs take nothing from anybody, and one
// that fits nowhere keeps no room from others unless it insists.
Decisions decide(const ClusterState& state, const Policy& policy, Time now,
                 const std::vector<ReturningJob>& returning = {});

// How many pods of each returning job would fit this moment, by quota and whole placement, each in its place
// among the waiting: of a whole job all or none (its minMember counts), of a shrunk one as many as fit.
std::vector<std::int32_t> fitsNow(const ClusterState& state, const Policy& policy,
                                  const std::vector<ReturningJob>& returning, Time now);

}  // namespace tidegate::scheduler
