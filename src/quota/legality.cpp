#include "quota/legality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"

namespace tidegate::quota {
namespace {

using Rule = Violation::Rule;

bool holds(const QueueTree& tree, QueueId ancestor, QueueId queue) {
  while (queue != kNoQueue && queue != ancestor) queue = tree.parent(queue);
  return queue == ancestor;
}

// `queue` and its ancestors below `top`.
std::vector<QueueId> chainBelow(const QueueTree& tree, QueueId queue, QueueId top) {
  std::vector<QueueId> chain;
  for (QueueId q = queue; q != top; q = tree.parent(q)) chain.push_back(q);
  return chain;
}

std::vector<QueueId> claimChain(const QueueTree& tree, QueueId claimant, QueueId lender) {
  return chainBelow(tree, claimant, lender == kNoQueue ? kRoot : commonAncestor(tree, claimant, lender));
}

std::vector<QueueId> lenderChain(const QueueTree& tree, QueueId lender, QueueId claimant) {
  return chainBelow(tree, lender, commonAncestor(tree, claimant, lender));
}

bool holdsAny(const ResourceVec& amount, const std::vector<ResourceId>& judged) {
  return std::ranges::any_of(judged, [&](ResourceId r) { return amount[r] > 0; });
}

Backing backingAt(const QueueTree& tree, QueueId queue, ResourceId r, Amount after) {
  if (after > tree.entitlement(queue)[r]) return Backing::None;
  if (after <= tree.guarantee(queue)[r]) return Backing::Guarantee;
  return tree.deserved(queue, r) != kUnlimited ? Backing::Deserved : Backing::Weight;
}

std::optional<Violation> judgeClaimant(const QueueTree& tree, const Claim& claim, QueueId lender) {
  const std::vector<QueueId> chain = claimChain(tree, claim.queue, lender);
  if (chain.empty() || !tree.mayClaim(claim.queue))
    return Violation{.rule = Rule::NoClaim, .queue = claim.queue};
  for (QueueId q : chain) {
    for (ResourceId r : claim.judged) {
      const Amount after = saturatingAdd(tree.used(q)[r], claim.amount[r]);
      const Amount line = tree.entitlement(q)[r];
      if (claim.amount[r] > 0 && after > line) return Violation{Rule::ClaimTooLarge, q, r, after, line};
    }
  }
  return std::nullopt;
}

// All that is taken from the subtree of one lender, or of an ancestor of lenders.
struct Loss {
  ResourceVec sum;
  ResourceVec largest;  // per resource, of one taking
};

std::optional<Violation> judgeLender(const QueueTree& tree, QueueId queue, const Loss& loss,
                                     const std::vector<ResourceId>& judged, Straddle straddle) {
  if (!tree.config(queue).reclaimable) return Violation{.rule = Rule::Protected, .queue = queue};
  for (ResourceId r : judged) {
    if (loss.sum[r] <= 0) continue;
    const Amount after = tree.used(queue)[r] - loss.sum[r];
    const Amount line = tree.entitlement(queue)[r];
    const bool straddles = after + loss.largest[r] > line;
    if (after < line && !(straddles && straddle == Straddle::Allowed)) {
      return Violation{Rule::LenderTooLow, queue, r, after, line};
    }
  }
  return std::nullopt;
}

std::optional<Violation> judgeLimits(const QueueTree& tree, const Claim& claim,
                                     const std::vector<Taking>& takings) {
  QueueTree after = tree;
  for (const Taking& taking : takings) after.subtractUsed(taking.queue, taking.amount);
  const auto refused = after.refusal(claim.queue, claim.amount);
  if (!refused) return std::nullopt;
  if (refused->closed || refused->undeclared)
    return Violation{.rule = Rule::NoClaim, .queue = refused->queue};
  return Violation{Rule::OverLimit, refused->queue, refused->resource,
                   saturatingAdd(refused->used, refused->asked), refused->limit};
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

std::optional<Violation> judge(const QueueTree& tree, const Claim& claim, const std::vector<Taking>& takings,
                               Straddle straddle) {
  std::map<QueueId, Loss> losses;
  std::vector<QueueId>
      lenders;  // in the order of the takings, so that the first violation told is always the same
  for (const Taking& taking : takings) {
    if (auto wrong = judgeClaimant(tree, claim, taking.queue)) return wrong;
    if (!holdsAny(taking.amount, claim.judged))
      return Violation{.rule = Rule::NothingJudged, .queue = taking.queue};
    std::vector<QueueId> chain = lenderChain(tree, taking.queue, claim.queue);
    if (chain.empty() && !tree.config(taking.queue).reclaimable) {
      return Violation{.rule = Rule::Protected, .queue = taking.queue};
    }
    for (QueueId q : chain) {
      const auto [entry, isNew] = losses.try_emplace(q);
      if (isNew) lenders.push_back(q);
      entry->second.sum += taking.amount;
      for (ResourceId r : claim.judged) {
        entry->second.largest.set(r, std::max(entry->second.largest[r], taking.amount[r]));
      }
    }
  }
  for (QueueId q : lenders) {
    if (auto wrong = judgeLender(tree, q, losses[q], claim.judged, straddle)) return wrong;
  }
  return judgeLimits(tree, claim, takings);
}

std::optional<std::string> illegal(const QueueTree& tree, const Claim& claim,
                                   const std::vector<Taking>& takings, bool allowStraddle) {
  const auto wrong = judge(tree, claim, takings, allowStraddle ? Straddle::Allowed : Straddle::Forbidden);
  if (!wrong) return std::nullopt;
  const std::string& name = tree.config(wrong->queue).name;
  switch (wrong->rule) {
    case Rule::NoClaim:
      return fmt::format("queue {} may not claim from these queues", name);
    case Rule::ClaimTooLarge:
      return fmt::format("queue {} would use more than it is entitled to", name);
    case Rule::OverLimit:
      return fmt::format("queue {} would use more than it may", name);
    case Rule::Protected:
      return fmt::format("queue {} is not reclaimable", name);
    case Rule::NothingJudged:
      return fmt::format("queue {} would lose pods that block nothing", name);
    case Rule::LenderTooLow:
      return fmt::format("queue {} would fall below its entitlement", name);
  }
  return std::nullopt;
}

}  // namespace tidegate::quota
