#include "recall/partial_sieve.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "recall/dual.hpp"
#include "recall/exact_trim.hpp"
#include "recall/room.hpp"

namespace tidegate::recall::solver {
namespace {

// Units by cost per room they make, until pods and reliefs suffice; those that do not fit the budgets are
// passed over.
class GreedyPlan {
 public:
  explicit GreedyPlan(const Problem& problem)
      : p_(problem),
        stopped_(problem.units.size(), false),
        room_(problem, stopped_),
        drawn_(problem.budgets.size()) {}

  std::vector<bool> run() {
    for (Index unit : byPrice()) {
      if (room_.enough()) break;
      tryStop(unit);
    }
    if (!room_.enough()) return {};
    trimExactly(p_, stopped_);
    return std::move(stopped_);
  }

 private:
  struct Drawn {
    Amount sum = 0;
    Amount largest = 0;
  };

  std::vector<Index> byPrice() const {
    std::vector<double> price(p_.units.size());
    for (Index u = 0; u < price.size(); ++u) {
      double size = 1e-3;  // a unit that frees nothing may still relieve a ceiling
      for (const Unit::Share& share : p_.units[u].shares)
        for (std::size_t d = 0; d < share.freed.size(); ++d)
          size += static_cast<double>(share.freed[d]) / static_cast<double>(p_.podRequest[d]);
      price[u] = static_cast<double>(p_.units[u].cost) / size;
    }
    std::vector<Index> order(p_.units.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](Index u) { return price[u]; });
    return order;
  }

  void tryStop(Index first) {
    std::vector<Index> all = {first};
    std::vector<Drawn> drawn = drawn_;
    Amount gpus = gpus_;
    if (stopped_[first]) return;
    stopped_[first] = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Unit& unit = p_.units[all[i]];
      gpus = saturatingAdd(gpus, unit.gpus);
      for (const Unit::Draw& draw : unit.draws) {
        drawn[draw.budget].sum = saturatingAdd(drawn[draw.budget].sum, draw.amount);
        drawn[draw.budget].largest = std::max(drawn[draw.budget].largest, draw.amount);
      }
      for (Index needed : unit.requires_) {
        if (!stopped_[needed]) all.push_back(needed);
        stopped_[needed] = true;
      }
    }
    bool legal = gpus <= p_.maxStopped;
    for (std::size_t b = 0; b < drawn.size(); ++b)
      legal = legal && withinBudget(p_.budgets[b], drawn[b].sum, drawn[b].largest);
    for (Index unit : all) {
      if (legal)
        room_.stop(unit);
      else
        stopped_[unit] = false;
    }
    if (!legal) return;
    drawn_ = std::move(drawn);
    gpus_ = gpus;
  }

  const Problem& p_;
  std::vector<bool> stopped_;
  Room room_;
  std::vector<Drawn> drawn_;
  Amount gpus_ = 0;
};

// What a unit is charged on one node.
struct Part {
  Int128 charge = 0;
  std::span<const Amount> freed;
};

std::vector<std::vector<Part>> partsPerNode(const Problem& problem) {
  std::vector<std::vector<Part>> parts(problem.nodes.size());
  for (const Unit& unit : problem.units) {
    std::vector<Amount> size;
    Amount total = 0;
    for (const Unit::Share& share : unit.shares) {
      double room = 0;
      for (std::size_t d = 0; d < share.freed.size(); ++d)
        room += static_cast<double>(share.freed[d]) / static_cast<double>(problem.podRequest[d]);
      size.push_back(1 + static_cast<Amount>(std::min(1e9, room * 1000)));
      total += size.back();
    }
    for (std::size_t i = 0; i < size.size(); ++i)
      parts[unit.shares[i].node].push_back(
          {.charge = unit.cost / total * size[i], .freed = unit.shares[i].freed});
  }
  return parts;
}

