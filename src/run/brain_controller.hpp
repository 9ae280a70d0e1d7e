// The brain as a controller to host, with a window on what it decided and how long that took.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "brain/brain.hpp"
#include "protocol/controller.hpp"

namespace tidegate::run {

// Upper bounds of the buckets a cycle's time is counted in, in seconds.
inline constexpr std::array kCycleBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                            0.05,   0.1,   0.25,   0.5,   1.0};

// One call of the brain that did something.
struct Profile {
  Time at;
  Duration took{};                      // of this machine's time
  std::map<std::string, int> commands;  // by name, "Bind": 12
};

class BrainController : public Controller {
 public:
  explicit BrainController(const BrainOptions& options) : brain_(options) {}

  std::vector<Command> handle(const Event& event, Time now) override;
  void use(const scheduler::Policy& policy, Time now) { brain_.use(policy, now); }

  const Brain& brain() const { return brain_; }
  // The last calls that sent commands or took a millisecond and more; oldest first.
  const std::deque<Profile>& profiles() const { return profiles_; }
  const std::array<std::uint64_t, kCycleBounds.size() + 1>& cycleCounts() const { return counts_; }
  double cycleSeconds() const { return seconds_; }

 private:
  void note(const std::vector<Command>& commands, Duration took, bool cycle, Time now);

  Brain brain_;
  std::deque<Profile> profiles_;
  std::array<std::uint64_t, kCycleBounds.size() + 1> counts_{};
  double seconds_ = 0;
};

}  // namespace tidegate::run
