#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "recall/improve.hpp"
#include "recall/problem.hpp"
#include "recall/search.hpp"
#include "recall/share_flow.hpp"

namespace tidegate::recall {
namespace {

using solver::Dual;
using solver::Index;
using solver::kInfinite;
using solver::kNoIndex;
using solver::Lens;
using solver::Model;
using solver::Point;
using solver::Selection;
using solver::Watch;

constexpr int kMostLimitWatches = 4;
constexpr std::int64_t kExchangeSteps = 60000;

void checkProblem(const Problem& p) {
  TIDEGATE_CHECK(!p.podRequest.empty(), "a pod must ask for something");
  for (Amount amount : p.podRequest) TIDEGATE_CHECK(amount > 0, "a pod must ask for more than 0");
  Int128 total = 0;
  for (const Unit& unit : p.units) {
    TIDEGATE_CHECK(unit.cost >= 0 && unit.cost < static_cast<Int128>(1) << 100, "cost of a unit out of range");
    total += unit.cost;
    TIDEGATE_CHECK(total < static_cast<Int128>(1) << 100, "costs add up to 2^100 or more");
    for (std::size_t i = 0; i < unit.shares.size(); ++i) {
      TIDEGATE_CHECK(unit.shares[i].node < p.nodes.size(), "share on an unknown node");
      TIDEGATE_CHECK(i == 0 || unit.shares[i - 1].node < unit.shares[i].node, "shares not ascending by node");
    }
  }
}

// Finds the plan in stages, each on a smaller model than the one before: what cannot be part of a plan better than
// the best known is left out.
class Solver {
 public:
  Solver(const Problem& problem, const Effort& effort)
      : problem_(problem), effort_(effort), built_(solver::build(problem)), full_(built_.model) {}

  std::expected<Plan, NoPlan> run() {
    if (auto why = hopeless()) return std::unexpected(std::move(*why));
    cutsLeft_ = effort_.cuts;
    Model model = full_;
    offerCompleted(model, {});
    tighten(model);
    if (!proven()) searchAll(model);
    if (best_.cost == kInfinite) return std::unexpected(noPlanFound());
    return plan();
  }

 private:
  struct Best {
    Int128 cost = kInfinite;
    std::vector<Index> units;  // of the full model
  };

  bool proven() const { return bound_ >= best_.cost; }
  void raiseBound(Int128 bound) { bound_ = std::max(bound_, std::min(bound, best_.cost)); }

  // --- plans ---

  void offer(const Model& model, const Selection& selection) {
    if (!selection.covered() || selection.cost() >= best_.cost) return;
    best_.cost = selection.cost();
    best_.units.clear();
    for (Index unit : selection.stopped()) best_.units.push_back(model.origin[unit]);
  }

  // Takes the groups' first options as far as limits allow, completes and trims.
  void offerCompleted(const Model& model, const std::vector<Index>& groups) {
    Selection selection(model);
    for (Index group : groups)
      if (selection.fits(model.optionBegin[group])) selection.stopOption(model.optionBegin[group]);
    if (selection.covered()) trim(model, selection);
    if (!complete(model, selection)) return;
    trim(model, selection);
    offer(model, selection);
  }

  void offerExchanged(const Model& model) {
    if (best_.cost == kInfinite) return;
    std::vector<bool> wanted(full_.unitCount(), false);
    for (Index unit : best_.units) wanted[unit] = true;
    Selection selection(model);
    for (Index u = 0; u < model.unitCount(); ++u)
      if (wanted[model.origin[u]]) selection.stop(u);
    if (!selection.covered()) return;
    exchange(model, selection, kExchangeSteps);
    offer(model, selection);
  }

  // --- bounds ---

