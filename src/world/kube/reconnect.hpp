// When those who follow one API server try again: as soon as it is back, and not all at once.
//
// While nobody answers, one probe (GET /version) asks for all; it is answered, whatever the answer, and all
// go on. Who was answered with a refusal waits for itself, but goes on as soon as another gets through: a
// token that is right again is right for all. What a server asks for (429, 5xx, Retry-After) is not
// shortened: that is waited for without this class.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "core/rng.hpp"
#include "core/time.hpp"
#include "world/kube/loop.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

struct ReconnectOptions {
  Duration first = milliseconds(400);   // between two probes; doubled, half of it drawn
  Duration most = seconds(4);           // ... up to this
  Duration timeout = seconds(3);        // of a probe
  Duration spread = milliseconds(200);  // those that wait go on within it
};

class Reconnect {
 public:
  using Ticket = std::uint64_t;
  struct Wait {
    bool unreachable = false;  // there was no answer; else it was a refusal that others may have met too
    Duration delay{};          // when to try again if nothing is heard of the server
  };

  Reconnect(Loop& loop, Transport& transport, ReconnectOptions options, Rng rng);
  ~Reconnect();
  Reconnect(const Reconnect&) = delete;
  Reconnect& operator=(const Reconnect&) = delete;

  // Runs an action when it is time to try again; never inside this call. If the first probe is answered, the
  // server was there all along: the action waits for its own delay.
  Ticket wait(Wait wait, std::function<void()> action);
  void cancel(Ticket ticket);
  // Somebody who had failed is served: all others go on.
  void gotThrough();

 private:
  struct Waiting {
    bool unreachable = false;
    Time ownTime{};
    std::function<void()> action;
    TimerId timer = 0;  // 0: waits for the probe
  };

  void probe();
  void probeLater();
  void answered();
  void schedule(Ticket ticket, Time when);
  void release(bool all);

  Loop& loop_;
  Transport& transport_;
  const ReconnectOptions options_;
  Rng rng_;
  std::map<Ticket, Waiting> waiting_;
  Ticket last_ = 0;
  Duration step_{};
  int failedProbes_ = 0;  // in a row
  std::optional<RequestId> request_;
  std::optional<TimerId> timer_;
};

}  // namespace tidegate::kube
