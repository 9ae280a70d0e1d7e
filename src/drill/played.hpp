// One drill that has been played: what measuring and judging look at, whichever world it was played in.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drill/recorder.hpp"
#include "world/sim/work_ledger.hpp"

namespace tidegate::drill {

// What stood where at one time: pods by node, in the order of their keys.
struct Still {
  std::string title;
  Time at{};
  std::map<std::string, std::vector<std::string>> podsOnNode;  // uids; every node has an entry
};

// When an owner was suspended, and when it was let go again.
struct Suspension {
  std::optional<Time> from = {};
  std::optional<Time> to = {};
};

// A recall as it was begun, and the gang that made it stop more than was asked for, if one did.
struct Begun {
  Time at{};
  std::string forcedBy = {};
};

class Played {
 public:
  virtual ~Played() = default;

  virtual const Recorder& recorder() const = 0;
  virtual Time burstAt() const = 0;
  virtual Time peakEndsAt() const = 0;
  virtual const std::vector<Still>& stills() const = 0;
  // Why burst pods were still waiting when the time to be ready was over: reason and number of pods.
  virtual const std::map<std::string, int>& waiting() const = 0;
  // Every recall, in order.
  virtual std::vector<Begun> begun() const = 0;
  // The scheduler has asked for the end of this pod, whatever its owner did then.
  virtual bool chosen(const std::string& uid) const = 0;
  virtual Suspension suspension(const std::string& owner) const = 0;
  // Pods an owner needs to run at all, if that is known.
  virtual std::optional<int> minimumOf(const std::string& owner) const = 0;
  // Are steps and checkpoints of the jobs known? Else work() has nothing.
  virtual bool knowsWork() const = 0;
  virtual const sim::JobWork* work(const std::string& owner) const = 0;
  // As it stands in the end; nullptr if it is gone.
  virtual std::shared_ptr<const api::Pod> pod(const std::string& key) const = 0;
};

}  // namespace tidegate::drill
