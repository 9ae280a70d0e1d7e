// Quota rule 3: which recalls are legal. Judged on the resources that block the demand, at every ancestor.
//
// Both sides are judged between the queue and the lowest common ancestor of claimant and lender: above it a
// recall changes nothing. Entitlements are those of the tree as it stands; a recall moves usage and no
// request, so they are still the same after it. Pods of an inner queue's own stand below it like a child
// without any entitlement: its real children may claim from them, they may not claim from those.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quota/queue_tree.hpp"

namespace tidegate::quota {

// What the demand would gain.
struct Claim {
  QueueId queue = kNoQueue;
  ResourceVec amount;              // what will be bound for it, all of it
  std::vector<ResourceId> judged;  // blocking resources; accelerators if the demand asks for any
};

// What one victim (a whole gang, or one pod of an elastic one) gives up.
struct Taking {
  QueueId queue = kNoQueue;
  ResourceVec amount;
};

enum class Backing { None, Weight, Deserved, Guarantee };

// What stands behind a claim: Guarantee if usage after it stays within the guarantee of the queue (and of
// every ancestor below the lowest one shared with `lender`; pass kNoQueue to check up to the root), and so
// on.
Backing backing(const QueueTree& tree, const Claim& claim, QueueId lender = kNoQueue);

// How much more of each judged resource `queue` may claim by recall before it, or an ancestor below
// `lender`'s lowest common one, leaves its entitlement. 0 if it may claim nothing: it is closed, undeclared,
// or holds the lender. kUnlimited never occurs: entitlements are finite.
Amount claimable(const QueueTree& tree, QueueId queue, ResourceId resource, QueueId lender = kNoQueue);

// How much of `resource` the subtree of each queue from `lender` up to (not including) the lowest common
// ancestor with `claimant` may give before it falls below its entitlement: one entry per such queue, lender
// first.
struct Slack {
  QueueId queue = kNoQueue;
  Amount amount = 0;  // >= 0
};
std::vector<Slack> slack(const QueueTree& tree, QueueId lender, QueueId claimant, ResourceId resource);

// May pods of `lender` be taken for `claimant` at all: lender and its ancestors below the common one
// reclaimable, and each strictly above its entitlement in every judged resource that the pod holds. A pod
// that holds none of them is not exposed, and neither is one of the claimant's own subtree.
bool exposed(const QueueTree& tree, QueueId lender, QueueId claimant, const ResourceVec& held,
             const std::vector<ResourceId>& judged);

// The rule a plan breaks, whose, and by what numbers.
struct Violation {
  enum class Rule : std::uint8_t {
    NoClaim,        // `queue` is closed or undeclared, or holds the lender: it may not claim from it
    ClaimTooLarge,  // `queue` would end above its entitlement
    OverLimit,      // `queue` would end above its capability, or what locked guarantees leave of it
    Protected,      // `queue` is not reclaimable
    NothingJudged,  // a taking from `queue` holds nothing of what blocks the demand
    LenderTooLow,   // `queue` would end below its entitlement
  };
  Rule rule = Rule::NoClaim;
  QueueId queue = kNoQueue;
  ResourceId resource = 0;
  Amount after = 0;  // usage after the plan
  Amount line = 0;   // the entitlement or limit it is judged by
};

enum class Straddle : std::uint8_t { Forbidden, Allowed };

// Judges a whole plan after the fact: usage with the takings removed and the claim added. Empty: legal. A
// gang that straddles a lender's line is legal only if allowed: the lender ends below its entitlement, but
// would be above it without its largest taking.
std::optional<Violation> judge(const QueueTree& tree, const Claim& claim, const std::vector<Taking>& takings,
                               Straddle straddle);

// judge() as a sentence about the queue that is wronged.
std::optional<std::string> illegal(const QueueTree& tree, const Claim& claim,
                                   const std::vector<Taking>& takings, bool allowStraddle);

// The nearest queue that holds both.
QueueId commonAncestor(const QueueTree& tree, QueueId a, QueueId b);

}  // namespace tidegate::quota
