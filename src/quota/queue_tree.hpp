// The queue tree: who is promised what, who uses what, who has lent to whom. One class owns every change of
// it.
//
// Per resource, for queue q under a parent with entitlement P (the root's is the cluster's total):
//   guarantee <= deserved <= capability; children's guarantees sum to at most the parent's.
//   E(q) = max(deserved, guarantee) where deserved is set; else guarantee plus a share, by weight, of what
//   the siblings' promises leave, by water-filling over the siblings that want more, capped by capability and
//   request. One promise is never read as more than P; promises that exceed P only together all stay legal
//   claims. A missing value of an inner queue is the sum of its children's: absent is not zero.
//   What q's pods hold on nodes that are closed to new work is part of E(q) in any case: it uses up q's
//   promise, then its share, and what the others share is what is left. So the rest of E is to be had on open
//   nodes.
// Numbers that contradict each other are read as the smaller one, so that a bad queue harms itself and no
// other; the contradiction is told by problems(). Sources: Volcano's Queue API (scheduling/v1beta1) for
// names; max-min fair water-filling as in Ghodsi et al., Dominant Resource Fairness, NSDI 2011; ledger of
// lending as in KAI/Kueue's borrow notions, own rules.
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
  std::string name = {};
  std::string parent = {};  // empty: root
  std::int32_t weight = 1;
  std::int32_t priority = 0;
  bool reclaimable = true;
  bool open = true;            // state Open (or unset)
  bool lendsGuarantee = true;  // false: tidegate.dev/lending: none
  ResourceVec guarantee = {};
  ResourceLimits deserved = {};    // an entry that is not set: no deserved for that resource
  ResourceLimits capability = {};  // an entry that is not set: unlimited
  bool wholeNode = false;          // tidegate.dev/topology: whole-node
  std::optional<Duration> minRuntime = {};
  std::optional<Duration> recallDeadline = {};
  std::optional<double> straddleRatio = {};
  bool operator==(const QueueConfig&) const = default;
};

// Something wrong with a queue's numbers, told to its owner; the tree goes on with a safe reading of it.
struct Problem {
  enum class Kind : std::uint8_t {
    ParentCycle,
    ParentUnknown,
    GuaranteeAboveParent,  // alone or with its siblings more than the parent queue declares
    GuaranteeAboveTotal,   // alone or with its siblings more than the cluster has
    GuaranteeAboveOwn,     // more than its own deserved or capability
    DeservedAboveCapability,
  };
  Kind kind = Kind::ParentUnknown;
  std::string queue;
  std::string field;  // "spec.guarantee.resource.nvidia.com/gpu"
  std::string message;
  bool operator==(const Problem&) const = default;
};

// `borrower` uses `amount` that `lender` is entitled to and does not use.
struct Loan {
  QueueId lender = kNoQueue;
  QueueId borrower = kNoQueue;
  ResourceId resource = 0;
  Amount amount = 0;
  bool operator==(const Loan&) const = default;
};

// Why a queue may not take more: the ancestor (or itself) whose limit binds, and the numbers.
struct Refusal {
  QueueId queue = kNoQueue;
  ResourceId resource = 0;
  Amount used = 0;  // of `queue`; may stand above the limit if that was lowered
  Amount asked = 0;
  Amount limit = 0;
  bool lockedGuarantee = false;  // the limit is what guarantees locked by `lending: none` leave
  bool closed = false;           // `queue` is closed; the numbers say nothing
  bool undeclared = false;       // there is no such Queue object; the numbers say nothing
  bool operator==(const Refusal&) const = default;
};

// How much the subtree of `queue` may use when one certain queue in it asks (guarantees locked against it are
// off).
struct Ceiling {
  QueueId queue = kNoQueue;
  Amount limit = 0;
  bool lockedGuarantee = false;  // locked guarantees lowered it
  bool operator==(const Ceiling&) const = default;
};

// A value: a scheduling session copies it and changes the copy. Questions may refresh a cache, so one object
// must not be read by two threads at once.
class QueueTree {
 public:
  QueueTree();  // holds root and the default queue

  // ---- changes ----
  void setTotal(const ResourceVec& total);  // the cluster's allocatable
  // Children may come before their parents: until the parent is declared they stand under the root, and so
  // does a queue on a cycle of parents.
  QueueId upsert(const QueueConfig& config);
  void remove(
      std::string_view name);  // usage it still has stays counted at the root; root and default are reset
  // Usage and pending requests of a queue's own pods; both go up to every ancestor. Unknown names are kept
  // aside under an implicit queue so that no amount is lost.
  QueueId findOrAdd(std::string_view name);
  void addUsed(QueueId queue, const ResourceVec& delta);
  void subtractUsed(QueueId queue, const ResourceVec& delta);  // no more than was added
  // The part of its usage, and of the total, that stands where nothing new can be placed.
  void addClosed(QueueId queue, const ResourceVec& delta);
  void subtractClosed(QueueId queue, const ResourceVec& delta);
  void addPending(QueueId queue, const ResourceVec& delta);
  void subtractPending(QueueId queue, const ResourceVec& delta);

