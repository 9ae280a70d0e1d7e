// Watches a cluster, simulated or real, and keeps what a drill is judged by: the life of every pod, the
// recalls, GPUs in use. Times are those at which a change was seen.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"
#include "world/sim/sim_world.hpp"

namespace tidegate::drill {

// One pod, from creation to its end.
struct PodLife {
  std::string uid;
  std::string key;  // "namespace/name"
  std::string
      owner;  // "namespace/name" of the Deployment or Job behind it; the pod's own key if there is none
  std::string ownerKind;  // "vcjob", "Job", "Deployment", "Pod"
  std::string gang;       // PodGroup, "namespace/name"; empty if none
  std::string queue;
  std::string node;
  int gpus = 0;
  Time created{};
  std::optional<Time> bound = {};
  std::optional<Time> ready = {};
  std::optional<Time> signalled = {};    // asked by annotation to save a checkpoint
  std::optional<Time> terminating = {};  // deletion begins while it is still running
  std::optional<Time> ended = {};  // its process has ended, or the pod is gone: it holds no GPU any more
  std::optional<Time> free = {};   // its GPUs count as free (see Recorder::FreeWhen)

  bool holdsAt(Time t) const { return bound && *bound <= t && (!ended || *ended > t); }
};

class Recorder {
 public:
  using Clock = std::function<Time()>;

  // When the GPUs of a pod that is being deleted are free: when its process has ended, as on the simulated
  // node, or when the pod is gone, as a scheduler may rely on.
  enum class FreeWhen : std::uint8_t { Ended, Gone };

  // Subscribes to the world; must outlive its run.
  explicit Recorder(sim::SimWorld& world);
  // Is told of every change of a store by see().
  Recorder(const sim::ObjectStore& store, Clock now, FreeWhen freeWhen);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void see(const sim::Change& change);

  // In the order of creation.
  std::vector<const PodLife*> pods() const;
  // The last state of every recall, by name, also of those that are gone.
  const std::map<std::string, api::Recall>& recalls() const { return recalls_; }
  // Changes of the GPUs in use: when, queue, how many more or fewer.
  struct UsageStep {
    Time at;
    std::string queue;
    int gpus = 0;
  };
  const std::vector<UsageStep>& usage() const { return usage_; }

 private:
  void podChanged(const sim::Change& change);
  PodLife born(const api::Pod& pod) const;
  std::string queueOf(const api::Pod& pod) const;
  void use(const PodLife& pod, int sign);

  const sim::ObjectStore& store_;
  Clock now_;
  FreeWhen freeWhen_;
  std::vector<std::string> order_;       // uids as created
  std::map<std::string, PodLife> pods_;  // by uid
  std::map<std::string, api::Recall> recalls_;
  std::vector<UsageStep> usage_;
};

}  // namespace tidegate::drill
