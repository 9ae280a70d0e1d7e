#include "drill/watched_brain.hpp"

#include <algorithm>

namespace tidegate::drill {
namespace {

// A command that writes a recall for the first time.
bool beginsRecall(const Command& command) {
  const auto* write = std::get_if<WriteRecall>(&command.action);
  return write != nullptr && write->recall.metadata.resourceVersion.empty();
}

}  // namespace

std::vector<Command> WatchedBrain::handle(const Event& event, Time now) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Command> out = brain_.handle(event, now);
  const auto spent = std::chrono::steady_clock::now() - begin;
  longest_ = std::max(longest_, std::chrono::duration_cast<std::chrono::microseconds>(spent));
  if (std::ranges::any_of(out, beginsRecall)) {
    for (const auto& decision : brain_.brain().lastDecisions().recalls) planned_.push_back({now, decision});
  }
  return out;
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
