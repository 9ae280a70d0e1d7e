#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "recall/answer.hpp"
#include "recall/closure.hpp"
#include "recall/exact_trim.hpp"
#include "recall/improve.hpp"
#include "recall/partial_sieve.hpp"
#include "recall/problem.hpp"
#include "recall/search.hpp"

namespace tidegate::recall {
namespace {

using namespace solver;

constexpr int kRounds = 4;
constexpr std::int64_t kExchangeSteps = 60000;

void checkProblem(const Problem& p) {
  TIDEGATE_CHECK(!p.podRequest.empty(), "a pod must ask for something");
  for (Amount amount : p.podRequest) TIDEGATE_CHECK(amount > 0, "a pod must ask for more than 0");
  Int128 total = 0;
  for (const Unit& unit : p.units) {
    TIDEGATE_CHECK(unit.cost >= 0 && unit.cost < kCostLimit, "cost of a unit out of range");
    total += unit.cost;
    TIDEGATE_CHECK(total < kCostLimit, "costs add up to 2^100 or more");
    for (std::size_t i = 0; i < unit.shares.size(); ++i) {
      TIDEGATE_CHECK(unit.shares[i].node < p.nodes.size(), "share on an unknown node");
      TIDEGATE_CHECK(i == 0 || unit.shares[i - 1].node < unit.shares[i].node, "shares not ascending by node");
    }
  }
}

// Finds the plan in stages, each on a smaller model than the one before: what cannot be part of a plan better
// than the best known is left out.
class Solver {
 public:
  Solver(const Problem& problem, const Effort& effort)
      : problem_(problem),
        effort_(effort),
        sieve_(problem.mode == Mode::Partial ? sievePartial(problem) : Sieve{}),
        built_(build(problem, sieve_.worthNode)) {}

  std::expected<Plan, NoPlan> run() {
    if (!sieve_.plan.empty())
      offerSieved();
    else if (auto why = provenHopeless(problem_, built_))
      return std::unexpected(std::move(*why));
    Model model = built_.model;
    leaveOutAtSight(model);
    std::vector<Watch> watches = tighten(model);
    if (!proven()) searchAll(model, std::move(watches));
    if (best_.cost == kInfinite) return std::unexpected(blockedByLimits(problem_, built_));
    return plan();
  }

 private:
  struct Best {
    Int128 cost = kInfinite;
    std::vector<Index> units;  // of the built model
  };

  bool proven() const { return bound_ >= best_.cost; }
  void raiseBound(Int128 bound) { bound_ = std::max(bound_, std::min(bound, best_.cost)); }

  void offer(const Model& model, const Selection& selection) {
    if (!selection.covered() || selection.cost() >= best_.cost) return;
    best_.cost = selection.cost();
    best_.units.clear();
    for (Index unit : selection.stopped()) best_.units.push_back(model.origin[unit]);
  }

  void offerSieved() {
    best_.cost = 0;
    for (Index u = 0; u < built_.members.size(); ++u) {
      if (!sieve_.plan[built_.members[u][0]]) continue;
      best_.cost += built_.model.cost[u];
      best_.units.push_back(u);
    }
  }

  // Takes the groups' first options as far as limits allow, completes and trims.
  void offerCompleted(const Model& model, const std::vector<Index>& groups, const Completion& how = {}) {
    Selection selection(model);
    for (Index group : groups)
      if (selection.fits(model.optionBegin[group])) selection.stopOption(model.optionBegin[group]);
    if (selection.covered()) trim(model, selection);
    if (!complete(model, selection, how)) return;
    trim(model, selection);
    offer(model, selection);
  }

  void offerExchanged(const Model& model) {
    std::vector<bool> wanted(built_.model.unitCount(), false);
    for (Index unit : best_.units) wanted[unit] = true;
    Selection selection(model);
    for (Index u = 0; u < model.unitCount(); ++u)
      if (wanted[model.origin[u]]) selection.stop(u);
    if (!selection.covered()) return;
    exchange(model, selection, kExchangeSteps);
    offer(model, selection);
  }

  // The cheap first pass: greedy plans, shares by room, no cuts.
  void leaveOutAtSight(Model& model) {
    Dual byRoom = dualByRoom(model, model.cost);
    offerCompleted(model, {});
    offerCompleted(model, {}, {.share = &byRoom.share});
    std::vector<Watch> watches = limitWatches(model);
    watches.insert(watches.begin(), {.lens = Lens(model, std::move(byRoom))});
    const std::vector<bool> keep = judge(model, watches);
    if (std::ranges::find(keep, false) != keep.end()) model = restrictTo(model, keep);
  }

  // Better bounds, better plans, a smaller model, as long as that gets on. Returns the watches of the last
  // model.
  std::vector<Watch> tighten(Model& model) {
    Closure closure(effort_.cuts,
                    [&](const Model& m, const std::vector<Index>& groups) { offerCompleted(m, groups); });
    for (int round = 0;; ++round) {
      std::vector<Watch> watches = limitWatches(model);
      Dual dual = closure.dual(model);
      offerCompleted(model, {}, {.share = &dual.share});
      watches.insert(watches.begin(), {.lens = Lens(model, std::move(dual))});
      offerExchanged(model);
      const std::vector<bool> keep = judge(model, watches);
      const auto kept = static_cast<std::size_t>(std::ranges::count(keep, true));
      const bool much = kept * 10 < model.optionCount() * 9;
      if (proven() || !much || round == kRounds) return watches;
      model = restrictTo(model, keep);
    }
  }

  std::vector<bool> judge(const Model& model, std::vector<Watch>& watches) {
    watches[0].tooMuch = best_.cost;
    raiseBound(watches[0].lens.bound());
    return worthKeeping(model, watches);
  }

  void searchAll(const Model& model, std::vector<Watch> watches) {
    Search search(model, std::move(watches), effort_.exactNodes);
    search.run();
    if (search.foundBetter()) {
      Selection selection(model);
      for (Index unit : search.best()) selection.stop(unit);
      offer(model, selection);
    }
    if (model.complete()) raiseBound(search.lowerBound());
  }

  Plan plan() const {
    std::vector<bool> stopped = stoppedBy(problem_, built_, best_.units);
    trimExactly(problem_, stopped);  // what was left out on the way may give something too
    Plan plan = planOf(problem_, stopped);
    plan.lowerBound = std::min(bound_, plan.cost);
    plan.optimal = plan.lowerBound == plan.cost;
    return plan;
  }

  const Problem& problem_;
  Effort effort_;
  Sieve sieve_;
  Built built_;
  Best best_;
  Int128 bound_ = 0;
};

}  // namespace

std::expected<Plan, NoPlan> solve(const Problem& problem, const Effort& effort) {
  checkProblem(problem);
  return Solver(problem, effort).run();
}

}  // namespace tidegate::recall
