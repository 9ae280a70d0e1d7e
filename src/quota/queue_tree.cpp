#include "quota/queue_tree.hpp"

#include <algorithm>
#include <ranges>

#include "core/error.hpp"

namespace tidegate::quota {
namespace {

constexpr std::string_view kRootName = "root";
constexpr std::string_view kDefaultName = "default";

}  // namespace

QueueTree::QueueTree() {
  for (std::string_view name : {kRootName, kDefaultName}) entries_[add(name)].declared = true;
  rebuild();
}

QueueId QueueTree::add(std::string_view name) {
  const auto id = static_cast<QueueId>(entries_.size());
  entries_.emplace_back().config.name = name;
  ids_.emplace(name, id);
  return id;
}

// ---- changes ----

void QueueTree::setTotal(const ResourceVec& total) {
  if (total == total_) return;
  total_ = total;
  settlePromises();
}

QueueId QueueTree::upsert(const QueueConfig& config) {
  const QueueId known = find(config.name);
  const QueueId id = known == kNoQueue ? add(config.name) : known;
  Entry& entry = entries_[id];
  const bool moved = !entry.declared || entry.config.parent != config.parent ||
                     entry.config.lendsGuarantee != config.lendsGuarantee;
  if (!moved && entry.config == config) return id;
  entry.config = config;
  entry.declared = true;
  if (moved) {
    rebuild();
  } else {
    settlePromises();
  }
  return id;
}

void QueueTree::remove(std::string_view name) {
  const QueueId id = find(name);
  if (id == kNoQueue || !entries_[id].declared) return;
  entries_[id].config = QueueConfig{.name = std::string(name)};
  entries_[id].declared = name == kRootName || name == kDefaultName;
  rebuild();
}

QueueId QueueTree::findOrAdd(std::string_view name) {
  const QueueId known = find(name);
  if (known != kNoQueue) return known;
  const QueueId id = add(name);
  rebuild();
  return id;
}

void QueueTree::addUsed(QueueId queue, const ResourceVec& delta) {
  at(queue);
  entries_[queue].ownUsed += delta;
  for (QueueId q = queue; q != kNoQueue; q = entries_[q].parent) entries_[q].used += delta;
  stale_ = true;
}

void QueueTree::subtractUsed(QueueId queue, const ResourceVec& delta) {
  TIDEGATE_CHECK(delta.fitsIn(at(queue).ownUsed), "queue " + at(queue).config.name + " never used that much");
  entries_[queue].ownUsed -= delta;
  for (QueueId q = queue; q != kNoQueue; q = entries_[q].parent) entries_[q].used -= delta;
  stale_ = true;
}

void QueueTree::addClosed(QueueId queue, const ResourceVec& delta) {
  at(queue);
  entries_[queue].ownClosed += delta;
  stale_ = true;
  wanted_.clear();
}

void QueueTree::subtractClosed(QueueId queue, const ResourceVec& delta) {
  TIDEGATE_CHECK(delta.fitsIn(at(queue).ownClosed),
                 "queue " + at(queue).config.name + " never held that much on closed nodes");
  entries_[queue].ownClosed -= delta;
  stale_ = true;
  wanted_.clear();
}

void QueueTree::addPending(QueueId queue, const ResourceVec& delta) {
  at(queue);
  entries_[queue].ownPending += delta;
  for (QueueId q = queue; q != kNoQueue; q = entries_[q].parent) entries_[q].pending += delta;
  stale_ = true;
}

void QueueTree::subtractPending(QueueId queue, const ResourceVec& delta) {
  TIDEGATE_CHECK(delta.fitsIn(at(queue).ownPending),
                 "queue " + at(queue).config.name + " never asked for so much");
  entries_[queue].ownPending -= delta;
  for (QueueId q = queue; q != kNoQueue; q = entries_[q].parent) entries_[q].pending -= delta;
  stale_ = true;
}

// ---- shape ----

bool QueueTree::standsOnCycle(QueueId queue) const {
  QueueId q = queue;
  for (std::size_t steps = 0; steps < entries_.size(); ++steps) {
    q = q == kRoot || !entries_[q].declared ? kNoQueue : find(entries_[q].config.parent);
    if (q == kNoQueue) return false;
    if (q == queue) return true;
  }
  return false;  // hangs below a cycle
}

QueueId QueueTree::standingParent(const Entry& entry) const {
  if (!entry.declared || entry.onCycle) return kRoot;
  const QueueId parent = find(entry.config.parent);
  return parent == kNoQueue || !entries_[parent].declared ? kRoot : parent;
}

// Shape from the declarations alone, so that the order in which they came leaves no trace.
void QueueTree::rebuild() {
  for (QueueId q = 0; q < entries_.size(); ++q) {
    entries_[q].onCycle = q != kRoot && standsOnCycle(q);
    entries_[q].children.clear();
  }
  for (const auto& [name, q] : ids_) {
    entries_[q].parent = q == kRoot ? kNoQueue : standingParent(entries_[q]);
    if (q != kRoot) entries_[entries_[q].parent].children.push_back(q);
  }
  topDown_ = {kRoot};
  for (std::size_t i = 0; i < topDown_.size(); ++i) {
    const std::vector<QueueId>& below = entries_[topDown_[i]].children;
    topDown_.insert(topDown_.end(), below.begin(), below.end());
  }
  for (QueueId q : std::views::reverse(topDown_)) sumUp(q);
  settlePromises();
}

void QueueTree::sumUp(QueueId queue) {
  Entry& entry = entries_[queue];
  entry.used = entry.ownUsed;
  entry.pending = entry.ownPending;
  entry.locksWithin = !entry.config.lendsGuarantee;
  for (QueueId child : entry.children) {
    entry.used += entries_[child].used;
    entry.pending += entries_[child].pending;
    entry.locksWithin |= entries_[child].locksWithin;
  }
}

std::size_t QueueTree::resourceCount() const {
  std::size_t count =
      std::max(total_.size(), std::max(entries_[kRoot].used.size(), entries_[kRoot].pending.size()));
  for (const Entry& entry : entries_) {
    count = std::max({count, entry.config.guarantee.size(), entry.config.deserved.size()});
  }
  return count;
}

// ---- questions ----

const QueueTree::Entry& QueueTree::at(QueueId queue) const {
  TIDEGATE_CHECK(queue < entries_.size(), "no queue has this id");
  return entries_[queue];
}

QueueId QueueTree::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? kNoQueue : found->second;
}

