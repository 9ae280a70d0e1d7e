// What jobs have done, what of it is safe, and what was lost: training progress as a ledger.
//
// A job makes progress while at least its minimum of members works; with fewer than all it goes slower in
// proportion. A checkpoint counts when every living member has saved its part (a torn one is none). Work
// since the last checkpoint is lost when a job falls below its minimum, and found out when it starts again or
// has stopped wholly. Pods of a PodGroup share one job; pods without one each do a share of their own, which
// a successor takes up.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "world/sim/event_queue.hpp"
#include "world/sim/object_store.hpp"
#include "world/sim/pod_timing.hpp"

namespace tidegate::sim {

// A job has stopped below its minimum, or a part of the gang had to start anew.
struct WorkStop {
  Time at;
  std::int64_t step = 0;       // reached
  std::int64_t savedStep = 0;  // it will go on from here
  std::int64_t lostGpuSeconds = 0;
};
struct WorkResume {
  Time at;
  std::int64_t fromStep = 0;
};

struct JobWork {
  std::string name;       // "namespace/owner"; shares of one owner carry "#n" from the second on
  std::string ownerKind;  // "Job", "Deployment", "Pod"
  std::string group;      // PodGroup key; empty without one
  std::int32_t size = 1;
  std::int32_t minimum = 1;
  std::int64_t gpus = 0;  // at full size
  Duration total{};       // work to do, as time of the whole job running
  Duration step = seconds(1);
  std::optional<Duration> interval;  // between periodic checkpoints
  Duration done{};
  Duration saved{};
  std::optional<Time> lastSave;
  std::int64_t lostGpuSeconds = 0;  // all stops together
  std::vector<WorkStop> stops;
  std::vector<WorkResume> resumes;  // the first start is none
  std::optional<Time> startedAt;
  std::optional<Time> finishedAt;

  std::int64_t stepOf(Duration work) const { return work / step; }
};

class WorkLedger {
 public:
  struct Hooks {
    // A checkpoint of the whole job is complete; the pods that took part.
    std::function<void(const JobWork&, const std::vector<std::string>& uids)> saved;
    // The work is done; these processes are to exit with 0.
    std::function<void(const JobWork&, const std::vector<std::string>& uids)> finished;
    std::function<void(const JobWork&, const WorkStop&)> stopped;
    std::function<void(const JobWork&, const WorkResume&)> resumed;
  };

  WorkLedger(EventQueue& clock, const ObjectStore& store, Hooks hooks)
      : clock_(clock), store_(store), hooks_(std::move(hooks)) {}

  // A process is up and ready to work. Pods without run-seconds do no work that counts.
  void join(const api::Pod& pod, const PodTiming& timing);
  // It saves its part: the job stalls meanwhile.
  void beginSave(const std::string& uid);
  void endSave(const std::string& uid);
  // It stops working but still holds its state (SIGTERM).
  void leave(const std::string& uid);
  // It is dead.
  void die(const std::string& uid);
  // Has the job of this pod work that no checkpoint holds?
  bool unsaved(const std::string& uid);

  // In the order of their first start; progress as of the last event that touched each.
  std::vector<const JobWork*> jobs() const;

 private:
  struct Member {
    bool working = true;
    bool saving = false;
    bool saved = false;  // its part of the open round is safe
  };
  struct Round {
    Duration at{};
    std::set<std::string> waitingFor;
  };
  struct Job {
    JobWork work;
    std::map<std::string, Member> members;
    std::optional<Round> round;
    bool broken = false;   // fell below the minimum and has not been accounted for
    bool starting = true;  // the next time it works counts as a start or a resume
    Time accruedAt{};
    Duration sinceSave{};
    std::uint64_t alarm = 0;  // the newest alarm; older ones are void
  };

  Job* jobOf(const std::string& uid);
  std::string place(const api::Pod& pod, const PodTiming& timing);
  void create(const std::string& key, const api::Pod& pod, const PodTiming& timing,
              const api::PodGroup* group);
  std::int32_t workers(const Job& job) const;
  void accrue(Job& job);
  void settle(Job& job);
  void startIfWhole(Job& job);
  void openRound(Job& job);
  void commitSave(Job& job, Duration at);
  void finish(Job& job);
  void setAlarm(Job& job);
  void alarm(Job& job);

  EventQueue& clock_;
  const ObjectStore& store_;
  Hooks hooks_;
  std::map<std::string, Job> jobs_;              // by owner uid, with "#n" for shares
  std::vector<std::string> order_;               // keys as first started
  std::map<std::string, std::string> jobByPod_;  // pod uid -> key
};

}  // namespace tidegate::sim
