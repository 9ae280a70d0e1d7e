// Who lends what to whom. Loans are settled level by level, from the leaves up: first between the children of
// one queue; what they cannot settle among themselves they bring to the next level as their parent's loan.
#include <algorithm>
#include <ranges>
#include <tuple>

#include "quota/queue_tree.hpp"
#include "quota/sharing.hpp"

namespace tidegate::quota {
namespace {

struct Part {
  QueueId queue = kNoQueue;
  Amount amount = 0;
};
using Parts = std::vector<Part>;

// One side of the books of a subtree: entitlement it does not use, or usage it is not entitled to, by the
// queue that really holds it.
struct Books {
  Parts unused;
  Parts over;
};

Amount sumOf(const Parts& parts) {
  Amount sum = 0;
  for (const Part& part : parts) sum += part.amount;
  return sum;
}

// Takes `amount` out of the parts, from each in proportion, and returns what was taken.
Parts takeFrom(Parts& parts, Amount amount) {
  std::vector<Amount> amounts;
  for (const Part& part : parts) amounts.push_back(part.amount);
  amounts = scaledDown(amounts, amount);
  Parts taken;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    taken.push_back({parts[i].queue, amounts[i]});
    parts[i].amount -= amounts[i];
  }
  return taken;
}

// Pairs lenders and borrowers, whose sums are equal, in their order.
void matchUp(const Parts& lenders, Parts borrowers, ResourceId r, std::vector<Loan>& loans) {
  std::size_t next = 0;
  for (const Part& lender : lenders) {
    for (Amount left = lender.amount; left > 0;) {
      Part& borrower = borrowers[next];
      const Amount amount = std::min(left, borrower.amount);
      if (amount > 0) loans.push_back({lender.queue, borrower.queue, r, amount});
      left -= amount;
      borrower.amount -= amount;
      if (borrower.amount == 0) ++next;
    }
  }
}

// Makes the parts of a queue's children sum to its own balance: less than they have is taken from all in
// proportion, more is the queue's own.
Parts broughtUp(Parts parts, Amount balance, QueueId queue) {
  balance = std::max<Amount>(balance, 0);
  Parts kept = takeFrom(parts, balance);
  if (const Amount missing = balance - sumOf(kept); missing > 0) kept.push_back({queue, missing});
  return kept;
}

}  // namespace

std::vector<Loan> QueueTree::ledger() const {
  settleEntitlements();
  std::vector<Loan> loans;
  const auto resources = static_cast<ResourceId>(resourceCount());
  for (ResourceId r = 0; r < resources; ++r) {
    std::vector<Books> books(entries_.size());
    for (QueueId q : std::views::reverse(topDown_)) {
      Books here;
      for (QueueId child : entries_[q].children) {
        here.unused.insert(here.unused.end(), books[child].unused.begin(), books[child].unused.end());
        here.over.insert(here.over.end(), books[child].over.begin(), books[child].over.end());
      }
      const Amount balance = entitlement_[q][r] - entries_[q].used[r];
      if (!entries_[q].children.empty()) {
        // Pods of an inner queue's own are entitled to nothing before its children are.
        here.over.push_back({q, entries_[q].ownUsed[r]});
        // What lies idle within the queue's entitlement is used before a sibling's is.
        const Amount infringed = std::max<Amount>(sumOf(here.unused) - std::max<Amount>(balance, 0), 0);
        const Amount lent = std::min(infringed, sumOf(here.over));
        const Parts lenders = takeFrom(here.unused, lent);
        matchUp(lenders, takeFrom(here.over, lent), r, loans);
      }
      books[q].unused = broughtUp(std::move(here.unused), balance, q);
      books[q].over = broughtUp(std::move(here.over), -balance, q);
    }
  }
  const auto order = [this](const Loan& loan) {
    return std::tuple(loan.resource, std::string_view(entries_[loan.lender].config.name),
                      std::string_view(entries_[loan.borrower].config.name));
  };
  std::ranges::sort(loans, {}, order);
  return loans;
}

ResourceVec QueueTree::lent(QueueId queue) const {
  at(queue);
  const auto within = [&](QueueId q) {
    while (q != kNoQueue && q != queue) q = entries_[q].parent;
    return q == queue;
  };
  ResourceVec sum;
  for (const Loan& loan : ledger()) {
    if (within(loan.lender) && !within(loan.borrower)) sum.add(loan.resource, loan.amount);
  }
  return sum;
}

}  // namespace tidegate::quota
