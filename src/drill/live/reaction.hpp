// What only a live cluster shows: how fast the scheduler reacts. A check more for the latency bar.
#pragma once

#include "drill/live/live_record.hpp"
#include "report/model.hpp"

namespace tidegate::drill::live {

inline constexpr Duration kReactionLimit = milliseconds(300);

// From the first pod of the burst to the first victim that is asked to save or told to stop. Holds where
// nothing had to be recalled.
report::Check reaction(const LiveRecord& record, const std::string& onlineQueue);

// What a reader should know of how this was measured.
std::vector<std::string> notesOnMeasuring(const LiveRecord& record, const LiveOptions& options,
                                          const std::string& onlineQueue);

}  // namespace tidegate::drill::live
