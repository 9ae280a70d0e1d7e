// The simulated API server, spoken to as Kubernetes REST: what kube-apiserver answers to one request, without
// a network (sim_transport.hpp) and in virtual time.
//
// Kinds that tidegate knows are the objects of the simulated world, as the fields tidegate knows; all other
// kinds of resources.hpp are documents kept as they were written. One resourceVersion order covers both.
//
// Rules: "Kubernetes API Concepts" (lists in chunks, watches, bookmarks, 410 Gone, streaming lists, patches)
// and sig-architecture's API conventions (Status bodies, concurrency control, subresources).
// Not modelled: authentication, labelSelector (refused with 400), field ownership of server-side apply (which
// merges the fields given), other media types than JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "world/kube/transport.hpp"
#include "world/sim/api_server.hpp"

namespace tidegate::rest {

struct RestOptions {
  std::size_t history = 1000;  // changes kept per resource; older resourceVersions are 410
  Duration bookmarkEvery = seconds(60);
  Duration watchTimeout = seconds(1800);  // of watches that name none; jitter is not simulated
  Duration continueFor = seconds(300);    // a list's snapshot is good that long (etcd compaction)
  std::set<std::string> absent = {};      // "podgroups.scheduling.volcano.sh": definitions not installed
};

using WatchId = std::uint64_t;

// Where a watch's bytes go. Called within the write that made them: the receiver must not write to the
// server.
struct WatchSink {
  std::function<void(std::string_view line)> event;  // one event with its newline
  std::function<void()> end;                         // the server has ended the stream
};

class RestServer {
 public:
  RestServer(sim::EventQueue& clock, sim::SimApiServer& api, RestOptions options = {});
  ~RestServer();
  RestServer(const RestServer&) = delete;
  RestServer& operator=(const RestServer&) = delete;

  // One request that has arrived; it is carried out now.
  kube::HttpResponse answer(const kube::HttpRequest& request);
  static bool isWatch(const kube::HttpRequest& request);

  struct Watching {
    kube::HttpResponse response;  // 200, or the refusal
    WatchId id = 0;
  };
  // Opens a watch; what there is to say at once reaches the sink within this call.
  Watching watch(const kube::HttpRequest& request, WatchSink sink);
  void unwatch(WatchId watch);

  // The process goes down now and is back after a while: streams end, history and snapshots are lost.
  void restart(Duration downFor);
  bool up() const;
  // Rises with every restart: answers under way from an older life are lost.
  std::uint64_t life() const;

  // etcd compaction: older resourceVersions than the current one are 410 from now on.
  void forgetHistory();
  std::size_t watches() const;
  // How often an object was turned into JSON.
  std::uint64_t serialised() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tidegate::rest
