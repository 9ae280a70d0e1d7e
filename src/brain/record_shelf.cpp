#include "brain/record_shelf.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "lifecycle/suspended_jobs.hpp"

namespace tidegate {

namespace {

Time startOf(const RecallInfo& recall) {
  const auto& spec = recall.object->spec;
  return spec.startedAt.value_or(recall.object->metadata.creationTimestamp.value_or(Time::min()));
}

std::set<std::string> namedByJobs(const ClusterState& state) {
  std::set<std::string> names;
  for (const auto& job : lifecycle::suspendedJobs(state)) names.insert(job.recall);
  return names;
}

}  // namespace

void pruneRecalls(const ClusterState& state, const ShelfOptions& options, Outbox& outbox, Time now) {
  std::vector<const RecallInfo*> finished;
  for (const auto& [name, recall] : state.recalls()) {
    if (!recall.active && recall.object) finished.push_back(&recall);
  }
  if (finished.size() <= options.keep) return;
  std::ranges::sort(finished, std::greater<>{}, [](const RecallInfo* recall) {
    return std::tuple(startOf(*recall), recall->name.size(), std::string_view(recall->name));
  });
  std::set<std::string> named;
  if (startOf(*finished.back()) + options.keepFor <= now) named = namedByJobs(state);
  for (std::size_t i = options.keep; i < finished.size(); ++i) {
    const RecallInfo& recall = *finished[i];
    if (startOf(recall) + options.keepFor > now || named.contains(recall.name)) continue;
    outbox.send("prune/" + recall.name, DeleteRecall{.name = recall.name}, now);
  }
}

}  // namespace tidegate