  // One past the most that may be drawn. A straddling job may exceed the slack by all but one of its draw.
  Int128 tooMuchOf(const Model& model, Index limit) const {
    const Budget& budget = model.limits[limit];
    Amount largest = 0;
    for (Index u = 0; u < model.unitCount(); ++u)
      for (const solver::Draw& draw : model.draws[u])
        if (draw.limit == limit) largest = std::max(largest, draw.largest);
    const Int128 slack = std::max<Amount>(budget.slack, 0);  // whatever draws nothing may always be stopped
    return budget.allowStraddle ? std::max(slack + 1, slack + largest) : slack + 1;
  }

  // The limits that may bind, nearest to their end first; and all of these summed up, as the tightness often shows
  // only in the sum.
  std::vector<Watch> limitWatches(const Model& model) const {
    std::vector<std::pair<double, Watch>> ranked;
    std::vector<Int128> sum(model.unitCount(), 0);
    Int128 sumTooMuch = 1;
    for (Index limit = 0; limit < model.limits.size(); ++limit) {
      const std::vector<Int128> weight = solver::drawWeights(model, limit);
      Int128 total = 0;
      for (Int128 w : weight) total += w;
      const Int128 tooMuch = tooMuchOf(model, limit);
      if (total < tooMuch) continue;
      for (Index u = 0; u < model.unitCount(); ++u) sum[u] += weight[u];
      sumTooMuch += tooMuch - 1;
      Watch watch{.lens = Lens(model, dualFor(model, weight)), .tooMuch = tooMuch};
      ranked.emplace_back(static_cast<double>(watch.lens.bound()) / static_cast<double>(tooMuch), std::move(watch));
    }
    std::ranges::stable_sort(ranked, std::greater<>{}, &std::pair<double, Watch>::first);
    const bool several = ranked.size() > 1;
    std::vector<Watch> watches;
    for (auto& [ratio, watch] : ranked)
      if (watches.size() < kMostLimitWatches) watches.push_back(std::move(watch));
    if (several) watches.push_back({.lens = Lens(model, dualFor(model, sum)), .tooMuch = sumTooMuch});
    return watches;
  }

  static Dual dualFor(const Model& model, const std::vector<Int128>& weight) {
    Dual dual = solver::dualByRoom(model, weight);
    if (!model.singleOption()) return dual;
    solver::ShareFlow flow(model, dual);
    flow.cut(dual.price);
    return flow.dual();
  }

  // Shares by minimum cuts; every cut is the start of a plan.
  Dual closure(const Model& model) {
    Dual dual = solver::dualByRoom(model, model.cost);
    if (!model.singleOption()) return dual;
    solver::ShareFlow flow(model, dual);
    std::vector<Int128> price = dual.price;
    for (Index dim : pricingOrder(model)) {
      const solver::PriceSearch search{.need = model.need[dim],
                                       .all = everything(model, dim, price),
                                       .first = price[dim],
                                       .highest = solver::highestPrice(model, dim),
                                       .tries = std::max(cutsLeft_, 1)};
      price[dim] = solver::bestPrice(search, [&](Int128 p) {
        --cutsLeft_;
        price[dim] = p;
        const std::vector<Index> taken = flow.cut(price);
        offerCompleted(model, taken);
        return pointOf(model, dim, price, taken);
      });
    }
    flow.cut(price);
    return flow.dual();
  }

  // Prices of different dimensions depend on each other: pods, the reliefs, pods again.
  static std::vector<Index> pricingOrder(const Model& model) {
    std::vector<Index> order;
    for (Index dim = 0; dim < model.need.size(); ++dim)
      if (model.need[dim] > 0) order.push_back(dim);
    if (order.size() > 1) order.push_back(order[0]);
    return order;
  }

  static Point pointOf(const Model& model, Index dim, const std::vector<Int128>& price,
                       const std::vector<Index>& groups) {
    Point point;
    std::vector<bool> paid(model.unitCount(), false);
    for (Index group : groups) {
      const std::int64_t gain = model.optionGain[model.optionBegin[group]];
      if (model.groupDim[group] == dim) point.gain += gain;
      else point.cost -= price[model.groupDim[group]] * gain;
      for (Index unit : model.groupUnits[group]) {
        if (!paid[unit]) point.cost += model.cost[unit];
        paid[unit] = true;
      }
    }
    return point;
  }

