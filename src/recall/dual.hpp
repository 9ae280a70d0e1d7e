// Lower bounds by cost sharing. Each unit's weight is divided over the groups that use it, each dimension has
// a price per unit of gain; then any plan weighs at least
//     sum over dimensions of price * need  +  sum over groups of min(0, cheapest option's shares - price *
//     its gain).
// True for any shares and prices (Lagrangian duality); good ones come from a fixed point of the two searches
// here.
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

// Two points between whose gains the need lies.
struct Bracket {
  Point low, high;
};

struct PriceSearch {
  std::int64_t need = 0;
  Bracket bracket;   // narrowed by the search
  Int128 first = 0;  // tried first, if not 0
  Int128 highest = 0;
  int tries = 64;
};

// The price p that maximises p * need + min over points of (cost - p * gain). The points are known only
// through `cheapest(p)`. Secant search on the lower envelope of the points, between the two ends of the
// bracket.
template <class Cheapest>
Int128 bestPrice(PriceSearch& search, Cheapest cheapest) {
  Point& low = search.bracket.low;
  Point& high = search.bracket.high;
  if (search.need <= 0) return 0;
  if (high.gain < search.need) return search.highest;
  Int128 best = 0, bestValue = -kInfinite;
  for (int t = 0; t < search.tries && high.gain > low.gain; ++t) {
    const bool given = t == 0 && search.first > 0;
    const Int128 slope = given ? search.first : (high.cost - low.cost) / (high.gain - low.gain);
    const Int128 price = std::clamp<Int128>(slope, 0, search.highest);
    const Point p = cheapest(price);
    const Int128 value = price * search.need + p.cost - price * p.gain;
    if (value > bestValue) {
      best = price;
      bestValue = value;
    }
    if (p.gain == search.need) break;
    const bool belowLine = p.cost - low.cost < price * (p.gain - low.gain);
    if (belowLine)
      (p.gain < search.need ? low : high) = p;
    else if (!given)
      break;
  }
  return best;
}

}  // namespace tidegate::recall::solver
