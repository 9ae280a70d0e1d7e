#include "recall/improve.hpp"

#include <algorithm>
#include <queue>

namespace tidegate::recall::solver {
namespace {

// Marginal greedy for one dimension. Entries of the heap may be out of date: a price is checked when it is
// popped.
class Greedy {
 public:
  Greedy(const Model& model, Selection& selection, Index dim, const Completion& how)
      : model_(model), selection_(selection), dim_(dim), how_(how) {}

  bool run() {
    std::vector<Entry> entries;
    for (Index o = 0; o < model_.optionCount(); ++o)
      if (eligible(o)) entries.push_back({price(o), o});
    heap_ = Heap(std::greater<>{}, std::move(entries));
    while (selection_.missing(dim_) > 0 && !heap_.empty()) step();
    return selection_.missing(dim_) <= 0;
  }

 private:
  using Entry = std::pair<long double, Index>;
  using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  bool eligible(Index option) const {
    if (model_.dim(option) != dim_ || selection_.usefulGain(option) <= 0) return false;
    if (how_.barred == kNoIndex) return true;
    return std::ranges::none_of(model_.optionEdges[option],
                                [&](Index edge) { return model_.groupUnits.value(edge) == how_.barred; });
  }

  long double price(Index option) const {
    return static_cast<long double>(charge(option)) / static_cast<long double>(selection_.usefulGain(option));
  }

  Int128 charge(Index option) const {
    if (how_.share == nullptr) return selection_.due(option);
    Int128 sum = 0;
    for (Index edge : model_.optionEdges[option])
      if (!selection_.isStopped(model_.groupUnits.value(edge))) sum += (*how_.share)[edge];
    return sum;
  }

  void step() {
    const auto [popped, option] = heap_.top();
    heap_.pop();
    if (!eligible(option)) return;
    const long double now = price(option);
    if (now > popped) {
      heap_.push({now, option});
      return;
    }
    if (now < popped || !selection_.fits(option))
      return;  // cheaper by now: then it is in the heap at that price
    stop(option);
  }

  // Stopping a unit makes every other option that needs it cheaper.
  void stop(Index option) {
    for (Index edge : model_.optionEdges[option]) {
      const Index unit = model_.groupUnits.value(edge);
      if (selection_.isStopped(unit)) continue;
      selection_.stop(unit);
      for (Index other : model_.unitEdges[unit]) touched_.push_back(other);
    }
    for (Index edge : touched_)
      for (Index o : model_.edgeOptions[edge])
        if (eligible(o)) heap_.push({price(o), o});
    touched_.clear();
  }

  const Model& model_;
  Selection& selection_;
  Index dim_;
  Completion how_;
  Heap heap_;
  std::vector<Index> touched_;
};

std::vector<Index> dearestFirst(const Model& model, std::vector<Index> units) {
  std::ranges::sort(units, [&](Index a, Index b) {
    return model.cost[a] != model.cost[b] ? model.cost[a] > model.cost[b] : a < b;
  });
  return units;
}

}  // namespace

bool complete(const Model& model, Selection& selection, const Completion& how) {
  for (Index dim = 0; dim < model.need.size(); ++dim)
    if (selection.missing(dim) > 0 && !Greedy(model, selection, dim, how).run()) return false;
  return true;
}

void trim(const Model& model, Selection& selection) {
  for (Index unit : dearestFirst(model, selection.stopped())) {
    if (!selection.isStopped(unit)) continue;
    const std::vector<Index> restored = selection.restoreWithDependents(unit);
    if (selection.covered()) continue;
    for (Index u : restored) selection.stop(u);
  }
}

void exchange(const Model& model, Selection& selection, std::int64_t steps) {
  bool better = true;
  while (better) {
    better = false;
    for (Index unit : dearestFirst(model, selection.stopped())) {
      steps -= static_cast<std::int64_t>(model.optionCount());
      if (steps < 0) return;
      if (!selection.isStopped(unit)) continue;
      Selection attempt = selection;
      attempt.restoreWithDependents(unit);
      if (!complete(model, attempt, {.barred = unit})) continue;
      trim(model, attempt);
      if (attempt.cost() >= selection.cost()) continue;
      selection = std::move(attempt);
      better = true;
    }
  }
}

}  // namespace tidegate::recall::solver
