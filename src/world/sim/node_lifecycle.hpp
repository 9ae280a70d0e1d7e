// Machines that die and come back, the node life cycle controller that notices, and the pod garbage
// collector. As "Nodes: node status" and "Taint-based evictions" of the Kubernetes documentation describe:
// the pods of a lost node are deleted after a while, but stay until their kubelet confirms, the node object
// goes, or somebody forces it.
#pragma once

#include <string>

#include "world/sim/kubelet.hpp"

namespace tidegate::sim {

class NodeLifecycle {
 public:
  NodeLifecycle(EventQueue& clock, SimApiServer& api, Kubelets& kubelets, NodeOptions options);

  void crash(const std::string& node);
  void recover(const std::string& node);

 private:
  void markNotReady(const std::string& node);
  void markReady(const std::string& node);
  void evictPods(const std::string& node);
  void collectOrphans(const std::string& node);
  bool lost(const std::string& node);

  EventQueue& clock_;
  SimApiServer& api_;
  Kubelets& kubelets_;
  NodeOptions options_;
};

}  // namespace tidegate::sim
