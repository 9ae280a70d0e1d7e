#include "lifecycle/phases.hpp"

#include <array>

namespace tidegate::lifecycle {

namespace {
constexpr std::array<std::string_view, 8> kTexts = {"Planned",  "Signalled", "Checkpointed", "GraceExpired",
                                                    "Stopping", "Stuck",     "Released",     "Cancelled"};
}  // namespace

std::string_view text(VictimPhase phase) {
  return kTexts[static_cast<std::size_t>(phase)];
}

VictimPhase victimPhase(std::string_view text) {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (kTexts[i] == text) return static_cast<VictimPhase>(i);
  }
  return VictimPhase::Planned;
}

bool isActive(const api::Recall& recall) {
  return recall.status.phase != recall_phase::kHandedOver && recall.status.phase != recall_phase::kAbandoned;
}

}  // namespace tidegate::lifecycle
