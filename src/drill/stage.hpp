// Plays one drill on a simulated cluster: fill by lending, burst, peak, end of the peak, and the way back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drill/inputs.hpp"
#include "drill/load.hpp"
#include "drill/played.hpp"
#include "drill/watched_brain.hpp"
#include "report/model.hpp"

namespace tidegate::drill {

class Stage : public Played {
 public:
  // Tells people how far the drill is: one short line a step.
  using Progress = std::function<void(const std::string&)>;

  Stage(const DrillOptions& options, const Inputs& inputs, scheduler::VictimPolicy policy);

  void play(const Progress& progress);

  // What happened. Valid after play().
  const sim::SimWorld& world() const { return *world_; }
  const WatchedBrain& brain() const { return *brain_; }
  const Recorder& recorder() const override { return *recorder_; }
  Time burstAt() const override { return burstAt_; }
  Time peakEndsAt() const override { return peakEndsAt_; }
  const std::vector<Still>& stills() const override { return stills_; }
  const std::map<std::string, int>& waiting() const override { return waiting_; }
  std::vector<Begun> begun() const override;
  bool chosen(const std::string& uid) const override { return brain_->deleted().contains(uid); }
  Suspension suspension(const std::string& owner) const override;
  std::optional<int> minimumOf(const std::string& owner) const override;
  bool knowsWork() const override { return true; }
  const sim::JobWork* work(const std::string& owner) const override;
  std::shared_ptr<const api::Pod> pod(const std::string& key) const override {
    return world_->store().find<api::Pod>(key);
  }

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
