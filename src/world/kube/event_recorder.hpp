// Kubernetes events: what is said again soon is counted instead of said, and nobody floods an object with
// them. Rules as client-go's EventCorrelator has them (k8s.io/client-go/tools/record/events_cache.go).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "protocol/events.hpp"
#include "world/kube/commands.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

class EventRecorder {
 public:
  explicit EventRecorder(const CommandOptions& options) : options_(options) {}

  // Events of equal keys are one, counted.
  static std::string keyOf(const Emit& emit);
  // Creates the event or raises its count; nothing if its object has had too many.
  std::optional<HttpRequest> request(const Emit& emit, const std::string& uid, Time now);
  // It was not taken (or its Event is gone): the next one like it is created anew.
  void failed(const Emit& emit);

 private:
  struct Told {
    std::string name = {};  // of the Event object; empty: not created yet
    int count = 0;
    Time first = {};
    Time last = {};
  };
  struct Bucket {
    double tokens = 0;
    Time at;
  };
  // So many different events and objects are remembered before old ones are looked for and forgotten.
  static constexpr std::size_t kRemembered = 4096;

  bool admit(const api::ObjectRef& about, Time now);
  double tokensOf(const Bucket& bucket, Time now) const;
  void forgetOld(Time now);
  HttpRequest create(const Emit& emit, const std::string& uid, Told& told, Time now);

  const CommandOptions& options_;
  std::map<std::string, Told> told_;
  std::map<api::ObjectRef, Bucket> buckets_;
  std::size_t sweepTold_ = kRemembered;
  std::size_t sweepBuckets_ = kRemembered;
  std::uint64_t created_ = 0;
};

}  // namespace tidegate::kube