  static Point everything(const Model& model, Index dim, const std::vector<Int128>& price) {
    std::vector<Index> groups(model.groupCount());
    for (Index g = 0; g < groups.size(); ++g) groups[g] = g;
    return pointOf(model, dim, price, groups);
  }

  // --- leaving out ---

  void tighten(Model& model) {
    std::vector<Watch> watches = limitWatches(model);
    watches.insert(watches.begin(), {.lens = Lens(model, solver::dualByRoom(model, model.cost))});
    reduce(model, watches);
    for (int round = 0; round < 4 && !proven(); ++round) {
      watches = limitWatches(model);
      watches.insert(watches.begin(), {.lens = Lens(model, closure(model))});
      offerExchanged(model);
      if (!reduce(model, watches)) break;
    }
    watches_ = limitWatches(model);
    watches_.insert(watches_.begin(), {.lens = Lens(model, closure(model))});
  }

  // Leaves out options and units that no better plan can have. True if a good part went.
  bool reduce(Model& model, std::vector<Watch>& watches) {
    watches[0].tooMuch = best_.cost;
    raiseBound(watches[0].lens.bound());
    std::vector<bool> keep(model.optionCount(), true);
    std::size_t kept = 0;
    for (Index u = 0; u < model.unitCount(); ++u)
      if (tooDear(watches, u)) dropOptionsOf(model, u, keep);
    for (Index o = 0; o < model.optionCount(); ++o) {
      for (const Watch& watch : watches)
        if (watch.lens.boundWith(o) >= watch.tooMuch) keep[o] = false;
      kept += keep[o];
    }
    if (kept == model.optionCount()) return false;
    const bool much = kept * 10 < model.optionCount() * 9;
    model = restrictTo(model, keep);
    return much;
  }

  static bool tooDear(std::vector<Watch>& watches, Index unit) {
    bool dear = false;
    for (Watch& watch : watches) {
      watch.lens.pay(unit);
      dear |= watch.lens.bound() >= watch.tooMuch;
      watch.lens.refund(unit);
    }
    return dear;
  }

  static void dropOptionsOf(const Model& model, Index unit, std::vector<bool>& keep) {
    for (Index edge : model.unitEdges[unit])
      for (Index option : model.edgeOptions[edge]) keep[option] = false;
  }

  void searchAll(const Model& model) {
    watches_[0].tooMuch = best_.cost;
    solver::Search search(model, std::move(watches_), effort_.exactNodes);
    search.run();
    if (search.foundBetter()) {
      Selection selection(model);
      for (Index unit : search.best()) selection.stop(unit);
      trim(model, selection);
      offer(model, selection);
    }
    if (model.complete()) raiseBound(search.lowerBound());
  }

  // --- answers ---

  Plan plan() const {
    Selection selection(full_);
    for (Index unit : best_.units) selection.stop(unit);
    trim(full_, selection);
    Plan plan;
    std::vector<bool> stopped(problem_.units.size(), false);
    for (Index unit : selection.stopped()) {
      for (Index u : built_.members[unit]) {
        plan.units.push_back(u);
        stopped[u] = true;
      }
    }
    std::ranges::sort(plan.units);
    plan.nodes = nodesUsed(stopped);
    plan.cost = selection.cost();
    plan.lowerBound = std::min(bound_, plan.cost);
    plan.optimal = plan.lowerBound == plan.cost;
    return plan;
  }

