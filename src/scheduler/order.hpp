// Who is served next: queues by priority and saturation, gangs by priority, dominant share and age.
#pragma once

#include <optional>
#include <vector>

#include "placement/session.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

// A piece of a gang that is placed in one step.
struct WorkItem {
  GangId gang = kNone;
  quota::QueueId queue = quota::kNoQueue;
  std::vector<placement::Task> tasks;
  bool required = true;  // true: needed to reach minMember, all or none; false: extras, each on its own
  bool broken = false;   // the gang runs below its minimum: completing it is worth more than starting another
};

// Pods of a gang that count towards its minimum: bound and not leaving, or finished with success.
std::int32_t activeMembers(const placement::Session& session, GangId gang);

// All waiting work of open queues, per queue in the order in which it is to be served:
// broken gangs, then priority, required before extras, dominant share (drf), age, uid, key.
// Best-effort pods (that ask for nothing) are left to backfill.
enum class WorkKind : std::uint8_t { Requesting, BestEffort };
std::vector<WorkItem> collectWork(const placement::Session& session, const Policy& policy, WorkKind kind);

// Repeatedly hands out the first item of the queue that is served next: queue priority, then lowest
// saturation (used / entitlement, with what this session placed), then name.
class WorkOrder {
 public:
  WorkOrder(const placement::Session& session, std::vector<WorkItem> items);
  std::optional<WorkItem> next(const placement::Session& session);

 private:
  struct Lane {
    quota::QueueId queue;
    std::vector<WorkItem> items;
    std::size_t at = 0;
  };
  std::vector<Lane> lanes_;
};

// Dominant used / entitlement of a queue, usage as of the session, entitlement as of the cycle's start.
double saturation(const placement::Session& session, quota::QueueId queue);

// a before b in the order of service; victims go in the reverse of it.
bool servedBefore(const ClusterState& state, const Policy& policy, GangId a, GangId b);

}  // namespace tidegate::scheduler
