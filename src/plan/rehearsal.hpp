// One cycle after the other on a private copy of the cluster: decide, then carry out what was decided at
// once.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/recall_book.hpp"
#include "lifecycle/resumer.hpp"
#include "plan/plan.hpp"
#include "scheduler/policy.hpp"
#include "state/cluster_state.hpp"

namespace tidegate::plan {

// What one cycle decided, by name: ids of the state do not outlive the changes made to it.
struct CycleOutcome {
  std::vector<Bind> binds = {};  // of this cycle, those onto freed room included
  std::vector<Bind> pipelined = {};
  std::vector<Pending> pending = {};
  std::vector<Recall> recalls = {};
  std::vector<Eviction> evictions = {};
  bool changed = false;
};

enum class Victims {
  LeaveAtOnce,
  StayTerminating,
};

class Rehearsal {
 public:
  Rehearsal(const std::vector<api::Object>& objects, const scheduler::Policy& policy, Victims victims);

  CycleOutcome cycle(Time now);
  // The suspended jobs that have not come back, in the order in which they would.
  std::vector<Suspended> suspended(Time now);
  const ClusterState& state() const { return state_; }

 private:
  void put(const api::Pod& pod);
  api::Pod& podAt(const std::string& key);
  void bind(const Bind& bind, Time now);
  void evict(const std::string& pod, Time now);
  bool sendOffLeaving();

  ClusterState state_;
  std::map<std::string, api::Pod> pods_;  // whole; the state keeps only what it decides by
  scheduler::Policy policy_;
  Victims victims_;
  // As those of a scheduler that has just been started: what they know is on the objects.
  RecallBook recalls_{lifecycle::RecallOptions{}};
  lifecycle::Resumer resumer_;
  std::vector<api::Pod> returning_;  // evicted in this cycle; pending again in the next
};

}  // namespace tidegate::plan
