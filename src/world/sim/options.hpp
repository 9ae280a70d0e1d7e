// How fast the simulated cluster is, and what goes wrong in it. All times are virtual.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.hpp"

namespace tidegate::sim {

// Between the brain and the API server.
struct ApiOptions {
  Duration requestDelay = milliseconds(8);  // from sending to commit; the answer takes as long again
  Duration requestJitter = milliseconds(6);
  Duration watchDelay = milliseconds(15);  // from commit to the watcher; order within a kind is kept
  Duration watchJitter = milliseconds(10);
  Duration controllerDelay = milliseconds(30);  // from commit to a controller acting on it
  double clientRate = 500;                      // requests per second of the brain's client, and its burst
  double clientBurst = 500;
  Duration answerTimeout = seconds(2);  // a lost answer is given up after it
  Duration relistDelay = seconds(1);    // a broken watch is found and listed anew after it
};

// Of every node; a pod's own annotations (pod_timing.hpp) go first.
struct KubeletOptions {
  Duration syncDelay = milliseconds(50);     // a change of a pod reaches its kubelet
  Duration statusDelay = milliseconds(30);   // a status reaches the API server
  Duration downwardDelay = seconds(1);       // a changed annotation is seen inside the pod
  Duration start = seconds(2);               // bound to Running: sandbox, device plugin, container start
  Duration ready = seconds(3);               // Running to Ready
  Duration stop = milliseconds(500);         // SIGTERM to exit, saving apart
  Duration gpuTeardown = milliseconds(500);  // exit to the devices being free again
  double jitter = 0.1;                       // start, ready and stop vary by this part, drawn per pod
};

// The node life cycle controller and the pod garbage collector.
struct NodeOptions {
  Duration notReadyAfter = seconds(40);  // a silent node is told from then
  Duration evictAfter =
      seconds(300);  // its pods are deleted from then (they stay until the kubelet confirms)
  Duration orphanAfter = seconds(40);  // pods of a node that is gone are removed
};

struct NodeCrash {
  std::string node;  // empty: drawn from the seed
  Duration at;
  std::optional<Duration> recoverAfter = {};
};

struct BrainRestart {
  std::optional<Duration> at = {};
  std::optional<std::uint64_t> atCommand = {};  // just before this command (counted from 1) is sent
  Duration downFor = seconds(1);
};

// Each probability is drawn per item from its own stream, so that one fault does not move another.
struct FaultOptions {
  double ignoreSigterm = 0;    // per pod
  double holdByFinalizer = 0;  // per pod that is created
  Duration finalizerHold = seconds(30);
  double slowKubelet = 0;  // per node
  double slowFactor = 4;
  double breakWatch = 0;  // per event: it and what follows is lost until the relist
  double duplicateEvent = 0;
  double delayEvent = 0;
  Duration eventDelay = seconds(2);
  double conflict = 0;    // per write of the brain: somebody else was first
  double loseAnswer = 0;  // per write of the brain: carried out, but the answer never comes
  std::vector<NodeCrash> crashes = {};
  std::vector<BrainRestart> restarts = {};
};

struct SimOptions {
  std::uint64_t seed = 1;
  Time start = Time{} + std::chrono::hours(24 * 20000);  // 2024-10-04T00:00:00Z
  ApiOptions api;
  KubeletOptions kubelet;
  NodeOptions nodes;
  FaultOptions faults;
  bool vcJobController = true;  // the built-in one; off where a vcjob controller of tidegate is hosted
};

}  // namespace tidegate::sim
