// The queue tree: who is promised what, who uses what, who has lent to whom. One class owns every change of it.
//
// Per resource, for queue q under a parent with entitlement P (the root's is the cluster's total):
//   guarantee <= deserved <= capability; children's guarantees sum to at most the parent's.
//   E(q) = max(deserved, guarantee) where deserved is set; else guarantee plus a share, by weight, of what the
//   siblings' promises leave, by water-filling over the siblings that want more, capped by capability and request.
//   A missing value of an inner queue is the sum of its children's: absent is not zero.
// Sources: Volcano's Queue API (scheduling/v1beta1) for names; max-min fair water-filling as in Ghodsi et al.,
// Dominant Resource Fairness, NSDI 2011; ledger of lending as in KAI/Kueue's borrow notions, own rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/resources.hpp"
#include "core/time.hpp"

namespace tidegate::quota {

using QueueId = std::uint32_t;
inline constexpr QueueId kRoot = 0;
inline constexpr QueueId kNoQueue = 0xffffffff;

// A queue as its object declares it.
struct QueueConfig {
  std::string name;
  std::string parent;  // empty: root
  std::int32_t weight = 1;
  std::int32_t priority = 0;
  bool reclaimable = true;
  bool open = true;            // state Open (or unset)
  bool lendsGuarantee = true;  // false: tidegate.dev/lending: none
  ResourceVec guarantee;
  ResourceLimits deserved;    // an entry that is not set: no deserved for that resource
  ResourceLimits capability;  // an entry that is not set: unlimited
  bool wholeNode = false;     // tidegate.dev/topology: whole-node
  std::optional<Duration> minRuntime;
  std::optional<Duration> recallDeadline;
  std::optional<double> straddleRatio;
  bool operator==(const QueueConfig&) const = default;
};

// Something wrong with a queue's numbers, told to its owner; the tree goes on with a safe reading of it.
struct Problem {
  std::string queue;
  std::string field;    // "spec.guarantee.resource.nvidia.com/gpu"
  std::string message;
  bool operator==(const Problem&) const = default;
};

// `borrower` uses `amount` that `lender` is entitled to and does not use.
struct Loan {
  QueueId lender = kNoQueue;
  QueueId borrower = kNoQueue;
  ResourceId resource = 0;
  Amount amount = 0;
};

// Why a queue may not take more: the ancestor (or itself) whose limit binds, and the numbers.
struct Refusal {
  QueueId queue = kNoQueue;
  ResourceId resource = 0;
  Amount used = 0;
  Amount asked = 0;
  Amount limit = 0;
  bool lockedGuarantee = false;  // the limit is what guarantees locked by `lending: none` leave
};

class QueueTree {
 public:
  QueueTree();  // holds root and the default queue

  // ---- changes ----
  void setTotal(const ResourceVec& total);  // the cluster's allocatable
  QueueId upsert(const QueueConfig& config);  // children may come before their parents
  void remove(std::string_view name);  // usage it still has stays counted at the root
  // Usage and pending requests of a queue's own pods; both go up to every ancestor. Unknown names are kept aside
  // under an implicit queue so that no amount is lost.
  QueueId findOrAdd(std::string_view name);
  void addUsed(QueueId queue, const ResourceVec& delta);
  void subtractUsed(QueueId queue, const ResourceVec& delta);
  void addPending(QueueId queue, const ResourceVec& delta);
  void subtractPending(QueueId queue, const ResourceVec& delta);

  // ---- questions ----
  QueueId find(std::string_view name) const;  // kNoQueue if unknown
  std::size_t size() const;                   // ids are 0 .. size()-1; removed ones have exists() == false
  bool exists(QueueId queue) const;           // declared by an object (or root/default)
  const QueueConfig& config(QueueId queue) const;
  QueueId parent(QueueId queue) const;        // kNoQueue for the root
  const std::vector<QueueId>& children(QueueId queue) const;  // sorted by name
  std::vector<QueueId> sortedByName() const;  // all but the root
  const ResourceVec& total() const;

  const ResourceVec& used(QueueId queue) const;      // its subtree's
  ResourceVec request(QueueId queue) const;          // used + pending of its subtree
  ResourceVec guarantee(QueueId queue) const;        // effective: clamped to the parent, or the children's sum
  Amount deserved(QueueId queue, ResourceId r) const;  // effective; kUnlimited if none
  // Entitlement; recomputed when something changed since the last call.
  const ResourceVec& entitlement(QueueId queue) const;
  ResourceVec borrowed(QueueId queue) const;  // max(0, used - entitlement)
  ResourceVec lent(QueueId queue) const;      // entitlement of it that others use now
  std::vector<Loan> ledger() const;           // between siblings' subtrees, deterministic
  double share(QueueId queue) const;          // dominant used / entitlement; used without entitlement: very large

  // May `queue` use `extra` more? Checks capability of itself and every ancestor, the cluster's total at the root,
  // guarantees locked by others, and that it is open. Empty: yes. Only resources with extra > 0 are judged.
  std::optional<Refusal> refusal(QueueId queue, const ResourceVec& extra) const;

  std::vector<Problem> problems() const;

 private:
  struct Entry;
  // (the owner of this file defines the representation)
};

}  // namespace tidegate::quota
