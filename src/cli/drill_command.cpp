#include <random>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/environment.hpp"
#include "drill/drill.hpp"
#include "drill/live/live_drill.hpp"
#include "run/stop_signals.hpp"

namespace tidegate::cli {
namespace {

// Five letters and digits that no other drill has, most likely.
std::string randomId() {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::random_device random;
  std::string out;
  for (int i = 0; i < 5; ++i) out += kLetters[random() % kLetters.size()];
  return out;
}

}  // namespace

int runCommand(const DrillCommand& command, const Streams& streams) {
  const drill::Terminal terminal{.out = streams.out,
                                 .err = streams.err,
                                 .colour = streams.outIsTerminal,
                                 .progress = streams.errIsTerminal || command.live.has_value()};
  if (!command.live) return drill::runDrill(command.options, terminal);
  drill::live::LiveOptions options = *command.live;
  options.id = randomId();
  const run::StopSignals signals;
  return drill::live::runLiveDrill(
      options, terminal,
      drill::live::Interrupts{.descriptor = signals.descriptor(), .take = [&] { return signals.take(); }},
      environmentOfProcess());
}

}  // namespace tidegate::cli
