// How one kind tries again after a failure, and what it tells of that: alone, or together with the other
// kinds of its server.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/rng.hpp"
#include "world/kube/backoff.hpp"
#include "world/kube/loop.hpp"
#include "world/kube/reconnect.hpp"
#include "world/kube/transport.hpp"
#include "world/kube/trouble_log.hpp"

namespace tidegate::kube {

// A server and what all that follow it share.
struct ServerServices {
  Loop& loop;
  Transport& transport;
  TroubleLog* trouble = nullptr;   // unset: each kind tells for itself
  Reconnect* reconnect = nullptr;  // unset: each kind waits for itself
};

class Retries {
 public:
  using Action = std::function<void()>;
  Retries(ServerServices services, std::string who, BackoffOptions backoff, Rng rng);
  ~Retries() { cancel(); }
  Retries(const Retries&) = delete;
  Retries& operator=(const Retries&) = delete;

  // At most one action waits. None of these is called inside the call that asks for it.
  void later(Duration delay, Action action);
  void again(Action action) { later(backoff_.next(), std::move(action)); }
  // After an answer that was no success: no sooner than it says.
  void after(const HttpResponse& answer, Action action);
  void cancel();

  // False: nobody but the caller can tell.
  bool failed(const std::string& reason);
  void served();
  void resetBackoff() { backoff_.reset(); }

 private:
  ServerServices services_;
  const std::string who_;
  Backoff backoff_;
  Rng rng_;
  bool failing_ = false;
  std::optional<TimerId> timer_;
  std::optional<Reconnect::Ticket> ticket_;
};

}  // namespace tidegate::kube
