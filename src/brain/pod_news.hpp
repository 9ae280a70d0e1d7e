// Tells pods what becomes of them, as Kubernetes' own scheduler does: the events Scheduled and
// FailedScheduling, and the condition PodScheduled=False with the reason Unschedulable that `kubectl
// describe` shows and cluster autoscalers read (k8s.io/kubernetes: pkg/scheduler/schedule_one.go).
// PodScheduled=True is the API server's to say, when it binds.
//
// Pods that a moment later are bound are not told that they cannot be. A pod is told anew when its reason
// changes, not more often than every half minute, and reminded of the same every five minutes; in one cycle
// so many pods at most, those first that have never been told, then those that were told longest ago. Ten
// thousand pods that wait cost no more requests in a second than forty do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "protocol/outbox.hpp"
#include "scheduler/policy.hpp"

namespace tidegate {

struct PodNewsOptions {
  Duration patience = seconds(2);    // pending for so long before the first word
  Duration changed = seconds(30);    // between two different reasons
  Duration reminder = seconds(300);  // between two words of the same
  std::size_t mostPerCycle = 200;    // pods
};

class PodNews {
 public:
  explicit PodNews(PodNewsOptions options = {}) : options_(options) {}

  void bound(const Bind& bind, Outbox& outbox) const;
  void tell(const ClusterState& state, const scheduler::Decisions& decisions, Outbox& outbox, Time now);

 private:
  struct Told {
    std::string uid;
    Time since;          // first seen waiting
    Time at;             // told
    std::string reason;  // last told; empty: nothing yet
    std::uint64_t cycle = 0;
  };
  struct Due {
    PodId pod = kNone;
    const std::string* reason = nullptr;
    Told* told = nullptr;
  };

  bool isDue(const Told& told, const std::string& reason, Time now) const;
  std::vector<Due> duePods(const ClusterState& state, const scheduler::Decisions& decisions, Time now);
  static void tellPod(const PodInfo& pod, const Due& due, Outbox& outbox, Time now);

  PodNewsOptions options_;
  std::map<PodId, Told> told_;
  std::uint64_t cycle_ = 0;
};

}  // namespace tidegate
