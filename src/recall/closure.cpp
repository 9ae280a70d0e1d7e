#include "recall/closure.hpp"

#include <numeric>
#include <utility>

#include "recall/share_flow.hpp"

namespace tidegate::recall::solver {
namespace {

// Prices of different dimensions depend on each other: pods, the reliefs, pods again.
std::vector<Index> pricingOrder(const Model& model) {
  std::vector<Index> order;
  for (Index dim = 0; dim < model.need.size(); ++dim)
    if (model.need[dim] > 0) order.push_back(dim);
  if (order.size() > 1) order.push_back(order[0]);
  return order;
}

// Gain in `dim` of the groups, and their units' cost less what the other dimensions pay for them.
Point pointOf(const Model& model, Index dim, const std::vector<Int128>& price,
              const std::vector<Index>& groups) {
  Point point;
  std::vector<bool> paid(model.unitCount(), false);
  for (Index group : groups) {
    const std::int64_t gain = model.optionGain[model.optionBegin[group]];
    if (model.groupDim[group] == dim)
      point.gain += gain;
    else
      point.cost -= price[model.groupDim[group]] * gain;
    for (Index unit : model.groupUnits[group]) {
      if (!paid[unit]) point.cost += model.cost[unit];
      paid[unit] = true;
    }
  }
  return point;
}

Point everything(const Model& model, Index dim, const std::vector<Int128>& price) {
  std::vector<Index> groups(model.groupCount());
  std::iota(groups.begin(), groups.end(), 0);
  return pointOf(model, dim, price, groups);
}

}  // namespace

Dual Closure::dual(const Model& model) {
  Dual start = dualByRoom(model, model.cost);
  if (!model.singleOption()) return start;
  std::vector<Int128> price = start.price;
  ShareFlow flow(model, std::move(start));
  const std::vector<Index> order = pricingOrder(model);
  for (Index dim : order) {
    PriceSearch search{.need = model.need[dim],
                       .bracket = {.low = {}, .high = everything(model, dim, price)},
                       .first = price[dim],
                       .highest = highestPrice(model, dim),
                       .tries = std::max(cutsLeft_, 1)};
    const bool goesOn = order.size() == 1 && bracket_.high.gain >= search.need && bracket_.high.gain > 0;
    if (goesOn && search.bracket.high.gain >= search.need) {
      search.bracket = bracket_;
      search.first = 0;
    }
    price[dim] = bestPrice(search, [&](Int128 p) {
      --cutsLeft_;
      price[dim] = p;
      const std::vector<Index> taken = flow.cut(price);
      onCut_(model, taken);
      return pointOf(model, dim, price, taken);
    });
    bracket_ = search.bracket;
  }
  flow.cut(price);
  return flow.dual();
}

Dual dualFor(const Model& model, std::vector<Int128> weight) {
  Dual dual = dualByRoom(model, std::move(weight));
  if (!model.singleOption()) return dual;
  const std::vector<Int128> price = dual.price;
  ShareFlow flow(model, std::move(dual));
  flow.cut(price);
  return flow.dual();
}

}  // namespace tidegate::recall::solver
