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
    for (QueueId q : topDown_) fillChildren(q, r);
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

void QueueTree::fillChildren(QueueId parent, ResourceId r) const {
  const Amount whole = entitlement_[parent][r];
  Amount left = whole;
  std::vector<QueueId> sharing;
  std::vector<Want> wants;
  for (QueueId q : entries_[parent].children) {
    const Entry& entry = entries_[q];
    if (!entry.declared) continue;  // nothing was promised to it
    const bool owed = entry.deserved.has(r);
    const Amount promise = owed ? std::min(entry.deserved[r], whole) : entry.guarantee[r];
    entitlement_[q].set(r, promise);
    left -= std::min(left, promise);
    if (owed) continue;
    sharing.push_back(q);
    wants.push_back({.weight = std::max(entry.config.weight, 1), .amount = wanted_[q][r] - promise});
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
