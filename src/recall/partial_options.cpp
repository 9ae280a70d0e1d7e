#include "recall/partial_options.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace tidegate::recall::solver {
namespace {

constexpr std::size_t kMaxCompared = 512;  // choices of a node; more are all kept

// Walks through all counts per kind, keeping those sets from which nothing can be left out.
class Enumeration {
 public:
  Enumeration(const Problem& problem, const Node& node, std::vector<LocalUnit>& units, int maxSets)
      : problem_(problem),
        node_(node),
        units_(units),
        wanted_(problem.podsWanted),
        maxSets_(maxSets),
        free_(node.idle) {
    std::ranges::sort(units_, [](const LocalUnit& a, const LocalUnit& b) {
      return std::tie(a.kind, a.cost, a.unit) < std::tie(b.kind, b.cost, b.unit);
    });
    before_ = podsThatFit(node.idle, problem.podRequest, node.maxPods);
  }

  Choices run() {
    visit(0);
    Choices choices;
    if (sets_ > maxSets_) {
      choices.spareGain = gainOfAll();
      addChain();
    }
    choices.list = std::move(found_);
    return choices;
  }

 private:
  std::int64_t gain() const {
    return std::min(wanted_, podsThatFit(free_, problem_.podRequest, node_.maxPods) - before_);
  }

  std::int64_t gainOfAll() {
    for (const LocalUnit& unit : units_) move(unit, 1);
    const std::int64_t all = gain();
    for (const LocalUnit& unit : units_) move(unit, -1);
    return all;
  }

  // One set for each gain that can be had: units by cost, and of those only the needed.
  void addChain() {
    std::vector<Index> order(units_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](Index i) { return units_[i].cost; });
    std::vector<Index> taken;
    std::int64_t reached = 0;
    for (Index i : order) {
      taken.push_back(i);
      move(units_[i], 1);
      if (gain() == reached) continue;
      reached = gain();
      addNeededOf(taken, reached);
    }
    for (Index i : taken) move(units_[i], -1);
  }

  void addNeededOf(const std::vector<Index>& taken, std::int64_t reached) {
    std::vector<Index> needed, spared;
    for (auto i = taken.rbegin(); i != taken.rend(); ++i) {
      move(units_[*i], -1);
      if (gain() == reached) {
        spared.push_back(*i);
        continue;
      }
      move(units_[*i], 1);
      needed.push_back(*i);
    }
    for (Index i : spared) move(units_[i], 1);
    found_.push_back({.gain = reached, .local = std::move(needed)});
  }

  void move(const LocalUnit& unit, Amount sign) {
    for (std::size_t d = 0; d < free_.size(); ++d) free_[d] += sign * unit.freed[d];
  }

  bool sameKind(std::size_t a, std::size_t b) const {
    return units_[a].kind == units_[b].kind && units_[a].kind != kNoIndex;
  }

  // Decides on units_[next] and the rest; `chosen_` holds what was taken so far.
  void visit(std::size_t next) {
    if (++sets_ > maxSets_) return;
    const std::int64_t now = gain();
    if (now > 0 && minimal(now)) found_.push_back({.gain = now, .local = chosen_});
    if (now == wanted_) return;
    for (std::size_t i = next; i < units_.size(); ++i) {
      // The dearer of a kind only after the cheaper.
      const bool cheaperLeftOut = i > 0 && sameKind(i - 1, i) && (chosen_.empty() || chosen_.back() != i - 1);
      if (cheaperLeftOut) continue;
      chosen_.push_back(static_cast<Index>(i));
      move(units_[i], 1);
      visit(i + 1);
      move(units_[i], -1);
      chosen_.pop_back();
    }
  }

  bool minimal(std::int64_t now) {
    for (Index i : chosen_) {
      move(units_[i], -1);
      const std::int64_t without = gain();
      move(units_[i], 1);
      if (without == now) return false;
    }
    return true;
  }

  const Problem& problem_;
  const Node& node_;
  std::vector<LocalUnit>& units_;
  std::int64_t wanted_;
  int maxSets_;
  std::vector<Amount> free_;
  std::int64_t before_ = 0;
  std::vector<Index> chosen_;
  std::vector<Choice> found_;
  int sets_ = 0;
};

// What a choice takes: units that matter elsewhere by name, the others by their sums.
struct Toll {
  std::int64_t gain = 0;
  Int128 cost = 0;
  std::vector<Index> shared;
  struct Drawn {
    Amount sum = 0;
    Amount largest = 0;
  };
  std::map<Index, Drawn> draws;
  Amount gpus = 0;

  // Never worse than `other`, whatever else is stopped. A straddled budget looks at the sum without its
  // largest part.
  bool beats(const Toll& other) const {
    if (gain < other.gain || cost > other.cost || gpus > other.gpus) return false;
    if (!std::ranges::includes(other.shared, shared)) return false;
    return std::ranges::all_of(draws, [&](const auto& draw) {
      const auto it = other.draws.find(draw.first);
      const Drawn theirs = it == other.draws.end() ? Drawn{} : it->second;
      const Drawn mine = draw.second;
      return mine.sum <= theirs.sum && mine.sum - mine.largest <= theirs.sum - theirs.largest;
    });
  }
};

Toll tollOf(const Choice& choice, const std::vector<LocalUnit>& units) {
  Toll toll;
  toll.gain = choice.gain;
  for (Index i : choice.local) {
    if (units[i].kind == kNoIndex) {
      toll.shared.push_back(units[i].unit);
      continue;
    }
    toll.cost += units[i].cost;
    toll.gpus += units[i].gpus;
    for (const Unit::Draw& draw : units[i].draws) {
      Toll::Drawn& drawn = toll.draws[draw.budget];
      drawn.sum += draw.amount;
      drawn.largest = std::max(drawn.largest, draw.amount);
    }
  }
  std::ranges::sort(toll.shared);
  return toll;
}

void dropBeaten(std::vector<Choice>& choices, const std::vector<LocalUnit>& units) {
  std::vector<std::pair<Toll, Index>> ranked;
  for (Index c = 0; c < choices.size(); ++c) ranked.emplace_back(tollOf(choices[c], units), c);
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) {
    if (a.first.gain != b.first.gain) return a.first.gain > b.first.gain;
    return a.first.cost < b.first.cost;
  });
  std::vector<std::pair<Toll, Index>> kept;
  for (auto& candidate : ranked) {
    const bool beaten =
        std::ranges::any_of(kept, [&](const auto& k) { return k.first.beats(candidate.first); });
    if (!beaten) kept.push_back(std::move(candidate));
  }
  std::vector<Choice> result;
  for (const auto& [toll, c] : kept) result.push_back(std::move(choices[c]));
  choices = std::move(result);
}

}  // namespace

Choices partialChoices(const Problem& problem, const Node& node, std::vector<LocalUnit>& units, int maxSets) {
  Choices choices = Enumeration(problem, node, units, maxSets).run();
  const bool anyPrivate =
      std::ranges::any_of(units, [](const LocalUnit& unit) { return unit.kind != kNoIndex; });
  if (anyPrivate && choices.list.size() <= kMaxCompared) dropBeaten(choices.list, units);
  return choices;
}

}  // namespace tidegate::recall::solver
