#include "recall/share_flow.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::recall::solver {

ShareFlow::ShareFlow(const Model& model, Dual start)
    : model_(model),
      weight_(std::move(start.weight)),
      price_(model.need.size(), 0),
      flow_(std::move(start.share)),
      spare_(weight_),
      excess_(model.groupCount(), 0),
      groupLevel_(model.groupCount()),
      unitLevel_(model.unitCount()),
      groupArc_(model.groupCount()),
      unitArc_(model.unitCount()) {
  for (Index e = 0; e < flow_.size(); ++e) {
    spare_[model.groupUnits.value(e)] -= flow_[e];
    excess_[model.edgeGroup[e]] -= flow_[e];
  }
}

void ShareFlow::setPrices(const std::vector<Int128>& price) {
  for (Index g = 0; g < model_.groupCount(); ++g) {
    const Index dim = model_.groupDim[g];
    excess_[g] += (price[dim] - price_[dim]) * model_.optionGain[g];
    // Paid more than it may now: take it back, the last edges first.
    for (Index e = model_.groupUnits.end(g); e > model_.groupUnits.begin(g) && excess_[g] < 0; --e) {
      const Int128 back = std::min(flow_[e - 1], -excess_[g]);
      flow_[e - 1] -= back;
      excess_[g] += back;
      spare_[model_.groupUnits.value(e - 1)] += back;
    }
  }
  price_ = price;
}

// Breadth first from the groups with excess. True if a unit with spare weight is reached.
bool ShareFlow::findLevels() {
  std::ranges::fill(groupLevel_, kNoIndex);
  std::ranges::fill(unitLevel_, kNoIndex);
  queue_.clear();
  for (Index g = 0; g < model_.groupCount(); ++g) {
    if (excess_[g] <= 0) continue;
    groupLevel_[g] = 0;
    queue_.push_back(g);
  }
  Index spareLevel = kNoIndex;
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const Index group = queue_[head];
    if (spareLevel != kNoIndex && groupLevel_[group] > spareLevel) break;
    for (Index unit : model_.groupUnits[group]) {
      if (unitLevel_[unit] != kNoIndex) continue;
      unitLevel_[unit] = groupLevel_[group];
      if (spare_[unit] > 0) spareLevel = unitLevel_[unit];
      for (Index edge : model_.unitEdges[unit]) {
        const Index payer = model_.edgeGroup[edge];
        if (flow_[edge] <= 0 || groupLevel_[payer] != kNoIndex) continue;
        groupLevel_[payer] = unitLevel_[unit] + 1;
        queue_.push_back(payer);
      }
    }
  }
  return spareLevel != kNoIndex;
}

Int128 ShareFlow::pushFromGroup(Index group, Int128 amount) {
  Int128 placed = 0;
  for (Index& e = groupArc_[group]; e < model_.groupUnits.end(group); ++e) {
    const Index unit = model_.groupUnits.value(e);
    if (unitLevel_[unit] != groupLevel_[group]) continue;
    const Int128 pushed = pushFromUnit(unit, amount - placed);
    flow_[e] += pushed;
    placed += pushed;
    if (placed == amount) break;
  }
  return placed;
}

// Another payer steps back for us and pays elsewhere.
Int128 ShareFlow::pushFromUnit(Index unit, Int128 amount) {
  Int128 placed = std::min(spare_[unit], amount);
  spare_[unit] -= placed;
  if (placed == amount) return placed;
  const auto edges = model_.unitEdges[unit];
  for (Index& i = unitArc_[unit]; i < edges.size(); ++i) {
    const Index edge = edges[i];
    if (flow_[edge] <= 0 || groupLevel_[model_.edgeGroup[edge]] != unitLevel_[unit] + 1) continue;
    const Int128 pushed = pushFromGroup(model_.edgeGroup[edge], std::min(amount - placed, flow_[edge]));
    flow_[edge] -= pushed;
    placed += pushed;
    if (placed == amount) break;
  }
  return placed;
}

std::vector<Index> ShareFlow::cut(const std::vector<Int128>& price) {
  setPrices(price);
  while (findLevels()) {
    for (Index g = 0; g < model_.groupCount(); ++g) groupArc_[g] = model_.groupUnits.begin(g);
    std::ranges::fill(unitArc_, 0);
    for (Index g = 0; g < model_.groupCount(); ++g)
      if (groupLevel_[g] == 0) excess_[g] -= pushFromGroup(g, excess_[g]);
  }
  std::vector<Index> taken;
  for (Index g = 0; g < model_.groupCount(); ++g)
    if (groupLevel_[g] != kNoIndex) taken.push_back(g);
  return taken;
}

Dual ShareFlow::dual() const {
  Dual dual{.weight = weight_, .share = flow_, .price = price_};
  for (Index u = 0; u < model_.unitCount(); ++u) {
    const auto edges = model_.unitEdges[u];
    if (spare_[u] == 0 || edges.empty()) continue;
    const Int128 part = spare_[u] / static_cast<Int128>(edges.size());
    for (Index edge : edges) dual.share[edge] += part;
    dual.share[edges[0]] += spare_[u] - part * static_cast<Int128>(edges.size());
  }
  return dual;
}

}  // namespace tidegate::recall::solver
