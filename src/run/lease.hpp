// Leader election on a Lease of coordination.k8s.io/v1, with fencing.
//
// The rules are those of client-go's tools/leaderelection: a lease is free when nobody holds it, or when it
// has not changed for its duration as this process has seen it (the clocks of two machines are never
// compared); the holder renews every retry period, and gives up when it could not renew for the renew
// deadline. As that is shorter than the lease's duration, the old leader has stopped writing before a new one
// may begin: ask mayWrite() before each write.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "world/kube/loop.hpp"
#include "world/kube/transport.hpp"

namespace tidegate::run {

struct LeaseOptions {
  std::string namespace_;
  std::string name;
  std::string identity;
  Duration duration = seconds(15);
  Duration renewDeadline = seconds(10);
  Duration retryPeriod = seconds(2);
};

class LeaderElector {
 public:
  struct Watchers {
    std::function<void()> elected;
    std::function<void(const std::string& why)> deposed;     // once; nothing is tried after it
    std::function<void(const std::string& holder)> follows;  // somebody else leads
    // The lease cannot be read or written; once for each reason, until it is answered again.
    std::function<void(const std::string& why)> troubled;
    std::function<void()> mended = {};  // it is, after that; may be unset
  };

  LeaderElector(kube::Loop& loop, kube::Transport& transport, LeaseOptions options, Watchers watchers);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void start();
  // Gives the lease back, so that another replica need not wait for it to run out; `done` when that is
  // answered.
  void release(std::function<void()> done);

  bool leads() const { return leading_; }
  // Leads, and has renewed within the renew deadline.
  bool mayWrite() const;

 private:
  struct Seen {
    std::string holder;
    std::string renewTime;
    std::string resourceVersion;
    std::string acquireTime;
    std::int64_t transitions = 0;
    Duration duration{};
  };

  void tryOnce();
  void take(const kube::HttpResponse& response, Time asked);
  void create(Time asked);
  void update(Time asked);
  void wrote(const kube::HttpResponse& response, Time asked);
  void again();
  void answered();
  void fail(const kube::HttpResponse& response);
  void depose(const std::string& why);
  std::string path() const;
  std::string body(const Seen* before, bool giveBack) const;
  bool read(const std::string& json);

  kube::Loop& loop_;
  kube::Transport& transport_;
  LeaseOptions options_;
  Watchers watchers_;
  std::optional<Seen> seen_;
  Time seenAt_{};   // when the lease last changed, as seen here
  Time renewed_{};  // when the last renewal that succeeded was asked for
  bool leading_ = false;
  bool stopped_ = false;
  std::string followed_;
  std::string lastError_;
  std::string told_;  // the reason that was told last, without its counts
  kube::TimerId timer_ = 0;
  kube::RequestId request_ = 0;
};

}  // namespace tidegate::run
