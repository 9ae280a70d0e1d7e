// One watch of the brain: the changes of one kind, in order and late, as an informer delivers them. A broken
// watch loses what happens until it is found and the kind is listed anew; the list then tells the difference.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "protocol/events.hpp"
#include "world/sim/event_queue.hpp"
#include "world/sim/fault_draws.hpp"
#include "world/sim/object_store.hpp"

namespace tidegate::sim {

class WatchStream {
 public:
  using Deliver = std::function<void(const Event&)>;
  // A fault that was injected, in words.
  using Note = std::function<void(const std::string&)>;

  // What goes wrong, and the name of the stream it is drawn from.
  struct Faults {
    const FaultDraws& draws;
    std::string stream;
  };

  WatchStream(EventQueue& clock, const ObjectStore& store, std::size_t kind, const ApiOptions& options,
              const Faults& faults, Deliver deliver, Note note);

  // Lists the kind at once and watches from here.
  void start();
  // Stops; what is on its way is lost.
  void stop();
  void changed(const Change& change);

 private:
  struct Version {
    std::string uid;
    std::string resourceVersion;
    bool operator==(const Version&) const = default;
  };

  void schedule(ObjectPtr object, bool gone, Duration extra);
  void hand(const api::Object& object, bool gone);
  void relist();

  EventQueue& clock_;
  const ObjectStore& store_;
  std::size_t kind_;
  ApiOptions options_;
  FaultOptions faults_;
  Rng draw_;
  Deliver deliver_;
  Note note_;
  std::map<std::string, Version> known_;  // what the brain has been shown
  std::uint64_t session_ = 0;             // deliveries of older sessions are void
  bool running_ = false;
  bool broken_ = false;
  Time last_{};  // of the latest delivery: order is kept
};

}  // namespace tidegate::sim
