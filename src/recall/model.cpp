#include "recall/model.hpp"

namespace tidegate::recall::solver {

Rows<Index> positionsByValue(const Rows<Index>& rows, std::size_t values) {
  std::vector<Index> next(values + 1, 0);
  for (Index p = 0; p < rows.valueCount(); ++p) ++next[rows.value(p) + 1];
  for (std::size_t v = 0; v < values; ++v) next[v + 1] += next[v];
  std::vector<Index> sorted(rows.valueCount());
  std::vector<Index> ends(next.begin() + 1, next.end());
  for (Index p = 0; p < rows.valueCount(); ++p) sorted[next[rows.value(p)]++] = p;
  Rows<Index> result;
  std::size_t position = 0;
  for (std::size_t v = 0; v < values; ++v) {
    for (; position < ends[v]; ++position) result.push(sorted[position]);
    result.endRow();
  }
  return result;
}

void Model::index() {
  edgeGroup.resize(groupUnits.valueCount());
  optionGroup.resize(optionCount());
  for (Index g = 0; g < groupCount(); ++g) {
    std::fill(edgeGroup.begin() + groupUnits.begin(g), edgeGroup.begin() + groupUnits.end(g), g);
    std::fill(optionGroup.begin() + optionBegin[g], optionGroup.begin() + optionBegin[g + 1], g);
  }
  unitEdges = positionsByValue(groupUnits, unitCount());
  const Rows<Index> positions = positionsByValue(optionEdges, groupUnits.valueCount());
  std::vector<Index> optionAt(optionEdges.valueCount());
  for (Index o = 0; o < optionCount(); ++o)
    std::fill(optionAt.begin() + optionEdges.begin(o), optionAt.begin() + optionEdges.end(o), o);
  edgeOptions = {};
  for (Index e = 0; e < groupUnits.valueCount(); ++e) {
    for (Index position : positions[e]) edgeOptions.push(optionAt[position]);
    edgeOptions.endRow();
  }
}

namespace {

// Copies groups of one model into another, keeping some options and what those need.
class Restriction {
 public:
  Restriction(const Model& from, const std::vector<bool>& keepOption)
      : from_(from), keepOption_(keepOption), newUnit_(from.unitCount(), kNoIndex) {}

  Model run() {
    to_.need = from_.need;
    to_.limits = from_.limits;
    for (Index g = 0; g < from_.groupCount(); ++g) addGroup(g);
    for (Index u : units_) addUnit(u);
    to_.index();
    return std::move(to_);
  }

 private:
  void addGroup(Index group) {
    std::vector<Index> options;
    for (Index o = from_.optionBegin[group]; o < from_.optionBegin[group + 1]; ++o)
      if (keepOption_[o]) options.push_back(o);
    if (options.empty() && from_.spareGain[group] == 0) return;
    newEdge_.assign(from_.groupUnits[group].size(), kNoIndex);
    const Index base = from_.groupUnits.begin(group);
    for (Index o : options) {
      for (Index edge : from_.optionEdges[o]) to_.optionEdges.push(addEdge(edge, edge - base));
      to_.optionEdges.endRow();
      to_.optionGain.push_back(from_.optionGain[o]);
    }
    to_.groupUnits.endRow();
    to_.groupDim.push_back(from_.groupDim[group]);
    to_.spareGain.push_back(from_.spareGain[group]);
    to_.optionBegin.push_back(static_cast<Index>(to_.optionGain.size()));
  }

  Index addEdge(Index edge, Index local) {
    if (newEdge_[local] != kNoIndex) return newEdge_[local];
    const Index unit = from_.groupUnits.value(edge);
    if (newUnit_[unit] == kNoIndex) {
      newUnit_[unit] = static_cast<Index>(units_.size());
      units_.push_back(unit);
    }
    newEdge_[local] = static_cast<Index>(to_.groupUnits.valueCount());
    to_.groupUnits.push(newUnit_[unit]);
    to_.edgeSize.push_back(from_.edgeSize[edge]);
    return newEdge_[local];
  }

  void addUnit(Index unit) {
    to_.cost.push_back(from_.cost[unit]);
    to_.origin.push_back(from_.origin[unit]);
    for (const Draw& draw : from_.draws[unit]) to_.draws.push(draw);
    to_.draws.endRow();
    for (Index dependent : from_.dependents[unit])
      if (newUnit_[dependent] != kNoIndex) to_.dependents.push(newUnit_[dependent]);
    to_.dependents.endRow();
  }

  const Model& from_;
  const std::vector<bool>& keepOption_;
  std::vector<Index> newUnit_, newEdge_, units_;
  Model to_;
};

}  // namespace

Model restrictTo(const Model& model, const std::vector<bool>& keepOption) {
  return Restriction(model, keepOption).run();
}

}  // namespace tidegate::recall::solver
