// The kubelets: one per node, each running the processes of the pods bound to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "world/sim/api_server.hpp"
#include "world/sim/fault_draws.hpp"
#include "world/sim/pod_process.hpp"

namespace tidegate::sim {

class Kubelet {
 public:
  Kubelet(PodServices services, std::string node);

  // Looks at a pod of this node as it stands now and does what is due: admit, stop, ask for a checkpoint.
  void sync(const std::string& key, const std::string& uid);
  PodProcess* find(const std::string& uid);
  // Processes of pods of this name whose devices are not free yet.
  std::size_t countOf(const std::string& key) const;

  // The machine dies with all its processes; nothing is reported any more.
  void crash();
  // It comes up again, with no processes.
  void recover();
  bool alive() const { return alive_; }

 private:
  void admit(const api::Pod& pod);
  std::optional<std::string> lacking(const api::Pod& pod) const;
  void refuse(const api::Pod& pod, const std::string& reason);

  PodServices services_;
  std::string node_;
  bool alive_ = true;
  std::map<std::string, std::shared_ptr<PodProcess>> processes_;  // by pod uid
  std::set<std::string> admitted_;  // pods that have run here, to know what a restart of the machine ended
};

// All kubelets; hands changes of pods to theirs.
class Kubelets {
 public:
  explicit Kubelets(PodServices services);

  // Null if the node is unknown.
  Kubelet* find(const std::string& node);
  // The process of the pod with this uid; null if there is none.
  PodProcess* process(const std::string& uid);
  // Living processes of pods of this name, whatever their uid, on all nodes.
  std::size_t countOf(const std::string& key) const;

 private:
  void watch(const Change& change);

  PodServices services_;
  std::map<std::string, Kubelet> kubelets_;
};

}  // namespace tidegate::sim
