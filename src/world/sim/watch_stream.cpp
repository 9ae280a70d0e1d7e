#include "world/sim/watch_stream.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::sim {

WatchStream::WatchStream(EventQueue& clock, const ObjectStore& store, std::size_t kind,
                         const ApiOptions& options, const Faults& faults, Deliver deliver, Note note)
    : clock_(clock),
      store_(store),
      kind_(kind),
      options_(options),
      faults_(faults.draws.options()),
      draw_(faults.draws.stream(Draw::Watch, faults.stream)),
      deliver_(std::move(deliver)),
      note_(std::move(note)) {}

void WatchStream::start() {
  running_ = true;
  broken_ = false;
  relist();
}

void WatchStream::stop() {
  running_ = false;
  ++session_;
  known_.clear();
}

void WatchStream::changed(const Change& change) {
  if (!running_ || broken_) return;
  const ObjectPtr object = change.after ? change.after : change.before;
  const bool gone = !change.after;
  if (draw_.chance(faults_.breakWatch)) {
    note_("watch broken before " + keyOf(api::metadataOf(*object)));
    broken_ = true;
    clock_.at(std::max(clock_.now() + options_.relistDelay, last_), [this, mine = session_] {
      if (mine != session_) return;
      broken_ = false;
      relist();
    });
    return;
  }
  schedule(object, gone, draw_.chance(faults_.delayEvent) ? faults_.eventDelay : Duration{});
  if (draw_.chance(faults_.duplicateEvent)) schedule(object, gone, {});
}

void WatchStream::schedule(ObjectPtr object, bool gone, Duration extra) {
  const Duration jitter{draw_.between(0, options_.watchJitter.count())};
  last_ = std::max(last_, clock_.now() + options_.watchDelay + jitter + extra);
  clock_.at(last_, [this, mine = session_, object = std::move(object), gone] {
    if (mine == session_) hand(*object, gone);
  });
}

void WatchStream::hand(const api::Object& object, bool gone) {
  const api::ObjectMeta& metadata = api::metadataOf(object);
  if (gone) {
    known_.erase(keyOf(metadata));
    deliver_(ObjectGone{api::refOf(object), metadata.uid});
  } else {
    known_[keyOf(metadata)] = {metadata.uid, metadata.resourceVersion};
    deliver_(ObjectSeen{object});
  }
}

// Shows the brain how the store differs from what it has seen. Deliveries may restart the brain, so each step
// looks whether its session still holds.
void WatchStream::relist() {
  const std::uint64_t mine = session_;
  const ObjectStore::Table listed = store_.table(kind_);
  const std::map<std::string, Version> before = known_;
  for (const auto& [key, version] : before) {
    const auto found = listed.find(key);
    if (found != listed.end() && api::metadataOf(*found->second).uid == version.uid) continue;
    if (mine != session_) return;
    const std::size_t slash = key.find('/');
    api::ObjectRef ref = kindRef(kind_);
    ref.namespace_ = slash == std::string::npos ? "" : key.substr(0, slash);
    ref.name = slash == std::string::npos ? key : key.substr(slash + 1);
    known_.erase(key);
    deliver_(ObjectGone{std::move(ref), version.uid});
  }
  for (const auto& [key, object] : listed) {
    if (mine != session_) return;
    const api::ObjectMeta& metadata = api::metadataOf(*object);
    const auto seen = before.find(key);
    if (seen != before.end() && seen->second == Version{metadata.uid, metadata.resourceVersion}) continue;
    hand(*object, false);
  }
}

}  // namespace tidegate::sim
