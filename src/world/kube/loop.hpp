// Time and timers of the Kubernetes world. Everything in it runs on one thread, the one that runs the loop,
// so that nothing needs a lock.
//
// The real loop is curl_loop.hpp; the simulated world offers one in virtual time, which is how clients,
// reflectors and leader election are tested over many seeds.
#pragma once

#include <cstdint>
#include <functional>

#include "core/time.hpp"

namespace tidegate::kube {

using TimerId = std::uint64_t;

class Loop {
 public:
  virtual ~Loop() = default;

  // Wall-clock time, as Kubernetes stamps its objects. Never goes back.
  virtual Time now() const = 0;
  // Runs an action at a time, or as soon as may be when it has passed; never inside this call. Equal times
  // run in the order of asking.
  virtual TimerId at(Time when, std::function<void()> action) = 0;
  TimerId after(Duration delay, std::function<void()> action) { return at(now() + delay, std::move(action)); }
  // The action will not run. Unknown ids and those that have run are ignored.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace tidegate::kube
