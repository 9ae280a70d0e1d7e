#include "run/readiness.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tidegate::run {
namespace {

constexpr Duration kLookAgain = seconds(5);

// One line of /readyz for all kinds in a state.
std::string linesOf(const char* what, const std::vector<std::string>& titles) {
  return titles.empty() ? "" : fmt::format("{}: {}\n", what, fmt::join(titles, " "));
}

}  // namespace

bool isRequired(const kube::Resource& resource) {
  return resource.object == kube::kObjectIndex<api::Queue> ||
         resource.object == kube::kObjectIndex<api::PodGroup> ||
         resource.object == kube::kObjectIndex<api::Recall>;
}

std::string absentText(const kube::Resource& resource) {
  const std::string what = fmt::format("the {} CRD ({}) is not installed", resource.kind, resource.title());
  if (isRequired(resource)) return what + "; nothing works without it: kubectl apply -f deploy/crds";
  return what + "; that is no fault: it is watched as soon as it is";
}

Page readiness(const std::vector<const kube::Reflector*>& reflectors) {
  std::string missing;
  std::vector<std::string> refused;
  std::vector<std::string> listing;
  for (const kube::Reflector* reflector : reflectors) {
    const kube::Resource& resource = reflector->resource();
    switch (reflector->state()) {
      case kube::ReflectorState::Absent:
        if (isRequired(resource)) missing += absentText(resource) + "\n";
        break;
      case kube::ReflectorState::Refused:
        if (!resource.ofOthers) refused.push_back(resource.title());
        break;
      case kube::ReflectorState::Listing:
        listing.push_back(resource.title());
        break;
      case kube::ReflectorState::Synced:
        break;
    }
  }
  const std::string body = missing +
                           linesOf("list and watch are refused (401 or 403; see the log)", refused) +
                           linesOf("not synced", listing);
  if (body.empty()) return {.body = "ok\n"};
  return {.status = 503, .body = body};
}

void lookForRequired(kube::HostOptions& options) {
  for (const kube::Resource& resource : kube::objectResources()) {
    if (!isRequired(resource)) continue;
    const auto [own, fresh] = options.reflectorOf.try_emplace(resource.title(), options.reflector);
    own->second.absentRetry = kLookAgain;
  }
}

}  // namespace tidegate::run
