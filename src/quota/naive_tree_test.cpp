#include "quota/naive_tree.hpp"

#include <algorithm>

namespace tidegate::quota::testing {
namespace {

using Parts = std::map<std::string, Amount>;  // by name, the order that ties go by

Amount sumOf(const Parts& parts) {
  Amount sum = 0;
  for (const auto& [name, part] : parts) sum += part;
  return sum;
}

// Largest remainder, one unit at a time.
Parts inProportion(Amount amount, const Parts& weights) {
  const Amount all = sumOf(weights);
  Parts parts, remainders;
  for (const auto& [name, weight] : weights) {
    parts[name] = amount * weight / all;
    remainders[name] = amount * weight % all;
  }
  while (sumOf(parts) < amount) {
    auto best = remainders.begin();
    for (auto it = remainders.begin(); it != remainders.end(); ++it) {
      if (it->second > best->second) best = it;
    }
    ++parts[best->first];
    best->second = -1;
  }
  return parts;
}

Parts reducedTo(Amount bound, const Parts& parts) {
  return sumOf(parts) <= bound ? parts : inProportion(bound, parts);
}

// Round after round, everyone whose want fits into its part of what is left is filled.
Parts filled(Amount amount, Parts wants, Parts weights) {
  Parts parts;
  for (bool changed = true; changed && !wants.empty();) {
    changed = false;
    const Amount left = amount, weight = sumOf(weights);
    for (const auto& [name, want] : Parts(wants)) {
      if (want * weight > left * weights[name]) continue;
      parts[name] = want;
      amount -= want;
      wants.erase(name);
      weights.erase(name);
      changed = true;
    }
  }
  if (!wants.empty()) parts.merge(inProportion(amount, weights));
  return parts;
}

// Who would get less than it holds keeps that, and the others share what is left.
Parts filledAbove(const Parts& held, Amount amount, Parts wants, Parts weights) {
  Parts parts = filled(std::max<Amount>(amount, 0), wants, weights);
  Parts keep;
  for (const auto& [name, part] : parts) {
    if (part < held.at(name)) keep[name] = held.at(name);
  }
  if (keep.empty()) return parts;
  for (const auto& [name, part] : keep) {
    amount -= part;
    wants.erase(name);
    weights.erase(name);
  }
  keep.merge(filledAbove(held, amount, wants, weights));
  return keep;
}

}  // namespace

std::string NaiveTree::parent(const std::string& q) const {
  if (q == "root") return "";
  const auto config = declared.find(q);
  if (config == declared.end()) return "root";
  std::string up = q;
  for (std::size_t steps = 0; steps <= declared.size(); ++steps) {
    const auto at = declared.find(up);
    if (up == "root" || at == declared.end() || at->second.parent.empty()) break;
    up = at->second.parent;
    if (up == q) return "root";  // a cycle
  }
  return declared.contains(config->second.parent) ? config->second.parent : "root";
}

std::vector<std::string> NaiveTree::children(const std::string& q) const {
  std::vector<std::string> children;
  for (const auto& [name, config] : declared) {
    if (parent(name) == q) children.push_back(name);
  }
  return children;
}

std::vector<std::string> NaiveTree::wayUp(std::string q) const {
  std::vector<std::string> way;
  for (; !q.empty(); q = parent(q)) way.push_back(q);
  return way;
}

bool NaiveTree::mayClaim(const std::string& q) const {
  const auto way = wayUp(q);
  return std::ranges::all_of(way,
                             [&](const auto& at) { return declared.contains(at) && declared.at(at).open; });
}

Amount NaiveTree::sum(const std::map<std::string, ResourceVec>& own, const std::string& q,
                      ResourceId r) const {
  Amount sum = 0;
  for (const auto& [name, amount] : own) {
    if (std::ranges::count(wayUp(name), q) > 0) sum += amount[r];
  }
  return sum;
}

Amount NaiveTree::asked(const std::string& q, ResourceId r) const {
  const Amount own = declared.at(q).guarantee[r];
  if (own > 0) return own;
  Amount sum = 0;
  for (const auto& child : children(q)) sum += askedWithinOwn(child, r);
  return sum;
}

Amount NaiveTree::askedWithinOwn(const std::string& q, ResourceId r) const {
  return std::min({asked(q, r), declared.at(q).deserved[r], declared.at(q).capability[r]});
}

Amount NaiveTree::guarantee(const std::string& q, ResourceId r) const {
  if (q == "root") return limit(q, r);
  if (!declared.contains(q)) return 0;
  const Amount bound = guarantee(parent(q), r);
  Parts sane, absurd;
  for (const auto& sibling : children(parent(q))) {
    (asked(sibling, r) > bound ? absurd : sane)[sibling] = std::min(askedWithinOwn(sibling, r), bound);
  }
  sane = reducedTo(bound, sane);
  absurd = reducedTo(bound - sumOf(sane), absurd);
  return sane[q] + absurd[q];
}

Amount NaiveTree::deserved(const std::string& q, ResourceId r) const {
  if (q == "root" || !declared.contains(q)) return kUnlimited;
  Amount deserved = declared.at(q).deserved[r];
  if (deserved == kUnlimited) {
    bool any = false;
    deserved = 0;
    for (const auto& child : children(q)) {
      const Amount theirs = this->deserved(child, r);
      any |= theirs != kUnlimited;
      deserved += theirs != kUnlimited ? theirs : guarantee(child, r);
    }
    if (!any) return kUnlimited;
  }
  return std::max(std::min(deserved, declared.at(q).capability[r]), guarantee(q, r));
}

Amount NaiveTree::wanted(const std::string& q, ResourceId r) const {
  Amount sum = 0;
  if (ownUsed.contains(q)) sum += ownUsed.at(q)[r];
  if (ownPending.contains(q) && mayClaim(q)) sum += ownPending.at(q)[r];
  for (const auto& child : children(q)) sum += wanted(child, r);
  return std::max(std::min(sum, declared.at(q).capability[r]), guarantee(q, r));
}

Amount NaiveTree::promise(const std::string& q, ResourceId r) const {
  const Amount owed = deserved(q, r);
  return owed != kUnlimited ? owed : guarantee(q, r);
}

Amount NaiveTree::closedBeyond(const std::string& q, ResourceId r) const {
  Amount held = ownClosed.contains(q) ? ownClosed.at(q)[r] : 0;
  Amount promised = 0;
  for (const auto& child : children(q)) {
    held += closedBeyond(child, r);
    promised += promise(child, r);
  }
  return std::max<Amount>(0, held - std::max<Amount>(0, promise(q, r) - promised));
}

Amount NaiveTree::entitlement(const std::string& q, ResourceId r) const {
  if (q == "root") return limit(q, r);
  if (!declared.contains(q)) return 0;
  const Amount whole = entitlement(parent(q), r);
  if (deserved(q, r) != kUnlimited) return std::min(deserved(q, r) + closedBeyond(q, r), whole);
  Amount left = whole;
  for (const auto& [name, amount] : ownClosed) {
    if (name == parent(q) || (!declared.contains(name) && parent(q) == "root")) left -= amount[r];
  }
  Parts wants, weights, held;
  for (const auto& sibling : children(parent(q))) {
    const Amount closed = closedBeyond(sibling, r);
    const bool owed = deserved(sibling, r) != kUnlimited;
    left -= owed ? std::min(deserved(sibling, r) + closed, whole) : guarantee(sibling, r);
    if (owed) continue;
    held[sibling] = closed;
    wants[sibling] = std::max(wanted(sibling, r) - guarantee(sibling, r), closed);
    weights[sibling] = declared.at(sibling).weight;
  }
  return guarantee(q, r) + filledAbove(held, left, wants, weights)[q];
}

Amount NaiveTree::limit(const std::string& q, ResourceId r) const {
  const Amount capability = declared.at(q).capability[r];
  return q == "root" ? std::min(total[r], capability) : capability;
}

Amount NaiveTree::locked(const std::string& q, ResourceId r) const {
  Amount locked = 0;
  for (const auto& child : children(q)) locked += this->locked(child, r);
  if (declared.at(q).lendsGuarantee) return locked;
  return std::max(locked, guarantee(q, r) - used(q, r));
}

std::optional<std::string> NaiveTree::refusedBy(const std::string& q, ResourceId r, Amount extra) const {
  const auto way = wayUp(q);
  for (const auto& at : way) {
    if (!declared.contains(at) || !declared.at(at).open) return at;
  }
  for (const auto& at : way) {
    Amount kept = 0;
    // Locked by every queue below `at` that hangs off the way; what hangs below `q` locks nothing against it.
    for (const auto& above : way) {
      for (const auto& off : children(above)) {
        if (above != q && std::ranges::count(way, off) == 0) kept += locked(off, r);
      }
      if (above == at) break;
    }
    const Amount most = kept > 0 ? limit(at, r) : declared.at(at).capability[r];
    if (most != kUnlimited && used(at, r) + extra > std::max<Amount>(most - kept, 0)) return at;
  }
  return std::nullopt;
}

}  // namespace tidegate::quota::testing
