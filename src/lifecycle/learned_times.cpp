#include "lifecycle/learned_times.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "lifecycle/objects.hpp"
#include "scheduler/victims.hpp"
#include "state/translate.hpp"

namespace tidegate::lifecycle {
namespace names = api::names;

namespace {

constexpr Duration kStep = milliseconds(100);  // times are rounded up to it

struct Measured {
  std::optional<Duration> checkpoint;
  std::optional<Duration> stop;
};

Measured measuredOf(const api::RecallVictim& victim, const VictimContext& context) {
  Measured measured;
  if (victim.signalledAt && victim.checkpointedAt) {
    measured.checkpoint = *victim.checkpointedAt - *victim.signalledAt;
  }
  const Time cutAt = context.deadline() - scheduler::kTeardownAllowance;
  if (victim.stoppingAt && victim.releasedAt && *victim.releasedAt < cutAt) {
    measured.stop = *victim.releasedAt - *victim.stoppingAt;
  }
  return measured;
}

void learnInto(Patch& patch, const char* name, std::optional<Duration> known,
               std::optional<Duration> measured) {
  if (!measured) return;
  const Duration smoothed = known ? *known + (*measured - *known) / 3 : *measured;
  const Duration kept = std::max({smoothed, *measured, kStep});
  patch.annotations[name] = formatDuration((kept + kStep - Duration(1)) / kStep * kStep);
}

Patch lesson(Patch patch, const api::StringMap& annotations, const Measured& measured,
             const std::string& id) {
  auto known = [&](const char* name) -> std::optional<Duration> {
    const auto found = annotations.find(name);
    if (found == annotations.end()) return std::nullopt;
    const auto parsed = parseDuration(found->second);
    return parsed ? std::optional<Duration>(*parsed) : std::nullopt;
  };
  learnInto(patch, names::kCheckpointDuration, known(names::kCheckpointDuration), measured.checkpoint);
  learnInto(patch, names::kStopDuration, known(names::kStopDuration), measured.stop);
  patch.annotations[names::kMeasuredBy] = id;
  return patch;
}

}  // namespace

void learn(const api::RecallVictim& victim, const VictimContext& context, Acts& acts) {
  const Measured measured = measuredOf(victim, context);
  const Owner owner = ownerOf(victim);
  const api::ObjectMeta* metadata = ownerMetadata(context.state, owner);
  if ((!measured.checkpoint && !measured.stop) || metadata == nullptr) return;
  const std::string* by = annotation(*metadata, names::kMeasuredBy);
  if (by != nullptr && *by == context.id()) return;
  acts.add(keyFor(context, "learn", owner.key),
           lesson(patchOf(ownerRef(context.state, owner, *metadata), metadata->uid), metadata->annotations,
                  measured, context.id()));
  const GangId id = context.state.findGang(victim.gang);
  if (id == kNone || !context.state.gang(id).exists) return;
  const GangInfo& gang = context.state.gang(id);
  api::StringMap known;
  if (gang.checkpointDuration) known[names::kCheckpointDuration] = formatDuration(*gang.checkpointDuration);
  if (gang.stopDuration) known[names::kStopDuration] = formatDuration(*gang.stopDuration);
  acts.add(keyFor(context, "learn", gang.key),
           lesson(patchOf(groupRef(gang), gang.uid), known, measured, context.id()));
}

}  // namespace tidegate::lifecycle
