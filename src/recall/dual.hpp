// Lower bounds by cost sharing. Each unit's weight is divided over the groups that use it, each dimension has a price
// per unit of gain; then any plan weighs at least
//     sum over dimensions of price * need  +  sum over groups of min(0, cheapest option's shares - price * its gain).
// True for any shares and prices (Lagrangian duality); good ones come from a fixed point of the two searches here.
#pragma once

#include <vector>

#include "recall/model.hpp"

namespace tidegate::recall::solver {

struct Dual {
  std::vector<Int128> weight;  // per unit: its cost, or what it draws on a limit
  std::vector<Int128> share;   // per edge; over the edges of a unit at most its weight
  std::vector<Int128> price;   // per dimension
};

// A price above this could overflow price * gain summed over all groups.
Int128 highestPrice(const Model& model, Index dim);

// Weights divided by the room that a unit makes in each group, and the best prices for those shares.
Dual dualByRoom(const Model& model, std::vector<Int128> weight);

// What a limit's draws weigh.
std::vector<Int128> drawWeights(const Model& model, Index limit);

// A choice of groups at some price: what it gives in the dimension looked at, and what it weighs.
struct Point {
  std::int64_t gain = 0;
  Int128 cost = 0;
};

// The price p that maximises p * need + min over points of (cost - p * gain). The points are known only through
// `cheapest(p)`; `all` is one with the largest gain. Secant search on the lower envelope of the points, from `first` if
// that is not 0.
struct PriceSearch {
  std::int64_t need = 0;
  Point all;
  Int128 first = 0;
  Int128 highest = 0;
  int tries = 64;
};
template <class Cheapest>
Int128 bestPrice(const PriceSearch& search, Cheapest cheapest) {
  const std::int64_t need = search.need;
  if (need <= 0) return 0;
  if (search.all.gain < need) return search.highest;
  Point low, high = search.all;
  Int128 best = 0, bestValue = -kInfinite;
  for (int t = 0; t < search.tries && high.gain > low.gain; ++t) {
    const Int128 slope = (high.cost - low.cost) / (high.gain - low.gain);
    const Int128 price = std::clamp<Int128>(t == 0 && search.first > 0 ? search.first : slope, 0, search.highest);
    const Point p = cheapest(price);
    const Int128 value = price * need + p.cost - price * p.gain;
    if (value > bestValue) {
      best = price;
      bestValue = value;
    }
    if (p.gain == need || price * (p.gain - low.gain) <= p.cost - low.cost) {
      if (p.gain == need || t > 0 || search.first == 0) break;
      continue;  // the first price was too low to tell anything
    }
    (p.gain < need ? low : high) = p;
  }
  return best;
}

}  // namespace tidegate::recall::solver
