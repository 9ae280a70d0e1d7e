// What is kept of a drill on a live cluster: everything it is judged by, with the local times at which
// changes arrived.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drill/live/mirror.hpp"
#include "drill/live/preflight.hpp"
#include "drill/live/suspensions.hpp"
#include "drill/played.hpp"

namespace tidegate::drill::live {

class LiveRecord : public Played {
 public:
  // Subscribes to the mirror, which must outlive the record's use.
  LiveRecord(Mirror& mirror, Recorder::Clock now);
  // From now on; what is there counts as made now. Pods without GPUs or on other nodes are left out.
  void begin(Pool pool);

  // The script tells what it does.
  void burstNow() { burstAt_ = now_(); }
  void peakEndsNow() { peakEndsAt_ = now_(); }
  void takeStill(std::string title);
  // Why pods of this namespace and queue are not bound yet.
  void noteWaiting(const std::string& nameSpace, const std::string& queue);

  // The first victim that was asked to save or told to stop.
  std::optional<Time> firstSignal(const std::string& onlineQueue) const;
  // When the first and the last pod of the burst appeared.
  std::optional<Time> firstOfBurst(const std::string& onlineQueue) const;
  // How many of the owner's pods are Ready, and how many would be enough: those before the burst, or its
  // minimum.
  struct Strength {
    int ready = 0;
    int enough = 0;
  };
  Strength strength(const std::string& owner) const;
  bool runsAgain(const std::string& owner) const {
    const auto [ready, enough] = strength(owner);
    return ready >= enough;
  }
  // Owners of pods of other queues that were made to stop since the burst.
  std::vector<std::string> stopped(const std::string& onlineQueue) const;

  const Recorder& recorder() const override { return recorder_; }
  Time burstAt() const override { return burstAt_; }
  Time peakEndsAt() const override { return peakEndsAt_; }
  const std::vector<Still>& stills() const override { return stills_; }
  const std::map<std::string, int>& waiting() const override { return waiting_; }
  std::vector<Begun> begun() const override { return begun_; }
  // What a record of a recall names; all, where the scheduler keeps none.
  bool chosen(const std::string& uid) const override;
  Suspension suspension(const std::string& owner) const override { return suspensions_.of(owner, burstAt_); }
  std::optional<int> minimumOf(const std::string& owner) const override;
  bool knowsWork() const override { return false; }
  const sim::JobWork* work(const std::string&) const override { return nullptr; }
  std::shared_ptr<const api::Pod> pod(const std::string& key) const override {
    return mirror_.store().find<api::Pod>(key);
  }

 private:
  void see(const sim::Change& change);
  void recallSeen(const sim::Change& change);
  bool concerns(const api::Pod& pod) const;

  Mirror& mirror_;
  Recorder::Clock now_;
  std::optional<Pool> pool_;  // unset: not begun
  Recorder recorder_;
  Suspensions suspensions_;
  std::map<std::string, api::Recall> recalls_;  // with local times
  std::vector<Begun> begun_;
  std::vector<Still> stills_;
  std::map<std::string, int> waiting_;
  std::map<std::string, int> minimum_;  // by owner; kept when it is gone
  Time burstAt_ = Time::max();
  Time peakEndsAt_ = Time::max();
};

}  // namespace tidegate::drill::live
