// Who is served next: queues by priority and saturation, gangs by priority, dominant share and age.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "placement/session.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

// Where work stands among that of its queue; smaller is served sooner. Names point into the state.
struct ServiceRank {
  bool intact = true;  // a gang that runs below its minimum comes first: completing it is worth most
  std::int32_t minusPriority = 0;
  bool extra = false;  // what gangs need to run, before what they would only like
  double share = 0;    // dominant share
  Time created;
  std::string_view uid;
  std::string_view key;

  bool operator<(const ServiceRank& other) const {
    auto fields = [](const ServiceRank& rank) {
      return std::tie(rank.intact, rank.minusPriority, rank.extra, rank.share, rank.created, rank.uid,
                      rank.key);
    };
    return fields(*this) < fields(other);
  }
};

// A piece of a gang that is placed in one step.
struct WorkItem {
  GangId gang = kNone;
  quota::QueueId queue = quota::kNoQueue;
  std::vector<placement::Task> tasks;
  bool required = true;  // true: needed to reach minMember, all or none; false: extras, each on its own
  ServiceRank rank = {};
  std::optional<std::size_t> returning = {};  // a recalled job that would come back, by its index: no pods
};

// Pods of a gang that count towards its minimum: bound and not leaving, or finished with success.
std::int32_t activeMembers(const placement::Session& session, GangId gang);

// All waiting work of open queues, each with its rank: broken gangs, then priority, required before extras,
// dominant share (drf), age, uid, key; as far as the policy switches these on.
// Best-effort pods (that ask for nothing) are left to backfill.
enum class WorkKind : std::uint8_t { Requesting, BestEffort };
std::vector<WorkItem> collectWork(const placement::Session& session, const Policy& policy, WorkKind kind);

// The rank of a gang as a whole, or of its required part.
ServiceRank rankOf(const ClusterState& state, const Policy& policy, GangId gang);

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

// Dominant share of the cluster that a gang's bound pods hold.
double dominantShare(const ClusterState& state, GangId gang);

// Dominant used / entitlement of a queue, usage as of the session, entitlement as of the cycle's start.
double saturation(const placement::Session& session, quota::QueueId queue);

// a before b in the order of service; victims go in the reverse of it.
bool servedBefore(const ClusterState& state, const Policy& policy, GangId a, GangId b);

}  // namespace tidegate::scheduler
