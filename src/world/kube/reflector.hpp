// Follows all objects of one kind on an API server: list, watch, list again when the watch cannot go on.
//
// What the sink is told: every object that exists, then every change, in the server's order for each object;
// objects that vanished while nobody watched are told of as gone after the next list. A change may be told
// twice, an intermediate state may be skipped, the last state never. Semantics of client-go's Reflector
// (k8s.io/client-go/tools/cache/reflector.go) and of "Efficient detection of changes" in the Kubernetes API
// Concepts page; WatchList is KEP-3157.
//
// Per object only name, uid and resourceVersion are kept.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/rng.hpp"
#include "protocol/events.hpp"
#include "world/kube/backoff.hpp"
#include "world/kube/decode.hpp"
#include "world/kube/loop.hpp"
#include "world/kube/resources.hpp"
#include "world/kube/retries.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::kube {

struct ReflectorOptions {
  std::string onlyNamespace = {};  // empty: all
  std::string fieldSelector = {};  // "metadata.name=conf"
  int pageSize = 500;              // of a list; 0: all at once
  bool watchList = false;  // ask for the list as a watch (Kubernetes 1.32 and later); falls back by itself
  Duration listTimeout = seconds(60);
  Duration watchFor = seconds(420);  // timeoutSeconds of a watch, stretched up to twice at random
  // No byte for so long: the connection is taken for dead. Longer than a watch: of a kind that does not
  // change there are no bookmarks either, and dead peers are found by the transport.
  Duration watchSilence = seconds(900);
  Duration absentRetry = seconds(30);  // how often to look for a kind that is not installed
  BackoffOptions backoff = {};
  DecodeOptions decode = {};
};

enum class ReflectorState : std::uint8_t {
  Listing,  // the first list is not complete
  Synced,
  Absent,   // the server has no such kind (yet): counts as synced, empty
  Refused,  // 401 or 403, and not synced before
};

struct ReflectorSink {
  std::function<void(const Event&)> event = {};                  // ObjectSeen, ObjectGone
  std::function<void(ReflectorState)> state = {};                // on change
  std::function<void(const std::string& message)> warning = {};  // for the log
};

struct ReflectorStats {
  std::uint64_t lists = 0;       // full lists, the first included
  std::uint64_t watches = 0;     // watches started
  std::uint64_t events = 0;      // changes told by watches
  std::uint64_t failures = 0;    // lists and watches that ended with an error
  std::uint64_t unreadable = 0;  // objects left out
};

class Reflector {
 public:
  using Services = ServerServices;
  Reflector(Services services, const Resource& resource, ReflectorOptions options, ReflectorSink sink,
            Rng rng);
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  // Ends what is under way; the sink is not called any more. May be started again: then all objects are told
  // of again.
  void stop();

  const Resource& resource() const;
  ReflectorState state() const;
  // Every object that existed at some time after the start has been told of.
  bool synced() const;
  const ReflectorStats& stats() const;
  std::size_t size() const;
  // Of an object that exists as far as is known; else "".
  std::string_view uidOf(std::string_view inNamespace, std::string_view name) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidegate::kube
