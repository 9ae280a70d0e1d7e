// Test help: the rules of the queue tree once more, as plainly as they can be put: declarations and amounts
// in maps, every answer worked out from nothing by recursion. Slow, and without a cache that could be wrong.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quota/queue_tree.hpp"

namespace tidegate::quota::testing {

class NaiveTree {
 public:
  std::map<std::string, QueueConfig> declared = {{"root", {.name = "root"}},
                                                 {"default", {.name = "default"}}};
  std::map<std::string, ResourceVec> ownUsed, ownPending, ownClosed;
  ResourceVec total;

  std::string parent(const std::string& q) const;                 // "" for root
  std::vector<std::string> children(const std::string& q) const;  // declared ones
  std::vector<std::string> wayUp(std::string q) const;            // q, its parent, ..., root
  bool mayClaim(const std::string& q) const;

  Amount used(const std::string& q, ResourceId r) const { return sum(ownUsed, q, r); }
  Amount request(const std::string& q, ResourceId r) const { return used(q, r) + sum(ownPending, q, r); }
  Amount guarantee(const std::string& q, ResourceId r) const;
  Amount deserved(const std::string& q, ResourceId r) const;
  Amount entitlement(const std::string& q, ResourceId r) const;
  // The queue whose limit refuses so much more of one resource; empty: none does.
  std::optional<std::string> refusedBy(const std::string& q, ResourceId r, Amount extra) const;

 private:
  Amount sum(const std::map<std::string, ResourceVec>& own, const std::string& q, ResourceId r) const;
  Amount asked(const std::string& q, ResourceId r) const;
  Amount askedWithinOwn(const std::string& q, ResourceId r) const;
  Amount promise(const std::string& q, ResourceId r) const;
  Amount closedBeyond(const std::string& q, ResourceId r) const;
  Amount wanted(const std::string& q, ResourceId r) const;
  Amount limit(const std::string& q, ResourceId r) const;
  Amount locked(const std::string& q, ResourceId r) const;
};

}  // namespace tidegate::quota::testing
