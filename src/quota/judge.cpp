// Judging a finished plan: every queue on the way from claimant and lenders to their common ancestors.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "quota/chains.hpp"
#include "quota/legality.hpp"

namespace tidegate::quota {
namespace {

using Rule = Violation::Rule;

// One plan under judgement. Entitlements are read from the tree before it, usage from a copy without the
// takings.
class Judge {
 public:
  Judge(const QueueTree& tree, const Claim& claim, const std::vector<Taking>& takings, Straddle straddle)
      : tree_(tree), claim_(claim), straddle_(straddle), after_(tree) {
    for (const Taking& taking : takings) {
      after_.subtractUsed(taking.queue, taking.amount);
      enter(taking);
    }
  }

  std::optional<Violation> verdict(const std::vector<Taking>& takings) const {
    for (const Taking& taking : takings) {
      if (auto wrong = ofTaking(taking)) return wrong;
    }
    for (QueueId lender : lenders_) {
      if (auto wrong = ofLender(lender)) return wrong;
    }
    return ofLimits();
  }

 private:
  // Adds the taking to what its queue, and each queue above it that the claim does not also gain in, has to
  // give.
  void enter(const Taking& taking) {
    for (QueueId q : lenderChain(tree_, taking.queue, claim_.queue)) {
      const auto [entry, isNew] = largest_.try_emplace(q);
      if (isNew) lenders_.push_back(q);
      for (ResourceId r : claim_.judged) {
        entry->second.set(r, std::max(entry->second[r], taking.amount[r]));
      }
    }
  }

  std::optional<Violation> ofTaking(const Taking& taking) const {
    const std::vector<QueueId> chain = claimChain(tree_, claim_.queue, taking.queue);
    if (chain.empty() || !tree_.mayClaim(claim_.queue)) {
      return Violation{.rule = Rule::NoClaim, .queue = claim_.queue};
    }
    if (!holdsAny(taking.amount, claim_.judged)) {
      return Violation{.rule = Rule::NothingJudged, .queue = taking.queue};
    }
    if (!tree_.config(taking.queue).reclaimable) {
      return Violation{.rule = Rule::Protected, .queue = taking.queue};
    }
    for (QueueId q : chain) {
      for (ResourceId r : claim_.judged) {
        const Amount after = saturatingAdd(after_.used(q)[r], claim_.amount[r]);
        const Amount line = tree_.entitlement(q)[r];
        if (claim_.amount[r] > 0 && after > line) return Violation{Rule::ClaimTooLarge, q, r, after, line};
      }
    }
    return std::nullopt;
  }

  std::optional<Violation> ofLender(QueueId queue) const {
    if (!tree_.config(queue).reclaimable) return Violation{.rule = Rule::Protected, .queue = queue};
    for (ResourceId r : claim_.judged) {
      const Amount after = after_.used(queue)[r];
      const Amount line = tree_.entitlement(queue)[r];
      const Amount largest = largest_.at(queue)[r];
      if (largest <= 0 || after >= line) continue;
      const bool straddles = after + largest > line;
      if (!straddles || straddle_ == Straddle::Forbidden) {
        return Violation{Rule::LenderTooLow, queue, r, after, line};
      }
    }
    return std::nullopt;
  }

  std::optional<Violation> ofLimits() const {
    const auto refused = after_.refusal(claim_.queue, claim_.amount);
    if (!refused) return std::nullopt;
    if (refused->closed || refused->undeclared) {
      return Violation{.rule = Rule::NoClaim, .queue = refused->queue};
    }
    return Violation{Rule::OverLimit, refused->queue, refused->resource,
                     saturatingAdd(refused->used, refused->asked), refused->limit};
  }

  const QueueTree& tree_;
  const Claim& claim_;
  Straddle straddle_;
  QueueTree after_;
  std::vector<QueueId>
      lenders_;  // in the order of the takings, so that the violation told is always the same
  std::map<QueueId, ResourceVec> largest_;  // per lender and resource, of one taking
};

}  // namespace

std::optional<Violation> judge(const QueueTree& tree, const Claim& claim, const std::vector<Taking>& takings,
                               Straddle straddle) {
  return Judge(tree, claim, takings, straddle).verdict(takings);
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
