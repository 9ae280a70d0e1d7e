// What a promo drill is told. The command line fills this in (src/cli); runDrill (drill/drill.hpp) reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/time.hpp"

namespace tidegate::drill {

// The burst as pods x GPUs per pod.
struct Shape {
  int pods = 8;
  int gpusPerPod = 8;

  int gpus() const { return pods * gpusPerPod; }
  std::string text() const;  // "8x8"
  bool operator==(const Shape&) const = default;
};

// "8x8", "16x4", "64x1", or any other PODSxGPUS with 1 to 1024 pods of 1 to 64 GPUs.
Result<Shape> parseShape(std::string_view text);

// How the burst comes: an online Deployment is scaled up, one batch Job starts as a gang, or bare pods
// appear.
enum class BurstKind : std::uint8_t { Deployment, Job, Pods };

// Whose rule chooses the victims. Compare runs all three on the same cluster and load.
enum class PolicyChoice : std::uint8_t { Tidegate, PodByPod, LyraCount, Compare };

enum class OutputFormat : std::uint8_t { Text, Json };

// The acceptance limits, counted from the moment the burst is asked for.
struct Limits {
  Duration recall = seconds(15);  // every victim pod gone, its GPUs free
  Duration ready = seconds(30);   // every pod of the burst Ready
};

// What the simulated pods do. Where a value is not set, each job draws its own from the seed.
struct Timings {
  std::optional<Duration> checkpoint;  // writing a checkpoint; drawn from 2 s to 8 s
  std::optional<Duration> stop;        // SIGTERM to gone; drawn from 0.5 s to 2 s
  Duration ready = seconds(6);   // an online pod: from start to Ready, its image and weights on the node
  Duration peak = seconds(300);  // how long the burst is kept
};

struct DrillOptions {
  int nodes = 25;
  int gpusPerNode = 8;
  int onlineGpus = 64;  // what online uses before the burst
  Shape shape;
  BurstKind burst = BurstKind::Deployment;
  PolicyChoice policy = PolicyChoice::Tidegate;
  std::uint64_t seed = 1;

  // Inputs. Empty: the files of examples/promo-drill, which are built in.
  std::string queuesFile;
  std::string confFile;
  std::string offlineFile;  // offline jobs, in place of the mixed default
  std::string loadFile;     // offline jobs drawn from a trace (CSV), in place of both

  Limits limits;
  Duration recallDeadline = seconds(15);  // what the scheduler is told; unless a queue says otherwise
  Timings timings;
  // So many of the first victim pods that are deleted are kept by a finalizer and never leave by themselves.
  int heldPods = 0;

  std::string outDir;  // report.html, report.json and junit.xml go there; empty: none is written
  OutputFormat output = OutputFormat::Text;
};

}  // namespace tidegate::drill
