// What a drill measured, ready to be shown: no scheduling types, no clock, nothing that differs between two
// runs of the same seed. The drill fills it in; page.hpp, json.hpp, junit.hpp and text.hpp only render it.
//
// All times are durations since the burst was asked for (T0), negative before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace tidegate::report {

// One measured figure against its limit.
struct Check {
  std::string id = {};               // "recall-seconds"
  std::string what = {};             // "Offline evicted, quota recalled"
  std::string measured = {};         // "6.41 s"
  std::string limit = {};            // "at most 15 s"
  std::optional<double> share = {};  // measured / limit, where that is a quantity; for the gauge
  bool holds = true;
  std::string cause = {};  // why it does not hold; empty if it does
};

// One acceptance bar: it holds if all its checks do.
struct Bar {
  std::string id = {};     // "latency"
  std::string title = {};  // "Recalled in 15 s, ready in 30 s"
  std::vector<Check> checks = {};

  bool holds() const;
};

// One stretch of the recall's critical path; they follow each other without a gap. Unset: never reached.
struct Phase {
  std::string name = {};  // detect, decide, API, checkpoint, stop, bind, ready
  std::string what = {};  // from which event to which
  std::optional<Duration> length = {};
};

// One job that gave GPUs back.
struct JobRow {
  std::string name = {};  // "namespace/name"
  std::string kind = {};  // "vcjob", "Job", "Deployment", "Pod"
  std::string queue = {};
  int podsStopped = 0;
  int podsTotal = 0;  // before the recall
  int gpusStopped = 0;
  bool shrunk = false;  // an elastic job that kept running with fewer pods
  bool broken = false;  // lost pods although it could not run on without them
  std::vector<std::string> nodes = {};

  std::optional<Duration> signalledAt = {};
  std::optional<Duration> checkpointedAt = {};
  std::optional<Duration> stoppingAt = {};
  std::optional<Duration> releasedAt = {};   // its last pod gone
  std::optional<Duration> suspendedAt = {};  // from here on no pod of it is created
  std::optional<Duration> resumedAt = {};    // its pods run again
  std::optional<Duration> endedAt = {};      // all its work done

  std::int64_t stepAtStop = 0;  // training steps done when it stopped
  std::int64_t savedStep = 0;   // steps its last checkpoint holds
  std::optional<std::int64_t> resumedFromStep = {};
  std::int64_t lostGpuSeconds = 0;  // work redone because of the recall
  std::string note = {};            // e.g. that its grace was cut short
};

// One node that was handed over to the burst.
struct NodeRow {
  std::string name = {};
  bool recalled = true;  // work was stopped on it, and burst pods got its place; else they found it idle
  int foreignGpus = 0;   // GPUs of other queues' tasks on it when the first of these pods was bound
  int burstGpus = 0;
  int givenGpus = 0;                       // of these, bound after the node's first victim began to stop
  std::optional<Duration> firstStop = {};  // the first victim pod on it begins to stop
  std::optional<Duration> freeAt = {};     // its last victim pod is gone
  std::optional<Duration> boundAt = {};    // the last burst pod is bound
  std::optional<Duration> readyAt = {};    // all burst pods on it are Ready
};

enum class Tenant : std::uint8_t { Idle, Online, Burst, Offline, Victim };

// What stands on one node at one time: runs of equal GPUs, in a fixed order.
struct Occupant {
  Tenant tenant = Tenant::Idle;
  std::string name = {};  // job, empty if idle
  int gpus = 0;
};
struct NodeTile {
  std::string name = {};
  std::vector<Occupant> occupants = {};
  bool handedOver = false;  // framed: the burst has or had this node whole
};
struct Snapshot {
  std::string title = {};  // "Before the burst"
  Duration at = {};
  std::vector<NodeTile> nodes = {};
};

// GPUs a queue used over time, as steps.
struct QueueSeries {
  std::string name = {};
  std::optional<int> guarantee = {};
  std::optional<int> capability = {};
  bool online = false;
  std::vector<std::pair<Duration, int>> used = {};
};

struct Totals {
  int gpusWanted = 0;
  int gpusIdleBefore = 0;
  int gpusStopped = 0;
  int gpusBeyondDemand = 0;  // stopped, and neither wanted nor needed to make a node whole
  int jobsStopped = 0;
  int gangsBroken = 0;
  int nodesWanted = 0;            // ceil(demand / GPUs of a node)
  int nodesUsed = 0;              // nodes that host the burst
  int nodesShared = 0;            // of these, with a foreign GPU task on them
  int evictedInVain = 0;          // pods whose GPUs no burst pod came to use
  int createdWhileSuspended = 0;  // offline pods made for jobs that may not run
  std::int64_t lostGpuSeconds = 0;
  std::optional<Duration> firstEviction = {};
  std::optional<Duration> lastVictimGone = {};
  std::optional<Duration> lastBound = {};
  std::optional<Duration> lastReady = {};
  std::optional<double> planCost = {};  // the objective of the plan, and what is proven to be its least
  std::optional<double> lowerBound = {};
};

// One run of the drill under one rule for choosing victims.
struct PolicyRun {
  std::string policy = {};  // "tidegate"
  std::string about = {};   // one sentence on the rule
  std::vector<Bar> bars = {};
  std::vector<Phase> phases = {};
  std::vector<JobRow> jobs = {};
  std::vector<NodeRow> nodes = {};
  std::vector<Snapshot> snapshots = {};
  std::vector<QueueSeries> queues = {};
  Totals totals = {};
  std::vector<std::string> notes = {};

  bool holds() const;
};

struct Report {
  std::string title = {};
  std::string scenario = {};  // one sentence: what was asked of which cluster
  std::string command = {};   // the command line that gives this report again
  std::vector<std::pair<std::string, std::string>> inputs = {};  // name and value, in the order to show them
  Duration recallLimit = seconds(15);
  Duration readyLimit = seconds(30);
  int gpusPerNode = 8;
  int gpusTotal = 0;
  std::vector<PolicyRun> runs = {};  // the first is the one judged; the others stand beside it

  bool holds() const { return !runs.empty() && runs.front().holds(); }
};

}  // namespace tidegate::report
