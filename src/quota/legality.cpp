#include "quota/legality.hpp"

#include <algorithm>

#include "quota/chains.hpp"

namespace tidegate::quota {
namespace {

Backing backingAt(const QueueTree& tree, QueueId queue, ResourceId r, Amount after) {
  if (after > tree.entitlement(queue)[r]) return Backing::None;
  if (after <= tree.guarantee(queue)[r]) return Backing::Guarantee;
  return tree.deserved(queue, r) != kUnlimited ? Backing::Deserved : Backing::Weight;
}

}  // namespace

QueueId commonAncestor(const QueueTree& tree, QueueId a, QueueId b) {
  while (!holds(tree, a, b)) a = tree.parent(a);
  return a;
}

Backing backing(const QueueTree& tree, const Claim& claim, QueueId lender) {
  const std::vector<QueueId> chain = claimChain(tree, claim.queue, lender);
  if (chain.empty() || !tree.mayClaim(claim.queue) || !holdsAny(claim.amount, claim.judged))
    return Backing::None;
  Backing weakest = Backing::Guarantee;
  for (QueueId q : chain) {
    for (ResourceId r : claim.judged) {
      if (claim.amount[r] <= 0) continue;
      weakest = std::min(weakest, backingAt(tree, q, r, saturatingAdd(tree.used(q)[r], claim.amount[r])));
    }
  }
  return weakest;
}

Amount claimable(const QueueTree& tree, QueueId queue, ResourceId resource, QueueId lender) {
  const std::vector<QueueId> chain = claimChain(tree, queue, lender);
  if (chain.empty() || !tree.mayClaim(queue)) return 0;
  Amount least = kUnlimited;
  for (QueueId q : chain) least = std::min(least, tree.entitlement(q)[resource] - tree.used(q)[resource]);
  return std::max<Amount>(least, 0);
}

std::vector<Slack> slack(const QueueTree& tree, QueueId lender, QueueId claimant, ResourceId resource) {
  std::vector<Slack> slacks;
  for (QueueId q : lenderChain(tree, lender, claimant)) {
    const Amount over = tree.used(q)[resource] - tree.entitlement(q)[resource];
    slacks.push_back({q, std::max<Amount>(over, 0)});
  }
  return slacks;
}

bool exposed(const QueueTree& tree, QueueId lender, QueueId claimant, const ResourceVec& held,
             const std::vector<ResourceId>& judged) {
  if (holds(tree, claimant, lender) || !holdsAny(held, judged)) return false;
  std::vector<QueueId> chain = lenderChain(tree, lender, claimant);
  // The own pods of a queue above the claimant have no entitlement, but its `reclaimable` still speaks for
  // them.
  if (chain.empty()) return tree.config(lender).reclaimable;
  return std::ranges::all_of(chain, [&](QueueId q) {
    const bool above = std::ranges::all_of(
        judged, [&](ResourceId r) { return held[r] <= 0 || tree.used(q)[r] > tree.entitlement(q)[r]; });
    return above && tree.config(q).reclaimable;
  });
}

}  // namespace tidegate::quota
