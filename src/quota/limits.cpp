// How much a queue may use at most: capability at every level, the cluster at the root, and what locked
// guarantees leave.
#include <algorithm>

#include "quota/queue_tree.hpp"

namespace tidegate::quota {

// What the subtree of `queue` keeps free for itself: the unused part of guarantees that are not lent.
Amount QueueTree::lockedWithin(QueueId queue, ResourceId r) const {
  const Entry& entry = entries_[queue];
  if (!entry.locksWithin) return 0;
  Amount locked = 0;
  for (QueueId child : entry.children) locked += lockedWithin(child, r);
  if (entry.config.lendsGuarantee) return locked;
  return std::max(locked, entry.guarantee[r] - entry.used[r]);
}

Amount QueueTree::lockedBySiblings(QueueId queue, ResourceId r) const {
  Amount locked = 0;
  for (QueueId sibling : entries_[entries_[queue].parent].children) {
    if (sibling != queue) locked += lockedWithin(sibling, r);
  }
  return locked;
}

std::vector<Ceiling> QueueTree::ceilings(QueueId queue, ResourceId resource) const {
  at(queue);
  std::vector<Ceiling> ceilings;
  Amount locked = 0;  // by siblings of the way up, which is also out of reach at every level above
  for (QueueId q = queue; q != kNoQueue; q = entries_[q].parent) {
    // The cluster's total is no limit of its own: nodes say what is free, and where a device fails under
    // running pods the sum would refuse what fits elsewhere. It counts only as what a locked guarantee is
    // kept free of.
    Amount limit = entries_[q].config.capability[resource];
    if (q == kRoot && locked > 0) limit = std::min(limit, total_[resource]);
    if (limit != kUnlimited) ceilings.push_back({q, limit - std::min(locked, limit), locked > 0});
    if (entries_[kRoot].locksWithin && q != kRoot) locked += lockedBySiblings(q, resource);
  }
  return ceilings;
}

std::optional<Refusal> QueueTree::refusal(QueueId queue, const ResourceVec& extra) const {
  for (QueueId q = queue; q != kNoQueue; q = at(q).parent) {
    if (!at(q).declared) return Refusal{.queue = q, .undeclared = true};
    if (!at(q).config.open) return Refusal{.queue = q, .closed = true};
  }
  for (ResourceId r = 0; r < extra.size(); ++r) {
    if (extra[r] <= 0) continue;
    for (const Ceiling& ceiling : ceilings(queue, r)) {
      const Amount used = entries_[ceiling.queue].used[r];
      const Amount after = saturatingAdd(used, extra[r]);
      if (after <= ceiling.limit) continue;
      return Refusal{.queue = ceiling.queue,
                     .resource = r,
                     .used = used,
                     .asked = extra[r],
                     .limit = ceiling.limit,
                     .lockedGuarantee = after <= entries_[ceiling.queue].config.capability[r]};
    }
  }
  return std::nullopt;
}

}  // namespace tidegate::quota
