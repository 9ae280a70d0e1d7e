// How long messages between a client and the simulated API server travel, and what goes wrong with them. All
// times are virtual; each probability is drawn per item from a stream of the client's own.
#pragma once

#include <cstdint>

#include "core/time.hpp"

namespace tidegate::rest {

struct NetworkOptions {
  Duration requestDelay = milliseconds(4);  // one way, of requests and of answers
  Duration requestJitter = milliseconds(3);
  Duration watchDelay = milliseconds(5);  // from commit to the first byte of the event at the client
  Duration watchJitter = milliseconds(5);
  Duration refusedAfter = milliseconds(2);  // until a connection to a server that is down is refused
};

// What may go wrong. Per request, in this order, at most one of them; of a watch request only those marked
// (*).
struct FaultRates {
  double requestLost = 0;    // (*) the connection breaks before the server has read the request: status 0
  double answerLost = 0;     // the server acts, the connection breaks before the answer: status 0
  double noAnswer = 0;       // the server acts, the answer never comes: status 0 after the request's timeout
  double conflict = 0;       // writes but creates: 409, as if another writer had been first; not carried out
  double tooMany = 0;        // (*) 429 with Retry-After; not carried out
  double internalError = 0;  // (*) 500; not carried out
  double unavailable = 0;    // (*) 503; not carried out
  double slowRequest = 0;    // (*) takes `slowness` longer on its way to the server
  Duration slowness = seconds(2);
  Duration retryAfter = seconds(1);  // as 429 says; whole seconds

  // Per watch that begins.
  double watchGone = 0;  // 410, half of them as HTTP status, half as ERROR event
  double slowWatch = 0;  // its events come later by up to `watchLag`: order is kept within a watch only
  Duration watchLag = seconds(3);
  // Per event of a watch.
  double dropWatch = 0;  // the stream breaks before the event
  double cutWatch = 0;   // the stream breaks within the event's bytes
  double endWatch = 0;   // the server ends the stream in order before the event
  double duplicateEvent = 0;
  double splitChunk = 0;  // the bytes come in several pieces, cut anywhere
};

// What has gone wrong so far.
struct FaultCounts {
  std::uint64_t requests = 0;
  std::uint64_t requestsLost = 0;
  std::uint64_t answersLost = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t tooMany = 0;
  std::uint64_t internalErrors = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t slowRequests = 0;
  std::uint64_t refused = 0;  // the server was down
  std::uint64_t watches = 0;
  std::uint64_t watchesGone = 0;
  std::uint64_t slowWatches = 0;
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  std::uint64_t cut = 0;
  std::uint64_t ended = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t split = 0;
  bool operator==(const FaultCounts&) const = default;
};

}  // namespace tidegate::rest
