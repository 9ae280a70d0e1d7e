// What must hold in the true store at every moment, whatever the faults. Watches a world and notes each
// breach once.
//
//   node-capacity  the pods on a node that have not ended, leaving ones included, fit in it
//   queue-capability  the same for a queue and its ancestors, in what they set a capability for
//   one-incarnation  no two processes of pods of one name live at once
//   whole-gang  a gang does not stay between 0 and minMember bound pods for longer than a tolerance
//   suspended-stays-empty  no pod is created for a suspended job
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/resources.hpp"
#include "world/sim/sim_world.hpp"

namespace tidegate::sim {

struct InvariantOptions {
  bool queueCapability = true;
  Duration partialGang = seconds(120);  // tolerated: start, stop, a lost node until it is noticed
};

struct Violation {
  Time at;
  std::string rule;
  std::string message;
};

class Invariants {
 public:
  // Subscribes to the world; must outlive it.
  explicit Invariants(SimWorld& world, InvariantOptions options = {});

  const std::vector<Violation>& violations() const { return violations_; }
  // The first breach as an error.
  Result<Ok> verdict() const;

 private:
  // What a bound pod is counted under until it ends.
  struct Counted {
    std::string queue;
    std::string group;
    ResourceVec requests;
  };

  void changed(const Change& change);
  void podChanged(const Change& change);
  void checkNode(const std::string& node);
  void countInQueues(const Counted& counted, int sign);
  void checkQueues(const std::string& queue);
  void checkProcesses(const api::Pod& pod);
  void checkSuspended(const api::Pod& pod);
  void trackGang(const std::string& group);
  void checkGangs();
  void report(const std::string& rule, const std::string& subject, const std::string& message);
  std::string queueOf(const api::Pod& pod) const;
  std::vector<std::string> lineage(const std::string& queue) const;
  const ObjectStore& store() const { return world_.store(); }

  SimWorld& world_;
  InvariantOptions options_;
  ResourceTable table_;
  std::map<std::string, Counted> counted_;                 // by pod uid
  std::map<std::string, ResourceVec> queueUsage_;          // own pods and those of the queues below
  std::map<std::string, std::set<std::string>> gangPods_;  // PodGroup key -> uids of bound pods that stay
  std::map<std::string, Time> partialSince_;
  std::vector<Violation> violations_;
  std::set<std::string> reported_;
};

}  // namespace tidegate::sim
