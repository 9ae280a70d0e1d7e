// The phases of a recall and of each job it stops, as enums; the record carries them as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/objects.hpp"

namespace tidegate::lifecycle {

// Planned -> Signalled -> Checkpointed | GraceExpired -> Stopping -> Released, in order. Aside from it:
// Cancelled (not needed any more before it was stopped) and Stuck (told to stop, and still there past its own
// deadline).
enum class VictimPhase : std::uint8_t {
  Planned,
  Signalled,
  Checkpointed,
  GraceExpired,
  Stopping,
  Stuck,
  Released,
  Cancelled,
};

std::string_view text(VictimPhase phase);
// Unknown text reads as Planned: the first step looks at the objects and finds out what was done.
VictimPhase victimPhase(std::string_view text);

// From here on the job has been told to stop.
inline bool stopBegun(VictimPhase phase) {
  return phase >= VictimPhase::Stopping && phase != VictimPhase::Cancelled;
}

namespace recall_phase {
inline constexpr const char* kPlanned = "Planned";
inline constexpr const char* kSignalled = "Signalled";
inline constexpr const char* kStopping = "Stopping";
inline constexpr const char* kReleased = "Released";
inline constexpr const char* kHandedOver = "HandedOver";
inline constexpr const char* kAbandoned = "Abandoned";
}  // namespace recall_phase

bool isActive(const api::Recall& recall);  // not handed over, not abandoned

}  // namespace tidegate::lifecycle
