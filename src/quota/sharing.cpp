#include "quota/sharing.hpp"

#include <algorithm>
#include <numeric>

#include "core/quantity.hpp"

namespace tidegate::quota {
namespace {

// Divides `amount` in proportion to `weights` (not all zero) by largest remainder.
std::vector<Amount> apportion(Amount amount, std::span<const Amount> weights) {
  Int128 sum = 0;
  for (Amount weight : weights) sum += weight;
  std::vector<Amount> parts(weights.size());
  std::vector<Int128> remainders(weights.size());
  Amount left = amount;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Int128 product = Int128{amount} * weights[i];
    parts[i] = static_cast<Amount>(product / sum);
    remainders[i] = product % sum;
    left -= parts[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++parts[order[i]];
  return parts;
}

// The parts as if nobody held any.
std::vector<Amount> level(Amount amount, std::span<const Want> wants) {
  // Those that want least per weight are filled first; the first that cannot be filled ends it: from there on
  // all share what is left by weight.
  std::vector<std::size_t> order(wants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return Int128{wants[a].amount} * wants[b].weight < Int128{wants[b].amount} * wants[a].weight;
  });
  Int128 weightLeft = 0;
  for (const Want& want : wants) weightLeft += want.weight;

  std::vector<Amount> parts(wants.size(), 0);
  std::size_t next = 0;
  for (; next < order.size(); ++next) {
    const Want& want = wants[order[next]];
    if (want.amount * weightLeft > Int128{amount} * want.weight) break;
    parts[order[next]] = want.amount;
    amount -= want.amount;
    weightLeft -= want.weight;
  }
  if (next == order.size()) return parts;

  std::vector<std::size_t> unfilled(order.begin() + static_cast<std::ptrdiff_t>(next), order.end());
  std::ranges::sort(unfilled);  // back to the callers' order, which breaks ties
  std::vector<Amount> weights;
  for (std::size_t i : unfilled) weights.push_back(wants[i].weight);
  const std::vector<Amount> shares = apportion(amount, weights);
  for (std::size_t i = 0; i < unfilled.size(); ++i) parts[unfilled[i]] = shares[i];
  return parts;
}

}  // namespace

std::vector<Amount> scaledDown(std::span<const Amount> parts, Amount bound) {
  Int128 sum = 0;
  for (Amount part : parts) sum += part;
  bound = std::max<Amount>(0, bound);
  if (sum <= bound) return {parts.begin(), parts.end()};
  return apportion(bound, parts);
}

// Who holds more than its part keeps that and leaves the division; what is left for the others is less than
// their parts were, so nobody who left would come back.
std::vector<Amount> waterFill(Amount amount, std::span<const Want> wants) {
  std::vector<Want> sharing(wants.begin(), wants.end());
  std::vector<Amount> kept(wants.size(), 0);
  for (;;) {
    std::vector<Amount> parts = level(amount, sharing);
    bool settled = true;
    for (std::size_t i = 0; i < sharing.size(); ++i) {
      Want& want = sharing[i];
      if (parts[i] >= want.held) continue;
      settled = false;
      kept[i] = want.held;
      amount -= std::min(amount, want.held);
      want = {.weight = want.weight};
    }
    if (!settled) continue;
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += kept[i];
    return parts;
  }
}

}  // namespace tidegate::quota
