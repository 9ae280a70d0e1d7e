#include "cli/commands.hpp"
#include "drill/drill.hpp"

namespace tidegate::cli {

int runCommand(const DrillCommand& command, const Streams& streams) {
  return drill::runDrill(command.options, {.out = streams.out,
                                           .err = streams.err,
                                           .colour = streams.outIsTerminal,
                                           .progress = streams.errIsTerminal});
}

}  // namespace tidegate::cli
