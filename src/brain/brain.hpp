// The one door: events and a time go in, commands come out. No I/O, no clock, no threads.
//
// handle() mirrors the event into the state, lets the recall and resume state machines step, and, when
// something that matters has changed, runs a scheduling cycle after a short coalescing window (asked for with
// WakeAt).
//
// A brain starts with no memory, after a crash as on the first day: all it must know is on the objects. The
// world shows it every object that exists, recalls among them, before the first Tick; from there it goes on
// where the last one stopped.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "brain/demand_gate.hpp"
#include "core/time.hpp"
#include "placement/session.hpp"
#include "protocol/events.hpp"
#include "scheduler/policy.hpp"
#include "state/cluster_state.hpp"

namespace tidegate {

struct BrainOptions {
  scheduler::Policy policy;
  std::set<std::string> schedulerNames = {"volcano", "tidegate"};  // of pods that are placed here
  DemandGateOptions demand = {};          // a burst is planned for when it has arrived
  Duration coalesce = milliseconds(20);   // a burst of events is scheduled as one
  Duration recallDeadline = seconds(15);  // unless the queue says otherwise
  Duration gracePeriod = seconds(30);     // bounded grace of a victim, cut to what the deadline leaves
  Duration holdTime = seconds(120);       // freed nodes are kept for the demand that asked at most so long
  Duration resumeCooldown = seconds(30);  // after its stop a job waits at least so long
  Duration resumeSpacing = milliseconds(500);      // between two resumes: no thundering herd
  Duration stuckMargin = placement::kStuckMargin;  // past its own deadline plus this a victim counts as stuck
  bool vcjobCommands = false;  // vcjobs are under Volcano's controllers: aborted and resumed by Commands
  bool remakePods = false;     // recalled bare pods that ask for it are made again
  Duration gangGrace = seconds(60);  // a gang that has fallen below its minimum waits so long for a new place
};

class Brain {
 public:
  explicit Brain(BrainOptions options);
  ~Brain();
  Brain(Brain&&) noexcept;
  Brain& operator=(Brain&&) noexcept;

  std::vector<Command> handle(const Event& event, Time now);
  // From now on another policy; recalls that are under way are carried out as they were planned. Takes effect
  // with the next event.
  void use(const scheduler::Policy& policy, Time now);

  // No cycle begins before. For worlds in which thinking takes time: on a large cluster a cycle takes longer
  // than the events for the next one, and would leave no time for anything else.
  void rest(Time until);

  const ClusterState& state() const;
  // What the last cycle decided and why, for reports and explain.
  const scheduler::Decisions& lastDecisions() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidegate
