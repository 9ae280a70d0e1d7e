// What each queue can claim back at any time, and how usage compares with it.
#include <algorithm>
#include <ranges>

#include "quota/queue_tree.hpp"
#include "quota/sharing.hpp"

namespace tidegate::quota {
namespace {

// The share of a queue that uses what it is not entitled to at all: behind every other.
constexpr double kWithoutEntitlement = 1e9;

}  // namespace

const ResourceVec& QueueTree::entitlement(QueueId queue) const {
  at(queue);
  settleEntitlements();
  return entitlement_[queue];
}

// Starting a pod moves its amounts from pending to used and leaves every entitlement as it is: only a change
// of what is wanted, or of a promise, costs a new division.
void QueueTree::settleEntitlements() const {
  if (!stale_) return;
  stale_ = false;
  std::vector<ResourceVec> wanted = wantedAmounts();
  if (wanted == wanted_) return;
  wanted_ = std::move(wanted);
  entitlement_.assign(entries_.size(), {});
  const auto resources = static_cast<ResourceId>(resourceCount());
  for (ResourceId r = 0; r < resources; ++r) {
    entitlement_[kRoot].set(r, wholeCluster(r));
    const std::vector<Amount> closed = closedBeyondPromises(r);
    for (QueueId q : topDown_) fillChildren(q, r, closed);
  }
}

// What a queue would use if it were given all it can make use of: what its pods use and wait for (a closed
// queue gets nothing new) and what its children want, within its capability. A guarantee is wanted even while
// it is not used.
std::vector<ResourceVec> QueueTree::wantedAmounts() const {
  std::vector<ResourceVec> wanted(entries_.size());
  const auto resources = static_cast<ResourceId>(resourceCount());
  for (QueueId q : std::views::reverse(topDown_)) {
    const Entry& entry = entries_[q];
    ResourceVec sum = entry.ownUsed;
    if (mayClaim(q)) sum += entry.ownPending;
    for (QueueId child : entry.children) sum += wanted[child];
    for (ResourceId r = 0; r < resources; ++r) {
      wanted[q].set(r, std::max(std::min(sum[r], entry.config.capability[r]), entry.guarantee[r]));
    }
  }
  return wanted;
}

// What it can claim whatever others want.
Amount QueueTree::promise(QueueId queue, ResourceId r) const {
  const Entry& entry = entries_[queue];
  return entry.deserved.has(r) ? entry.deserved[r] : entry.guarantee[r];
}

// What each subtree holds on closed nodes beyond what promises to it and to the queues below it cover: a
// promise is used up by the closed holdings of the queue that has it, never by those of a sibling.
std::vector<Amount> QueueTree::closedBeyondPromises(ResourceId r) const {
  std::vector<Amount> beyond(entries_.size(), 0);
  for (QueueId q : std::views::reverse(topDown_)) {
    Amount held = entries_[q].ownClosed[r];
    Amount covers = promise(q, r);
    for (QueueId child : entries_[q].children) {
      held = saturatingAdd(held, beyond[child]);
      covers -= std::min(covers, promise(child, r));
    }
    beyond[q] = std::max<Amount>(held - covers, 0);
  }
  return beyond;
}

// `closed`: of every subtree, beyond its promise.
void QueueTree::fillChildren(QueueId parent, ResourceId r, const std::vector<Amount>& closed) const {
  const Amount whole = entitlement_[parent][r];
  Amount left = whole - std::min(whole, entries_[parent].ownClosed[r]);
  std::vector<QueueId> sharing;
  std::vector<Want> wants;
  for (QueueId q : entries_[parent].children) {
    const Entry& entry = entries_[q];
    const bool owed = entry.deserved.has(r);
    Amount fixed = promise(q, r);
    if (owed || !entry.declared) fixed = std::min(saturatingAdd(fixed, closed[q]), whole);
    left -= std::min(left, fixed);
    if (!entry.declared) continue;  // nothing was promised to it
    entitlement_[q].set(r, fixed);
    if (owed) continue;
    sharing.push_back(q);
    wants.push_back({.weight = std::max(entry.config.weight, 1),
                     .amount = std::max(wanted_[q][r] - fixed, closed[q]),
                     .held = closed[q]});
  }
  const std::vector<Amount> shares = waterFill(left, wants);
  for (std::size_t i = 0; i < sharing.size(); ++i) entitlement_[sharing[i]].add(r, shares[i]);
}

ResourceVec QueueTree::borrowed(QueueId queue) const {
  const ResourceVec& entitled = entitlement(queue);
  const ResourceVec& used = entries_[queue].used;
  ResourceVec over;
  for (ResourceId r = 0; r < used.size(); ++r) over.set(r, std::max<Amount>(used[r] - entitled[r], 0));
  return over;
}

double QueueTree::share(QueueId queue) const {
  const ResourceVec& entitled = entitlement(queue);
  const ResourceVec& used = entries_[queue].used;
  double share = 0;
  for (ResourceId r = 0; r < used.size(); ++r) {
    if (used[r] <= 0) continue;
    const double part = entitled[r] > 0 ? static_cast<double>(used[r]) / static_cast<double>(entitled[r])
                                        : kWithoutEntitlement;
    share = std::max(share, part);
  }
  return share;
}

}  // namespace tidegate::quota
