// The promo drill on a live cluster: the same load, burst, measures and bars as on the embedded one, with
// real objects, whatever scheduler runs there.
#pragma once

#include <functional>

#include "drill/drill.hpp"
#include "drill/live/options.hpp"
#include "drill/live/waiter.hpp"
#include "world/kube/cluster_config.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::drill::live {

// Who wants the drill to end: readable when a signal has come.
struct Interrupts {
  int descriptor = -1;                // -1: nobody
  std::function<const char*()> take;  // the signal's name
};

// Returns kBarsHold, kBarFails, or kBadInput: it could not or may not be played, or was interrupted. The
// cluster is cleaned up in any case; what could not be is told on terminal.err.
int runLiveDrill(const LiveOptions& options, const Terminal& terminal, const Interrupts& interrupts,
                 const kube::Environment& environment);

// The same over any loop and connection.
struct Connection {
  Waiter& waiter;
  kube::Transport& transport;
};
int runLiveDrill(const LiveOptions& options, const Terminal& terminal, const Connection& connection);

}  // namespace tidegate::drill::live
