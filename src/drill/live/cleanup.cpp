// The end of a drill on a live cluster.
#include <fmt/format.h>

#include "drill/live/script.hpp"

namespace tidegate::drill::live {
namespace {

constexpr Duration kGoneWithin = seconds(180);
constexpr Duration kAskEvery = seconds(1);

}  // namespace

// The namespace first: with it go pods and jobs. Queues after that, for they must be empty.
std::vector<std::string> Script::cleanUp(const Progress& progress) {
  std::vector<std::string> left;
  if (!made_) return left;
  progress(fmt::format("cleaning up: namespace {}", outfit_.namespace_));
  goneOrTold(left, progress);
  for (const api::ObjectRef& ref : clusterWide_) {
    // Somebody else's queue of that name is left alone.
    const auto queue =
        ref.kind == api::Queue::kKind ? at_.mirror.store().find<api::Queue>(ref.name) : nullptr;
    if (queue && drillOf(queue->metadata) != outfit_.id) continue;
    if (const auto removed = at_.writer.remove({ref}); !removed) {
      left.push_back(fmt::format("# {} {}: {}", ref.kind, ref.name, removed.error().message));
    }
  }
  if (left.empty()) {
    progress("nothing is left but the records of the recalls");
  } else {
    left.insert(left.begin(), byHand());
  }
  return left;
}

// All that the drill makes has its label.
std::string Script::byHand() const {
  return fmt::format("kubectl delete namespaces,queues.scheduling.volcano.sh,priorityclasses -l {}={}",
                     kDrillLabel, outfit_.id);
}

void Script::goneOrTold(std::vector<std::string>& left, const Progress& progress) {
  const Time limit = at_.waiter.now() + kGoneWithin;
  Result<Ok> removed = at_.writer.removeNamespace(outfit_.namespace_);
  Result<bool> there = true;
  while (removed && at_.waiter.now() < limit && at_.waiter.interrupted().empty()) {
    there = at_.writer.namespaceExists(outfit_.namespace_);
    if (!there || !*there) break;
    at_.waiter.pause(kAskEvery);
  }
  if (there && !*there) return;
  const std::string why = !removed ? removed.error().message : !there ? there.error().message : "still there";
  left.push_back(fmt::format("# Namespace {}: {}", outfit_.namespace_, why));
  progress("the namespace is not gone yet");
}

}  // namespace tidegate::drill::live