// Least charge for 1, 2, ... pods more on a node, as far as dimension `d` goes: a fractional knapsack.
// Rounded down.
void raiseByDimension(const Problem& problem, const Node& node, const std::vector<Part>& parts, std::size_t d,
                      std::vector<Int128>& least) {
  std::vector<std::pair<long double, const Part*>> byPrice;
  for (const Part& part : parts)
    if (part.freed[d] > 0)
      byPrice.emplace_back(static_cast<long double>(part.charge) / static_cast<long double>(part.freed[d]),
                           &part);
  std::ranges::stable_sort(byPrice, {}, [](const auto& entry) { return entry.first; });
  const std::int64_t before = podsThatFit(node.idle, problem.podRequest, node.maxPods);
  Int128 paid = 0;
  Amount have = node.idle[d];
  auto next = byPrice.begin();
  for (std::size_t g = 0; g < least.size(); ++g) {
    const Amount want = problem.podRequest[d] * (before + static_cast<std::int64_t>(g) + 1);
    for (; next != byPrice.end() && have + next->second->freed[d] <= want; ++next) {
      paid += next->second->charge;
      have += next->second->freed[d];
    }
    Int128 charge = paid;
    if (have < want && next != byPrice.end())
      charge += next->second->charge / next->second->freed[d] * (want - have);
    charge -= charge >> 50;  // the order may be off where prices agree to the last bit
    least[g] = std::max(least[g], charge);
  }
}

std::vector<Int128> leastCharges(const Problem& problem, const Node& node, const std::vector<Part>& parts) {
  std::vector<Amount> after = node.idle;
  for (const Part& part : parts)
    for (std::size_t d = 0; d < after.size(); ++d) after[d] += part.freed[d];
  const std::int64_t most = podsThatFit(after, problem.podRequest, node.maxPods) -
                            podsThatFit(node.idle, problem.podRequest, node.maxPods);
  std::vector<Int128> least(static_cast<std::size_t>(std::clamp<std::int64_t>(most, 0, problem.podsWanted)),
                            0);
  for (std::size_t d = 0; d < after.size(); ++d) raiseByDimension(problem, node, parts, d, least);
  return least;
}

// Each node's best number of pods at a price per pod.
class RelaxedNodes {
 public:
  explicit RelaxedNodes(const Problem& problem) {
    const std::vector<std::vector<Part>> parts = partsPerNode(problem);
    for (Index n = 0; n < parts.size(); ++n)
      least_.push_back(leastCharges(problem, problem.nodes[n], parts[n]));
  }

  Point everything() const {
    Point all;
    for (const std::vector<Int128>& least : least_) {
      if (least.empty()) continue;
      all.gain += static_cast<std::int64_t>(least.size());
      all.cost += least.back();
    }
    return all;
  }

  // The cheapest number of pods on the node, 1 or more.
  Point some(Index n, Int128 price) const {
    Point best;
    for (std::int64_t gain = 1; gain <= static_cast<std::int64_t>(least_[n].size()); ++gain) {
      const Int128 cost = least_[n][static_cast<std::size_t>(gain - 1)];
      if (best.gain == 0 || cost - price * gain < best.cost - price * best.gain)
        best = {.gain = gain, .cost = cost};
    }
    return best;
  }

  // The same where none are better than some.
  Point cheapest(Index n, Int128 price) const {
    const Point best = some(n, price);
    return best.cost - price * best.gain < 0 ? best : Point{};
  }

  Point cheapest(Int128 price) const {
    Point all;
    for (Index n = 0; n < least_.size(); ++n) {
      const Point best = cheapest(n, price);
      all.gain += best.gain;
      all.cost += best.cost;
    }
    return all;
  }

 private:
  std::vector<std::vector<Int128>> least_;
};

}  // namespace

Sieve sievePartial(const Problem& problem) {
  Sieve sieve{.plan = GreedyPlan(problem).run(), .worthNode = std::vector<bool>(problem.nodes.size(), true)};
  if (sieve.plan.empty() || problem.podsWanted <= 0) return sieve;
  Int128 planCost = 0;
  for (Index u = 0; u < sieve.plan.size(); ++u)
    if (sieve.plan[u]) planCost += problem.units[u].cost;

  const RelaxedNodes nodes(problem);
  PriceSearch search{
      .need = problem.podsWanted, .bracket = {.low = {}, .high = nodes.everything()}, .highest = kCostLimit};
  const Int128 price = bestPrice(search, [&](Int128 p) { return nodes.cheapest(p); });
  const auto value = [&](const Point& point) { return point.cost - price * point.gain; };
  const Int128 bound = price * problem.podsWanted + value(nodes.cheapest(price));
  for (Index n = 0; n < problem.nodes.size(); ++n) {
    const Point some = nodes.some(n, price);
    sieve.worthNode[n] = some.gain > 0 && bound - value(nodes.cheapest(n, price)) + value(some) < planCost;
  }
  return sieve;
}

}  // namespace tidegate::recall::solver