  // Nodes with a gain; where together they give more than wanted, those with the least gain are left alone.
  std::vector<Index> nodesUsed(const std::vector<bool>& stopped) const {
    const std::vector<std::int64_t> gain = gainPerNode(problem_, stopped);
    std::vector<Index> nodes;
    std::int64_t surplus = -problem_.podsWanted;
    for (Index n = 0; n < gain.size(); ++n) {
      if (gain[n] > 0) nodes.push_back(n);
      surplus += gain[n];
    }
    std::ranges::stable_sort(nodes, std::greater<>{}, [&](Index n) { return gain[n]; });
    while (!nodes.empty() && gain[nodes.back()] <= surplus) {
      surplus -= gain[nodes.back()];
      nodes.pop_back();
    }
    std::ranges::sort(nodes);
    return nodes;
  }

  std::optional<NoPlan> hopeless() const {
    const std::vector<bool> all(problem_.units.size(), true);
    NoPlan no{.podsPossible = gainOf(problem_, all), .budgets = {}, .reliefs = {}};
    if (no.podsPossible < problem_.podsWanted) return no;
    std::vector<std::int64_t> most(full_.need.size(), 0);
    for (Index g = 0; g < full_.groupCount(); ++g) {
      std::int64_t gain = full_.spareGain[g];
      for (Index o = full_.optionBegin[g]; o < full_.optionBegin[g + 1]; ++o)
        gain = std::max(gain, full_.optionGain[o]);
      most[full_.groupDim[g]] = saturatingAdd(most[full_.groupDim[g]], gain);
    }
    for (Index r = 0; r < problem_.reliefs.size(); ++r)
      if (reliefOfAll(r) < problem_.reliefs[r].need) no.reliefs.push_back(r);
    if (!no.reliefs.empty()) {
      no.why = NoPlan::Why::Relief;
      return no;
    }
    for (Index d = 0; d < most.size(); ++d)
      if (most[d] < full_.need[d]) return limited(built_.breaksBudget);
    return std::nullopt;
  }

  Amount reliefOfAll(Index relief) const {
    Amount sum = 0;
    for (const Unit& unit : problem_.units)
      for (const Unit::Draw& draw : unit.reliefs)
        if (draw.budget == relief) sum = saturatingAdd(sum, draw.amount);
    return sum;
  }

  NoPlan limited(const std::vector<bool>& binding) const {
    NoPlan no{.why = NoPlan::Why::Stopped, .budgets = {}, .reliefs = {}};
    no.podsPossible = gainOf(problem_, std::vector<bool>(problem_.units.size(), true));
    for (Index b = 0; b < problem_.budgets.size(); ++b)
      if (binding[b]) no.budgets.push_back(b);
    if (!no.budgets.empty()) no.why = NoPlan::Why::Budget;
    return no;
  }

  // No plan within the limits: those bind that the cheapest plan without limits would break, or that put units out of
  // reach from the start.
  NoPlan noPlanFound() const {
    Model free = full_;
    for (Budget& limit : free.limits) limit = {.slack = kUnlimited};
    Selection selection(free);
    complete(free, selection);
    trim(free, selection);
    std::vector<Amount> sum(free.limits.size(), 0), largest(free.limits.size(), 0);
    for (Index unit : selection.stopped()) {
      for (const solver::Draw& draw : free.draws[unit]) {
        sum[draw.limit] += draw.amount;
        largest[draw.limit] = std::max(largest[draw.limit], draw.largest);
      }
    }
    std::vector<bool> binding = built_.breaksBudget;
    for (std::size_t b = 0; b < sum.size(); ++b)
      if (!withinBudget(full_.limits[b], sum[b], largest[b])) binding[b] = true;
    return limited(binding);
  }

  const Problem& problem_;
  Effort effort_;
  solver::Built built_;
  const Model& full_;
  Best best_;
  Int128 bound_ = 0;
  int cutsLeft_ = 0;
  std::vector<Watch> watches_;
};

}  // namespace

std::expected<Plan, NoPlan> solve(const Problem& problem, const Effort& effort) {
  checkProblem(problem);
  return Solver(problem, effort).run();
}

}  // namespace tidegate::recall
