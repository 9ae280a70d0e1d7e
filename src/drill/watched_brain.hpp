// The product's brain with a window: what it planned and why something waits, kept for the report.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "world/sim/tidegate_brain.hpp"

namespace tidegate::drill {

class WatchedBrain : public sim::BrainPort {
 public:
  explicit WatchedBrain(BrainOptions options) : brain_(std::move(options)) {}

  std::vector<Command> handle(const Event& event, Time now) override;
  void restart() override { brain_.restart(); }

  struct Planned {
    Time at;
    scheduler::RecallDecision decision;
  };
  // Every recall that was begun, in order.
  const std::vector<Planned>& planned() const { return planned_; }
  // Uids of the pods the brain has asked to delete: what it chose, whatever the pods' owners did then.
  const std::set<std::string>& deleted() const { return deleted_; }
  // Why pods of this namespace wait, as the last cycle saw it: reason and how many pods.
  std::map<std::string, int> waiting(const std::string& ns) const;
  // The longest that handling one event took on this machine. It differs from run to run: show it, never
  // store it.
  std::chrono::microseconds longestStep() const { return longest_; }

 private:
  void note(const std::vector<Command>& commands, Time now);

  sim::TidegateBrain brain_;
  std::vector<Planned> planned_;
  std::set<std::string> deleted_;
  std::chrono::microseconds longest_{};
};

}  // namespace tidegate::drill
