// Plays one drill on a simulated cluster: fill by lending, burst, peak, end of the peak, and the way back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drill/inputs.hpp"
#include "drill/load.hpp"
#include "drill/recorder.hpp"
#include "drill/watched_brain.hpp"
#include "report/model.hpp"

namespace tidegate::drill {

// What stood where at one time: pods by node, in the order of their keys.
struct Still {
  std::string title;
  Time at{};
  std::map<std::string, std::vector<std::string>> podsOnNode;  // uids; every node has an entry
};

class Stage {
 public:
  // Tells people how far the drill is: one short line a step.
  using Progress = std::function<void(const std::string&)>;

  Stage(const DrillOptions& options, const Inputs& inputs, scheduler::VictimPolicy policy);

  void play(const Progress& progress);

  // What happened. Valid after play().
  const sim::SimWorld& world() const { return *world_; }
  const Recorder& recorder() const { return *recorder_; }
  const WatchedBrain& brain() const { return *brain_; }
  Time burstAt() const { return burstAt_; }
  Time peakEndsAt() const { return peakEndsAt_; }
  const std::vector<Still>& stills() const { return stills_; }
  // Why burst pods were still waiting when the time to be ready was over: reason and number of pods.
  const std::map<std::string, int>& waiting() const { return waiting_; }

 private:
  void setUp();
  void burst();
  void endPeak();
  void holdVictims();
  void waitForTheWayBack();
  bool everyoneIsBack() const;
  void takeStill(std::string title);
  void runFor(Duration length) { world_->runUntil(world_->elapsed() + length); }

  const DrillOptions& options_;
  const Inputs& inputs_;
  std::unique_ptr<WatchedBrain> brain_;
  std::unique_ptr<sim::SimWorld> world_;
  std::unique_ptr<Recorder> recorder_;
  Time burstAt_{};
  Time peakEndsAt_{};
  std::vector<Still> stills_;
  std::map<std::string, int> waiting_;
};

}  // namespace tidegate::drill
