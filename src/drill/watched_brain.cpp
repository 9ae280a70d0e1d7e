#include "drill/watched_brain.hpp"

#include <algorithm>

namespace tidegate::drill {
namespace {

// A recall is begun by its record, or, under a plain rule that keeps none, by its first deletion.
bool beginsRecall(const Command& command) {
  const auto* write = std::get_if<WriteRecall>(&command.action);
  const bool recorded = write != nullptr && write->recall.metadata.resourceVersion.empty();
  return recorded || std::holds_alternative<DeletePod>(command.action);
}

}  // namespace

std::vector<Command> WatchedBrain::handle(const Event& event, Time now) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Command> out = brain_.handle(event, now);
  const auto spent = std::chrono::steady_clock::now() - begin;
  longest_ = std::max(longest_, std::chrono::duration_cast<std::chrono::microseconds>(spent));
  note(out, now);
  return out;
}

void WatchedBrain::note(const std::vector<Command>& commands, Time now) {
  for (const Command& command : commands) {
    if (const auto* removal = std::get_if<DeletePod>(&command.action)) deleted_.insert(removal->uid);
  }
  const auto& recalls = brain_.brain().lastDecisions().recalls;
  const bool fresh = planned_.empty() || planned_.back().at != now;
  if (!fresh || recalls.empty() || std::ranges::none_of(commands, beginsRecall)) return;
  for (const auto& decision : recalls) planned_.push_back({now, decision});
}

std::map<std::string, int> WatchedBrain::waiting(const std::string& ns) const {
  std::map<std::string, int> out;
  const ClusterState& state = brain_.brain().state();
  for (const auto& pending : brain_.brain().lastDecisions().pending) {
    if (state.pod(pending.pod).key.starts_with(ns + "/")) ++out[pending.reason];
  }
  return out;
}

}  // namespace tidegate::drill
