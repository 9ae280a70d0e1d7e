// The ways from claimant and lender up to their lowest common ancestor, along which a recall is judged.
#pragma once

#include <algorithm>
#include <vector>

#include "quota/legality.hpp"

namespace tidegate::quota {

inline bool holds(const QueueTree& tree, QueueId ancestor, QueueId queue) {
  while (queue != kNoQueue && queue != ancestor) queue = tree.parent(queue);
  return queue == ancestor;
}

// `queue` and its ancestors below `top`.
inline std::vector<QueueId> chainBelow(const QueueTree& tree, QueueId queue, QueueId top) {
  std::vector<QueueId> chain;
  for (QueueId q = queue; q != top; q = tree.parent(q)) chain.push_back(q);
  return chain;
}

inline std::vector<QueueId> claimChain(const QueueTree& tree, QueueId claimant, QueueId lender) {
  return chainBelow(tree, claimant, lender == kNoQueue ? kRoot : commonAncestor(tree, claimant, lender));
}

inline std::vector<QueueId> lenderChain(const QueueTree& tree, QueueId lender, QueueId claimant) {
  return chainBelow(tree, lender, commonAncestor(tree, claimant, lender));
}

inline bool holdsAny(const ResourceVec& amount, const std::vector<ResourceId>& judged) {
  return std::ranges::any_of(judged, [&](ResourceId r) { return amount[r] > 0; });
}

}  // namespace tidegate::quota