  // ---- questions about shape and numbers declared ----
  QueueId find(std::string_view name) const;  // kNoQueue if the name was never seen
  // Ids are 0 .. size()-1; those of removed queues stay, with exists() == false.
  std::size_t size() const { return entries_.size(); }
  bool exists(QueueId queue) const;  // declared by an object (or root/default)
  const QueueConfig& config(QueueId queue) const;
  QueueId parent(QueueId queue) const;  // kNoQueue for the root
  // Sorted by name; the root's include undeclared queues.
  const std::vector<QueueId>& children(QueueId queue) const;
  std::vector<QueueId> sortedByName() const;  // all but the root; undeclared ones only if pods name them
  const ResourceVec& total() const { return total_; }
  bool mayClaim(QueueId queue) const;  // declared, and it and every ancestor is open

  // ---- questions about amounts ----
  const ResourceVec& used(QueueId queue) const;  // its subtree's
  ResourceVec request(QueueId queue) const;      // used + pending of its subtree
  ResourceVec guarantee(QueueId queue) const;    // effective: clamped to the parent, or the children's sum
  Amount deserved(QueueId queue, ResourceId r) const;  // effective; kUnlimited if none
  // Entitlement; recomputed when something changed since the last call.
  const ResourceVec& entitlement(QueueId queue) const;
  ResourceVec borrowed(QueueId queue) const;  // max(0, used - entitlement)
  ResourceVec lent(QueueId queue) const;  // what queues outside its subtree use of its subtree's entitlement
  // Every loan, between the queues that really lend and borrow; by resource, then names.
  std::vector<Loan> ledger() const;
  double share(QueueId queue) const;  // dominant used / entitlement; used without entitlement: very large

  // May `queue` use `extra` more? Checks that it is open, capability of itself and every ancestor, and
  // guarantees locked by others; not the cluster's total, which is for the nodes to judge. Empty: yes. Only
  // resources with extra > 0 count.
  std::optional<Refusal> refusal(QueueId queue, const ResourceVec& extra) const;
  // The limits that refusal() judges by: of `queue` and each ancestor that has one, nearest first, root last.
  std::vector<Ceiling> ceilings(QueueId queue, ResourceId resource) const;

  // By queue name, then field. `names` is the table that the resource ids are from.
  std::vector<Problem> problems(const ResourceTable& names) const;

 private:
  struct Entry {
    QueueConfig config;
    bool declared = false;
    bool onCycle = false;
    bool locksWithin = false;  // it or a queue below it does not lend its guarantee
    QueueId parent = kRoot;    // where it stands, which is not config.parent while that is missing or a cycle
    std::vector<QueueId> children;
    ResourceVec ownUsed, ownPending;  // of its own pods
    ResourceVec ownClosed;            // the part of ownUsed on closed nodes
    ResourceVec used, pending;        // of its subtree
    ResourceVec askedGuarantee;       // its own, or the sum of its children's; not yet bounded by anything
    ResourceVec guarantee;            // effective
    ResourceLimits deserved;          // effective
  };

  // queue_tree.cpp
  QueueId add(std::string_view name);
  const Entry& at(QueueId queue) const;
  bool standsOnCycle(QueueId queue) const;
  QueueId standingParent(const Entry& entry) const;
  void rebuild();
  void sumUp(QueueId queue);
  std::size_t resourceCount() const;

  // promises.cpp
  void settlePromises();
  void askGuarantees(ResourceId r);
  void boundGuarantees(QueueId parent, ResourceId r);
  void settleDeserved(QueueId queue, ResourceId r);
  Amount boundedByOwn(const Entry& entry, ResourceId r) const;
  Amount wholeCluster(ResourceId r) const;

  // entitlement.cpp
  void settleEntitlements() const;
  std::vector<ResourceVec> wantedAmounts() const;
  Amount promise(QueueId queue, ResourceId r) const;
  std::vector<Amount> closedBeyondPromises(ResourceId r) const;
  void fillChildren(QueueId parent, ResourceId r, const std::vector<Amount>& closed) const;

  // limits.cpp
  Amount lockedWithin(QueueId queue, ResourceId r) const;
  Amount lockedBySiblings(QueueId queue, ResourceId r) const;

  // problems.cpp
  void reportParent(const Entry& entry, std::vector<Problem>& out) const;
  void reportChildren(QueueId queue, ResourceId r, const ResourceTable& names,
                      std::vector<Problem>& out) const;

  std::vector<Entry> entries_;  // by QueueId
  std::map<std::string, QueueId, std::less<>> ids_;
  std::vector<QueueId> topDown_;  // every queue after its parent
  ResourceVec total_;

  mutable bool stale_ = true;                // amounts or promises changed since entitlement_ was computed
  mutable std::vector<ResourceVec> wanted_;  // what entitlement_ was computed for; empty: compute in any case
  mutable std::vector<ResourceVec> entitlement_;
};

}  // namespace tidegate::quota
