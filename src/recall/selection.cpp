#include "recall/selection.hpp"

#include <algorithm>

namespace tidegate::recall::solver {

Selection::Selection(const Model& model)
    : model_(&model),
      place_(model.unitCount(), kNoIndex),
      due_(model.optionCount(), 0),
      left_(model.optionCount(), 0),
      best_(model.groupCount(), 0),
      covered_(model.need.size(), 0),
      used_(model.limits.size(), 0),
      extra_(model.limits.size()) {
  for (Index o = 0; o < model.optionCount(); ++o) {
    for (Index edge : model.optionEdges[o]) due_[o] += model.cost[model.groupUnits.value(edge)];
    left_[o] = static_cast<Index>(model.optionEdges[o].size());
  }
  unmet_ = static_cast<int>(std::ranges::count_if(model.need, [](std::int64_t need) { return need > 0; }));
}

void Selection::cover(Index group, std::int64_t gain) {
  const Index dim = model_->groupDim[group];
  const bool wasUnmet = missing(dim) > 0;
  covered_[dim] += gain - best_[group];
  best_[group] = gain;
  unmet_ += static_cast<int>(missing(dim) > 0) - static_cast<int>(wasUnmet);
}

void Selection::stop(Index unit) {
  if (isStopped(unit)) return;
  place_[unit] = static_cast<Index>(stopped_.size());
  stopped_.push_back(unit);
  const Int128 cost = model_->cost[unit];
  cost_ += cost;
  for (const Draw& draw : model_->draws[unit]) used_[draw.limit] += draw.amount;
  for (Index edge : model_->unitEdges[unit]) {
    for (Index option : model_->edgeOptions[edge]) {
      due_[option] -= cost;
      if (--left_[option] > 0) continue;
      const Index group = model_->optionGroup[option];
      if (model_->optionGain[option] > best_[group]) cover(group, model_->optionGain[option]);
    }
  }
}

void Selection::restore(Index unit) {
  if (!isStopped(unit)) return;
  stopped_[place_[unit]] = stopped_.back();
  place_[stopped_.back()] = place_[unit];
  stopped_.pop_back();
  place_[unit] = kNoIndex;
  const Int128 cost = model_->cost[unit];
  cost_ -= cost;
  for (const Draw& draw : model_->draws[unit]) used_[draw.limit] -= draw.amount;
  for (Index edge : model_->unitEdges[unit]) {
    bool lost = false;
    const Index group = model_->edgeGroup[edge];
    for (Index option : model_->edgeOptions[edge]) {
      due_[option] += cost;
      lost |= left_[option]++ == 0 && model_->optionGain[option] == best_[group];
    }
    if (!lost) continue;
    std::int64_t best = 0;
    for (Index o = model_->optionBegin[group]; o < model_->optionBegin[group + 1]; ++o)
      if (left_[o] == 0) best = std::max(best, model_->optionGain[o]);
    cover(group, best);
  }
}

void Selection::stopOption(Index option) {
  for (Index edge : model_->optionEdges[option]) stop(model_->groupUnits.value(edge));
}

std::vector<Index> Selection::restoreWithDependents(Index unit) {
  std::vector<Index> restored = {unit};
  for (Index dependent : model_->dependents[unit])
    if (isStopped(dependent)) restored.push_back(dependent);
  for (Index u : restored) restore(u);
  return restored;
}

std::int64_t Selection::usefulGain(Index option) const {
  const Index group = model_->optionGroup[option];
  return std::min(model_->optionGain[option] - best_[group], missing(model_->groupDim[group]));
}

bool Selection::limitHolds(Index limit, const Draw& extra) const {
  const Budget& budget = model_->limits[limit];
  const Amount sum = saturatingAdd(used_[limit], extra.amount);
  if (sum <= budget.slack) return true;
  if (!budget.allowStraddle) return false;
  Amount largest = extra.largest;
  for (Index unit : stopped_)
    for (const Draw& draw : model_->draws[unit])
      if (draw.limit == limit) largest = std::max(largest, draw.largest);
  return withinBudget(budget, sum, largest);
}

bool Selection::fits(Index option) const {
  for (Index edge : model_->optionEdges[option]) {
    const Index unit = model_->groupUnits.value(edge);
    if (isStopped(unit)) continue;
    for (const Draw& draw : model_->draws[unit]) {
      Draw& extra = extra_[draw.limit];
      if (extra.amount == 0) touched_.push_back(draw.limit);
      extra.amount = saturatingAdd(extra.amount, draw.amount);
      extra.largest = std::max(extra.largest, draw.largest);
    }
  }
  bool ok = true;
  for (Index limit : touched_) {
    ok = ok && limitHolds(limit, extra_[limit]);
    extra_[limit] = {};
  }
  touched_.clear();
  return ok;
}

}  // namespace tidegate::recall::solver
