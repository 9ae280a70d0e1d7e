// The phase and the counts of PodGroups, kept by whoever schedules (it runs beside Volcano's controllers
// too).
//
// In: PodGroup, Pod. Out: WriteStatus with phase, running, succeeded and failed; conditions are the
// scheduler's and no patch of this controller holds them.
//
// Phases, after Volcano's pkg/scheduler/framework/session.go (getPodGroupPhase, jobStatus): members that are
// bound, running or done reach minMember: Running, or Completed if all of them are done. Fewer: Unknown if
// some still run while the group is Unschedulable; else Inqueue if it was that, or there is no enqueue action
// that decides about it; else Pending. A group whose pods are cleaned away after it completed stays so.
#pragma once

#include <map>
#include <string>

#include "controllers/membership.hpp"
#include "controllers/mirror.hpp"
#include "controllers/reconciler.hpp"

namespace tidegate::controllers {

struct MemberCounts {
  std::int32_t scheduled = 0;  // bound or done
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t pods = 0;
  bool operator==(const MemberCounts&) const = default;
};

struct GroupSituation {
  std::string phase;  // as it is
  std::int32_t minMember = 1;
  bool unschedulable = false;
  MemberCounts members;
};

std::string groupPhase(const GroupSituation& group, bool enqueueDecides);

struct PodGroupStatusOptions {
  SchedulerNames schedulers = defaultSchedulers();
  bool enqueueDecides = false;            // the conf has an enqueue action, and somebody else runs it
  Duration interval = milliseconds(500);  // between two writes of one group's counts
};

class PodGroupStatusController : public Reconciler {
 public:
  explicit PodGroupStatusController(PodGroupStatusOptions options = {}) : options_(std::move(options)) {}

 private:
  struct Member {
    std::string gang;
    MemberCounts counts;
  };
  struct Group {
    std::int32_t minMember = 1;
    bool leaving = false;
    api::PodGroupStatus status;  // without the conditions
    bool unschedulable = false;
    std::string uid;
  };

  void seen(const api::Object& object, Time now) override;
  void gone(const api::ObjectRef& ref, const std::string& uid) override;
  void reconcile(const std::string& key, Time now) override;

  void seenPod(const api::Pod& pod);
  void seenGroup(const api::PodGroup& group);
  void count(const Member& member, int sign);

  PodGroupStatusOptions options_;
  Mirror<Member> pods_;
  Mirror<Group> groups_;
  std::map<std::string, MemberCounts> counts_;
  std::map<std::string, Time> written_;
};

}  // namespace tidegate::controllers
