// The real loop: timers, libcurl's transfers, file descriptors and actions of other threads, all on the
// thread that calls run().
//
// Timers have the millisecond resolution of curl_multi_poll and never run early. Every callback runs outside
// of libcurl, so that it may start and cancel transfers. Only post() and stop() may be called from other
// threads.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "world/kube/curl_clock.hpp"
#include "world/kube/curl_sockets.hpp"
#include "world/kube/loop.hpp"

namespace tidegate::kube {

class CurlLoop : public Loop {
 public:
  // To one server: until it is seen to speak only HTTP/1.1, and from then on.
  static constexpr long kSharedConnections = 4;
  static constexpr long kMaxConnections = 64;

  CurlLoop();
  // All transports of this loop must be gone.
  ~CurlLoop() override;
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  Time now() const override;
  TimerId at(Time when, std::function<void()> action) override;
  void cancel(TimerId timer) override;

  // Runs until stop(). A stop() that comes first makes the next run() return at once.
  void run();
  void stop();
  // Runs the action on the loop's thread, after those posted before. Actions left over when the loop is
  // destroyed are dropped.
  void post(std::function<void()> action);

  // For transports: runs a transfer; `finished` is called once, unless it is removed before. The handle must
  // live until then.
  void add(CURL* transfer, std::function<void(CURLcode)> finished);
  void remove(CURL* transfer);
  // Allows kMaxConnections. Transfers that wait for a connection have to be added again.
  void widen();
  CurlSockets& sockets() { return sockets_; }

  // Calls `readable` whenever the descriptor has something to read or has been closed at its other end.
  void watch(int descriptor, std::function<void()> readable);
  void unwatch(int descriptor);

 private:
  struct MultiCleanup {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  using TimerKey = std::pair<Time, TimerId>;  // ids grow: equal times run in the order of asking

  void runPosted();
  void runTimers();
  void runTransfers();
  void pollOnce();
  int pollTimeoutMs() const;
  void runReadable(const std::vector<curl_waitfd>& polled);

  mutable CurlClock clock_;
  CurlSockets sockets_;  // used by multi_ until its end
  std::unique_ptr<CURLM, MultiCleanup> multi_;

  std::map<TimerKey, std::function<void()>> timers_;
  std::map<TimerId, Time> timerTimes_;
  TimerId nextTimer_ = 1;
  std::map<CURL*, std::function<void(CURLcode)>> transfers_;
  std::map<int, std::shared_ptr<std::function<void()>>> watches_;

  std::atomic<bool> stopping_ = false;
  std::mutex postedMutex_;
  std::vector<std::function<void()>> posted_;  // guarded by postedMutex_
};

}  // namespace tidegate::kube
