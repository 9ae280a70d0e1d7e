// How long to wait before the next try: doubling, jittered, bounded; and what a server asks for.
#pragma once

#include <algorithm>

#include "core/rng.hpp"
#include "core/time.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

struct BackoffOptions {
  Duration first = milliseconds(800);
  Duration most = seconds(30);
};

class Backoff {
 public:
  Backoff(BackoffOptions options, Rng rng) : options_(options), next_(options.first), rng_(rng) {}

  // Between once and twice the current step (then the next is doubled), never more than `most`.
  Duration next() {
    const Duration step = next_;
    next_ = std::min(next_ * 2, options_.most);
    return std::min(step + Duration{rng_.between(0, step.count())}, options_.most);
  }
  void reset() { next_ = options_.first; }

 private:
  BackoffOptions options_;
  Duration next_;
  Rng rng_;
};

// Retry-After in whole seconds (RFC 9110 10.2.3; Kubernetes never sends dates), at most `most`; zero if the
// answer has none.
Duration retryAfter(const HttpResponse& response, Duration most = seconds(60));

}  // namespace tidegate::kube