bool QueueTree::exists(QueueId queue) const {
  return at(queue).declared;
}
const QueueConfig& QueueTree::config(QueueId queue) const {
  return at(queue).config;
}
QueueId QueueTree::parent(QueueId queue) const {
  return at(queue).parent;
}
const std::vector<QueueId>& QueueTree::children(QueueId queue) const {
  return at(queue).children;
}

std::vector<QueueId> QueueTree::sortedByName() const {
  std::vector<QueueId> sorted;
  for (const auto& [name, q] : ids_) {
    const Entry& entry = entries_[q];
    const bool gone = !entry.declared && entry.used.isZero() && entry.pending.isZero();
    if (q != kRoot && !gone) sorted.push_back(q);
  }
  return sorted;
}

bool QueueTree::mayClaim(QueueId queue) const {
  for (QueueId q = queue; q != kNoQueue; q = at(q).parent) {
    if (!at(q).declared || !at(q).config.open) return false;
  }
  return true;
}

const ResourceVec& QueueTree::used(QueueId queue) const {
  return at(queue).used;
}
ResourceVec QueueTree::request(QueueId queue) const {
  return at(queue).used + at(queue).pending;
}
ResourceVec QueueTree::guarantee(QueueId queue) const {
  return at(queue).guarantee;
}
Amount QueueTree::deserved(QueueId queue, ResourceId r) const {
  return at(queue).deserved[r];
}

}  // namespace tidegate::quota
