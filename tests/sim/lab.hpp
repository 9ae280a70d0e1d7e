// A cluster for timelines: the brain on the simulated world, described in a few lines and asked in a few
// words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "world/sim/invariants.hpp"
#include "world/sim/sim_world.hpp"
#include "world/sim/tidegate_brain.hpp"

namespace tidegate::lab {

struct QueueShape {
  std::string name;
  std::int64_t guarantee = 0;  // GPUs, as all amounts here; 0: not set
  std::int64_t deserved = 0;
  std::int64_t capability = 0;
};

enum class Kind : std::uint8_t { VcJob, BatchJob, Deployment, BarePods };

struct JobShape {
  std::string name;
  std::string queue;
  std::int32_t pods = 1;
  std::int64_t gpus = 1;         // per pod
  std::int32_t minimum = 0;      // 0: all
  std::string priority = "low";  // low 10, mid 50, high 100, top 1000
  Kind kind = Kind::VcJob;
  double grace = 30;
  api::StringMap annotations = {};  // of the pods
  std::int32_t maxRetry = 3;
  std::string onEviction = {};           // vcjob: the action of its policy for PodEvicted
  std::optional<std::int32_t> ttl = {};  // vcjob: ttlSecondsAfterFinished
};

// Annotations of pods that can save on request, by HTTP, within so many seconds.
api::StringMap saves(double takes);
// ... that end by themselves after so much work.
api::StringMap runs(double seconds, api::StringMap more = {});

struct LabOptions {
  std::int32_t nodes = 1;
  std::int64_t gpus = 4;  // per node
  std::vector<QueueShape> queues = {};
  sim::SimOptions sim = {};
  BrainOptions brain = quickBrain();

  // Minimum run time off: timelines are short.
  static BrainOptions quickBrain();
};

// Nodes of four GPUs, so many GPUs guaranteed to queue a; queue b borrows what a does not use.
LabOptions lentNodes(std::int32_t nodes, std::int64_t guarantee);
// What asks for them back: pods of queue a with four GPUs each.
JobShape claim(std::int32_t pods = 1);

class Lab {
 public:
  explicit Lab(LabOptions options);

  void submit(const JobShape& job);
  void submitAt(double t, const JobShape& job);
  void remove(const JobShape& job);
  void scale(const std::string& deployment, std::int32_t replicas);
  void deletePod(const std::string& name, double grace);
  void run(double until) { world_.runUntil(fromSeconds(until)); }
  // Runs on until it holds after an event; false if it did not within so many seconds from now.
  bool runUntil(const std::function<bool()>& holds, double within);

  std::int32_t running(const std::string& job) const;  // pods in phase Running that are not being deleted
  std::int32_t existing(const std::string& job) const;
  std::int64_t gpusHeld() const;  // by pods that are bound and have not ended
  bool suspended(const std::string& vcjob) const;
  api::VcJob vcjob(const std::string& name) const;
  std::vector<api::Recall> recalls() const;
  bool bound(const std::string& pod) const;

  // Pods of this job that were told to go by somebody, each once.
  std::int32_t evicted(const std::string& job) const;
  std::int32_t evictedInAll() const;
  // Seconds since the start of each entry of a kind about this job's pods (or the job itself).
  std::vector<double> times(sim::TraceKind kind, const std::string& job) const;

  sim::SimWorld& world() { return world_; }
  const Brain& brain() const { return brain_.brain(); }
  const std::vector<sim::Violation>& violations() const { return invariants_.violations(); }
  double now() const { return toSeconds(world_.elapsed()); }

 private:
  void create(api::Object object);

  sim::TidegateBrain brain_;
  sim::SimWorld world_;
  sim::Invariants invariants_;
};

}  // namespace tidegate::lab
