#include "run/brain_controller.hpp"

#include <algorithm>

#include "world/kube/commands.hpp"

namespace tidegate::run {
namespace {

constexpr std::size_t kKept = 200;
constexpr Duration kWorthKeeping = milliseconds(1);
constexpr Duration kShortCycle = milliseconds(10);

}  // namespace

std::vector<Command> BrainController::handle(const Event& event, Time now) {
  const auto before = std::chrono::steady_clock::now();
  std::vector<Command> commands = brain_.handle(event, now);
  const auto took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - before);
  note(commands, took, std::holds_alternative<Tick>(event), now);
  // As long again goes to answers and watches: these must not starve under cycles.
  if (took > kShortCycle) brain_.rest(now + 2 * took);
  return commands;
}

void BrainController::note(const std::vector<Command>& commands, Duration took, bool cycle, Time now) {
  if (cycle) {
    const auto bucket = std::ranges::lower_bound(kCycleBounds, toSeconds(took));
    ++counts_[static_cast<std::size_t>(bucket - kCycleBounds.begin())];
    seconds_ += toSeconds(took);
  }
  Profile profile{.at = now, .took = took, .commands = {}};
  bool decided = false;
  for (const Command& command : commands) {
    if (std::holds_alternative<WakeAt>(command.action)) continue;
    ++profile.commands[std::string(kube::nameOf(command.action))];
    decided = decided || !std::holds_alternative<Emit>(command.action);
  }
  if (!decided && took < kWorthKeeping) return;
  profiles_.push_back(std::move(profile));
  if (profiles_.size() > kKept) profiles_.pop_front();
}

}  // namespace tidegate::run
