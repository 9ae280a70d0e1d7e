#include "recall/lens.hpp"

#include <utility>

namespace tidegate::recall::solver {

Lens::Lens(const Model& model, Dual dual)
    : model_(&model),
      dual_(std::move(dual)),
      reduced_(model.optionCount(), 0),
      value_(model.groupCount(), 0),
      decided_(model.groupCount(), false) {
  for (Index o = 0; o < model.optionCount(); ++o) {
    for (Index edge : model.optionEdges[o]) reduced_[o] += dual_.share[edge];
    reduced_[o] -= dual_.price[model.dim(o)] * model.optionGain[o];
  }
  for (Index g = 0; g < model.groupCount(); ++g) open_ += value_[g] = valueOf(g);
  for (Index d = 0; d < model.need.size(); ++d)
    base_ += dual_.price[d] * std::max<std::int64_t>(model.need[d], 0);
}

Int128 Lens::valueOf(Index group) const {
  Int128 value = -dual_.price[model_->groupDim[group]] * model_->spareGain[group];
  for (Index o = model_->optionBegin[group]; o < model_->optionBegin[group + 1]; ++o)
    value = std::min(value, reduced_[o]);
  return value;
}

void Lens::shift(Index unit, Int128 sign) {
  paid_ += sign * dual_.weight[unit];
  for (Index edge : model_->unitEdges[unit]) {
    const Int128 share = sign * dual_.share[edge];
    for (Index option : model_->edgeOptions[edge]) reduced_[option] -= share;
    const Index group = model_->edgeGroup[edge];
    if (decided_[group]) continue;
    const Int128 value = valueOf(group);
    open_ += value - value_[group];
    value_[group] = value;
  }
}

void Lens::pay(Index unit) {
  shift(unit, 1);
}

void Lens::refund(Index unit) {
  shift(unit, -1);
}

void Lens::decide(Index group, std::int64_t gain) {
  decided_[group] = true;
  const Int128 value = -dual_.price[model_->groupDim[group]] * gain;
  open_ += value - value_[group];
  value_[group] = value;
}

void Lens::reopen(Index group) {
  decided_[group] = false;
  const Int128 value = valueOf(group);
  open_ += value - value_[group];
  value_[group] = value;
}

}  // namespace tidegate::recall::solver
