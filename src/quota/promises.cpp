// What each queue is promised: guarantees and deserved amounts, read so that a contradiction harms its author
// only. They depend on the declarations and the cluster's total, not on usage.
#include <algorithm>
#include <ranges>

#include "quota/queue_tree.hpp"
#include "quota/sharing.hpp"

namespace tidegate::quota {

void QueueTree::settlePromises() {
  for (Entry& entry : entries_) {
    entry.askedGuarantee = {};
    entry.guarantee = {};
    entry.deserved = {};
  }
  const auto resources = static_cast<ResourceId>(resourceCount());
  for (ResourceId r = 0; r < resources; ++r) {
    askGuarantees(r);
    entries_[kRoot].guarantee.set(r, wholeCluster(r));
    for (QueueId q : topDown_) boundGuarantees(q, r);
    for (QueueId q : std::views::reverse(topDown_)) settleDeserved(q, r);
  }
  stale_ = true;
  wanted_.clear();
}

// What the root can promise.
Amount QueueTree::wholeCluster(ResourceId r) const {
  return std::min(total_[r], entries_[kRoot].config.capability[r]);
}

// A guarantee cannot be more than the same queue's deserved or capability.
Amount QueueTree::boundedByOwn(const Entry& entry, ResourceId r) const {
  const Amount bound = std::min(entry.config.deserved[r], entry.config.capability[r]);
  return std::min(entry.askedGuarantee[r], std::max<Amount>(bound, 0));
}

void QueueTree::askGuarantees(ResourceId r) {
  for (QueueId q : std::views::reverse(topDown_)) {
    Entry& entry = entries_[q];
    Amount asked = entry.config.guarantee[r];
    if (asked <= 0) {
      asked = 0;
      for (QueueId child : entry.children) asked = saturatingAdd(asked, boundedByOwn(entries_[child], r));
    }
    entry.askedGuarantee.set(r, asked);
  }
}

// Divides the parent's guarantee among its children. One that asks for more than the parent has is absurd: it
// gets what the others leave, so that they do not pay for it.
void QueueTree::boundGuarantees(QueueId parent, ResourceId r) {
  const std::vector<QueueId>& children = entries_[parent].children;
  const Amount bound = entries_[parent].guarantee[r];
  std::vector<Amount> sane(children.size(), 0);
  std::vector<Amount> absurd(children.size(), 0);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Entry& child = entries_[children[i]];
    (child.askedGuarantee[r] > bound ? absurd : sane)[i] = std::min(boundedByOwn(child, r), bound);
  }
  sane = scaledDown(sane, bound);
  Amount left = bound;
  for (Amount amount : sane) left -= amount;
  absurd = scaledDown(absurd, left);
  for (std::size_t i = 0; i < children.size(); ++i)
    entries_[children[i]].guarantee.set(r, sane[i] + absurd[i]);
}

// Children first: an inner queue that sets none is owed what its children are owed, if one of them sets it.
void QueueTree::settleDeserved(QueueId queue, ResourceId r) {
  Entry& entry = entries_[queue];
  if (queue == kRoot || !entry.declared) return;
  Amount deserved = entry.config.deserved[r];
  if (deserved == kUnlimited) {
    Amount sum = 0;
    bool any = false;
    for (QueueId child : entry.children) {
      const bool set = entries_[child].deserved.has(r);
      any |= set;
      sum = saturatingAdd(sum, set ? entries_[child].deserved[r] : entries_[child].guarantee[r]);
    }
    if (!any) return;
    deserved = sum;
  }
  entry.deserved.set(r, std::max(std::min(deserved, entry.config.capability[r]), entry.guarantee[r]));
}

}  // namespace tidegate::quota
