#include "drill/live/mirror.hpp"

#include <algorithm>
#include <array>

namespace tidegate::drill::live {
namespace {

constexpr std::array kKinds = {kube::kObjectIndex<api::Node>,       kube::kObjectIndex<api::Queue>,
                               kube::kObjectIndex<api::PodGroup>,   kube::kObjectIndex<api::Pod>,
                               kube::kObjectIndex<api::VcJob>,      kube::kObjectIndex<api::BatchJob>,
                               kube::kObjectIndex<api::Deployment>, kube::kObjectIndex<api::Recall>};

}  // namespace

Mirror::Mirror(kube::Reflector::Services services, Watchers watchers) : watchers_(std::move(watchers)) {
  Rng rng(1);
  for (const std::size_t kind : kKinds) {
    kube::ReflectorSink sink{.event = [this](const Event& event) { take(event); },
                             .state = [this](kube::ReflectorState) { watchers_.changed(); },
                             .warning = watchers_.warning};
    reflectors_.push_back(std::make_unique<kube::Reflector>(
        services, kube::objectResources()[kind], kube::ReflectorOptions{}, std::move(sink), rng.split(kind)));
  }
}

void Mirror::start() {
  for (const auto& reflector : reflectors_) reflector->start();
}

bool Mirror::synced() const {
  return std::ranges::all_of(reflectors_, [](const auto& each) { return each->synced(); });
}

std::vector<std::string> Mirror::titles(kube::ReflectorState state) const {
  std::vector<std::string> out;
  for (const auto& reflector : reflectors_) {
    if (reflector->state() == state) out.push_back(reflector->resource().title());
  }
  return out;
}

std::vector<std::string> Mirror::absent() const {
  return titles(kube::ReflectorState::Absent);
}

std::vector<std::string> Mirror::refused() const {
  return titles(kube::ReflectorState::Refused);
}

std::vector<std::string> Mirror::unanswered() const {
  return titles(kube::ReflectorState::Listing);
}

void Mirror::take(const Event& event) {
  if (const auto* seen = std::get_if<ObjectSeen>(&event)) {
    const api::ObjectRef ref = api::refOf(seen->object);
    const sim::ObjectPtr old = store_.find(ref);
    // A name that is another object's now: the old one's end was missed.
    if (old && api::metadataOf(*old).uid != api::metadataOf(seen->object).uid) store_.erase(ref);
    store_.put(seen->object);
  } else if (const auto* gone = std::get_if<ObjectGone>(&event)) {
    const sim::ObjectPtr old = store_.find(gone->ref);
    if (old && api::metadataOf(*old).uid == gone->uid) store_.erase(gone->ref);
  }
  watchers_.changed();
}

}  // namespace tidegate::drill::live
