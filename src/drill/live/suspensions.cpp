#include "drill/live/suspensions.hpp"

#include <algorithm>
#include <optional>

#include "api/names.hpp"

namespace tidegate::drill::live {
namespace {

namespace names = api::names;

// Unset: the object is of no kind that is suspended.
std::optional<bool> isSuspended(const api::Object& object) {
  if (const auto* job = std::get_if<api::VcJob>(&object)) {
    const std::string& phase = job->status.state.phase;
    return job->metadata.annotations.contains(names::kSuspend) || phase == "Aborting" || phase == "Aborted";
  }
  if (const auto* job = std::get_if<api::BatchJob>(&object)) return job->spec.suspend.value_or(false);
  if (const auto* it = std::get_if<api::Deployment>(&object))
    return it->metadata.annotations.contains(names::kSuspendedReplicas);
  return std::nullopt;
}

}  // namespace

void Suspensions::see(const sim::Change& change, Time now) {
  const std::optional<bool> suspended = isSuspended(change.object());
  if (!suspended) return;
  auto& all = byOwner_[sim::keyOf(api::metadataOf(change.object()))];
  const bool was = !all.empty() && !all.back().to;
  const bool is = change.after && *suspended;
  if (is && !was) all.push_back({.from = now, .to = {}});
  if (!is && was) all.back().to = now;
}

Suspension Suspensions::of(const std::string& owner, Time since) const {
  const auto found = byOwner_.find(owner);
  if (found == byOwner_.end()) return {};
  const auto first = std::ranges::find_if(found->second, [&](const auto& it) { return *it.from >= since; });
  return first == found->second.end() ? Suspension{} : *first;
}

}  // namespace tidegate::drill::live
