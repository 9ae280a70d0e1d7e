#include "recall/dual.hpp"

namespace tidegate::recall::solver {
namespace {

std::vector<Int128> sharesByRoom(const Model& model, const std::vector<Int128>& weight) {
  std::vector<Int128> share(model.groupUnits.valueCount(), 0);
  for (Index u = 0; u < model.unitCount(); ++u) {
    const auto edges = model.unitEdges[u];
    if (edges.empty()) continue;
    Amount total = 0;
    for (Index edge : edges) total += model.edgeSize[edge];
    // Whole parts first: weight * size would not fit. The rest, less than one per unit of size, goes to one
    // edge.
    Int128 left = weight[u];
    for (Index edge : edges) {
      share[edge] = weight[u] / total * model.edgeSize[edge];
      left -= share[edge];
    }
    share[edges[0]] += left;
  }
  return share;
}

Int128 priceFor(const Model& model, const std::vector<Int128>& optionShare, Index dim) {
  Point all;
  std::vector<Index> groups;
  for (Index g = 0; g < model.groupCount(); ++g) {
    if (model.groupDim[g] != dim) continue;
    groups.push_back(g);
    Int128 cost = 0;
    for (Index o = model.optionBegin[g]; o < model.optionBegin[g + 1]; ++o)
      cost = std::max(cost, optionShare[o]);
    all.gain += model.mostGain(g);
    all.cost += cost;
  }
  PriceSearch search{
      .need = model.need[dim], .bracket = {.low = {}, .high = all}, .highest = highestPrice(model, dim)};
  return bestPrice(search, [&](Int128 price) {
    Point sum;
    for (Index g : groups) {
      Point best{.gain = model.spareGain[g], .cost = 0};
      for (Index o = model.optionBegin[g]; o < model.optionBegin[g + 1]; ++o)
        if (optionShare[o] - price * model.optionGain[o] < best.cost - price * best.gain)
          best = {.gain = model.optionGain[o], .cost = optionShare[o]};
      sum.gain += best.gain;
      sum.cost += best.cost;
    }
    return sum;
  });
}

}  // namespace

Int128 highestPrice(const Model& model, Index dim) {
  Int128 total = 1;
  for (Index g = 0; g < model.groupCount(); ++g)
    if (model.groupDim[g] == dim) total += model.mostGain(g);
  return (static_cast<Int128>(1) << 118) / std::max<Int128>(total, model.need[dim]);
}

Dual dualByRoom(const Model& model, std::vector<Int128> weight) {
  Dual dual{.weight = std::move(weight), .share = {}, .price = {}};
  dual.share = sharesByRoom(model, dual.weight);
  std::vector<Int128> optionShare(model.optionCount(), 0);
  for (Index o = 0; o < model.optionCount(); ++o)
    for (Index edge : model.optionEdges[o]) optionShare[o] += dual.share[edge];
  for (Index dim = 0; dim < model.need.size(); ++dim) dual.price.push_back(priceFor(model, optionShare, dim));
  return dual;
}

std::vector<Int128> drawWeights(const Model& model, Index limit) {
  std::vector<Int128> weight(model.unitCount(), 0);
  for (Index u = 0; u < model.unitCount(); ++u)
    for (const Draw& draw : model.draws[u])
      if (draw.limit == limit) weight[u] += draw.amount;
  return weight;
}

}  // namespace tidegate::recall::solver
