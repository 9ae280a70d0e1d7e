#include "drill/live/reaction.hpp"

#include <fmt/format.h>

#include "report/words.hpp"

namespace tidegate::drill::live {

report::Check reaction(const LiveRecord& record, const std::string& onlineQueue) {
  report::Check out{.id = "reaction",
                    .what = "First victim signalled or stopped",
                    .measured = "nothing to evict",
                    .limit = "at most " + report::limitText(kReactionLimit)};
  const std::optional<Time> first = record.firstSignal(onlineQueue);
  const std::optional<Time> asked = record.firstOfBurst(onlineQueue);
  if (!first || !asked) return out;
  const Duration taken = std::max(Duration{}, *first - *asked);
  out.measured = report::durationText(taken);
  out.share = toSeconds(taken) / toSeconds(kReactionLimit);
  out.holds = taken <= kReactionLimit;
  if (!out.holds)
    out.cause = fmt::format("the burst's first pod was there at {}, the first victim was told at {}",
                            report::durationText(*asked - record.burstAt()),
                            report::durationText(*first - record.burstAt()));
  return out;
}

std::vector<std::string> notesOnMeasuring(const LiveRecord& record, const LiveOptions& options,
                                          const std::string& onlineQueue) {
  std::vector<std::string> out;
  out.emplace_back("Measured on a live cluster: all times are those at which changes arrived here.");
  if (const auto first = record.firstOfBurst(onlineQueue)) {
    out.push_back(fmt::format("The burst's first pod was there {} after it was asked for.",
                              report::durationText(*first - record.burstAt())));
  }
  if (options.liveVictims)
    out.emplace_back("Jobs that are not the drill's could be recalled (--live-victims).");
  return out;
}

}  // namespace tidegate::drill::live
