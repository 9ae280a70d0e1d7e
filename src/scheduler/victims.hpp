// Whose work may be stopped for a demand, and what stopping it costs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/quantity.hpp"
#include "placement/session.hpp"
#include "scheduler/policy.hpp"

namespace tidegate::scheduler {

// From a process's exit, or its kill, to its devices being free: tear-down, and the kubelet's report. What a
// victim may take to save and stop ends so long before the deadline.
inline constexpr Duration kTeardownAllowance = seconds(2);

// For whom victims are sought, and which protections hold in this attempt.
struct VictimRules {
  quota::QueueId claimant = quota::kNoQueue;
  quota::QueueId scope = quota::kRoot;  // reclaim: only lenders in this subtree
  bool preempt = false;       // inside the claimant's queue, by priority; else from other queues, by quota
  std::int32_t priority = 0;  // preempt: victims' gangs are strictly below it
  std::vector<ResourceId> judged;  // reclaim: resources in which the lender must be above its entitlement
  bool sparesCores = false;        // only surplus pods of elastic gangs: nobody stops for them
  bool sparesYoung = true;         // minimum run time protects
  bool sparesBudgets = true;       // PodDisruptionBudgets protect
  Duration deadline = seconds(15);
};

// A gang as a victim: what of it may be stopped. Gangs that stop together (state/companies.hpp) are one
// victim, for which the first of them stands.
struct Victim {
  GangId gang = kNone;
  std::vector<PodId>
      core;  // stopped together, and only after all of surplus; empty if the core may not be stopped
  std::vector<PodId> surplus;  // each may be stopped alone: pods above minMember
  std::int32_t priority = 0;
  std::int64_t lostSeconds = 0;  // work lost per GPU when it stops
  std::int64_t restartedGpus =
      0;  // one surplus pod that goes costs the work of so many GPUs; 0: only its own
};

// Looks at gangs one by one and remembers the answers.
class VictimJudge {
 public:
  VictimJudge(const placement::Session& session, const Policy& policy, VictimRules rules);

  // Empty if nothing of the gang may be stopped under the rules.
  const std::optional<Victim>& judge(GangId gang);
  // Priorities of all gangs of which something may be stopped, ascending.
  std::vector<std::int32_t> priorities();
  const VictimRules& rules() const { return rules_; }
  // Budgets that stopping this pod would strain, as indices into budgets().
  std::vector<std::size_t> budgetsOf(PodId pod) const;
  struct BudgetRoom {
    std::string name;
    std::int64_t allowed = 0;  // disruptions left now
  };
  const std::vector<BudgetRoom>& budgets() const { return budgets_; }
  // Of the gangs looked at that their minimum run time protects: the first that may be stopped, and when.
  const std::optional<std::pair<std::string, Time>>& sparedUntil() const { return sparedUntil_; }

 private:
  // The running pods of a gang.
  struct Members {
    std::vector<PodId> stoppable;
    std::vector<PodId> along;  // hold nothing that is judged: they go with the others, and are no reason
    bool others = false;       // there are some that must stay
    std::int32_t active = 0;   // all
  };
  Members membersOf(const GangInfo& gang) const;
  bool goesAlong(const PodInfo& pod) const;
  std::optional<Victim> examine(GangId gang) const;
  std::optional<Victim> examineCompany(const std::vector<GangId>& gangs) const;
  bool mayTouch(const GangInfo& gang) const;
  bool inScope(quota::QueueId queue) const;
  bool mayStop(const PodInfo& pod) const;
  bool isYoung(const GangInfo& gang) const;

  const placement::Session* session_;
  const Policy* policy_;
  VictimRules rules_;
  struct Answer {
    bool known = false;
    std::optional<Victim> victim;
  };
  std::vector<Answer> answers_;                      // by GangId
  std::map<GangId, std::vector<GangId>> companies_;  // of each gang that is not alone
  std::vector<BudgetRoom> budgets_;
  mutable std::optional<std::pair<std::string, Time>> sparedUntil_;
};

// Seconds of work that each GPU of the gang loses if it is stopped now and must be gone by `deadline`:
// the time since its last checkpoint, or, if it saves on request and has the time, the time that the save
// takes; plus the cost of a restart. Of a gang that reports nothing half a checkpoint interval is expected
// lost (its age if younger), and a hundredth of the age beyond that, so that of two equals the younger goes.
std::int64_t lostSeconds(const placement::Session& session, const Policy& policy, GangId gang,
                         Duration deadline);

// When the gang last began to work as it does now: the latest start of its running pods.
std::optional<Time> workingSince(const placement::Session& session, GangId gang);

}  // namespace tidegate::scheduler
