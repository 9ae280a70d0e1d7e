#include <numeric>
#include <tuple>

#include "recall/model.hpp"
#include "recall/partial_options.hpp"

namespace tidegate::recall::solver {
namespace {

constexpr std::size_t kSetsInAll = 1 << 18;

// Turns a Problem into a Model. Units that could never be stopped legally are left out, and with them every
// node or option that would need them.
class Builder {
 public:
  Builder(const Problem& problem, const std::vector<bool>& worthNode)
      : p_(problem), worthNode_(worthNode), modelUnit_(problem.units.size(), kNoIndex) {}

  Built run() {
    setUpLimits();
    orderInput();
    closeRequires();
    findUnusable();
    if (p_.mode == Mode::WholeNode) foldPrivateUnits();
    for (Index u : unitOrder_)
      if (modelUnit_[u] == kNoIndex && !out_.unusable[u]) addUnit({&u, 1});
    for (Index n : nodeOrder_) {
      if (!worthNode_.empty() && !worthNode_[n]) continue;
      if (p_.mode == Mode::WholeNode)
        addWholeNode(n);
      else
        addPartialNode(n);
    }
    addReliefs();
    addDependents();
    out_.model.index();
    return std::move(out_);
  }

 private:
  const Unit& unit(Index u) const { return p_.units[u]; }
  Index stopLimit() const { return static_cast<Index>(p_.budgets.size()); }

  void setUpLimits() {
    Model& m = out_.model;
    m.need.push_back(p_.podsWanted);
    for (const Relief& relief : p_.reliefs) m.need.push_back(relief.need);
    m.limits = p_.budgets;
    m.limits.push_back({.slack = p_.maxStopped});
  }

  // Units by cost, nodes by their units: where costs differ, the order of the input does not show in the
  // model.
  void orderInput() {
    unitOrder_.resize(p_.units.size());
    std::iota(unitOrder_.begin(), unitOrder_.end(), 0);
    std::ranges::stable_sort(unitOrder_, {}, [&](Index u) { return unit(u).cost; });
    std::vector<std::vector<Index>> ranks(p_.nodes.size());
    onNode_.resize(p_.nodes.size());
    for (Index rank = 0; rank < unitOrder_.size(); ++rank) {
      for (const Unit::Share& share : unit(unitOrder_[rank]).shares) {
        onNode_[share.node].push_back(unitOrder_[rank]);
        ranks[share.node].push_back(rank);
      }
    }
    for (Index n = 0; n < p_.nodes.size(); ++n)
      if (!onNode_[n].empty()) nodeOrder_.push_back(n);
    std::ranges::stable_sort(nodeOrder_, [&](Index a, Index b) {
      return std::tie(ranks[a], p_.nodes[a].idle, p_.nodes[a].maxPods) <
             std::tie(ranks[b], p_.nodes[b].idle, p_.nodes[b].maxPods);
    });
  }

  // closure_[u]: all units that must be stopped with u (not u itself), and the reverse.
  void closeRequires() {
    closure_.resize(p_.units.size());
    requiredBy_.resize(p_.units.size());
    std::vector<Index> seen(p_.units.size(), kNoIndex);
    for (Index u : unitOrder_) {
      if (unit(u).requires_.empty()) continue;
      seen[u] = u;
      std::vector<Index> open = {u};
      while (!open.empty()) {
        const Index v = open.back();
        open.pop_back();
        for (Index needed : unit(v).requires_) {
          if (seen[needed] == u) continue;
          seen[needed] = u;
          open.push_back(needed);
          closure_[u].push_back(needed);
          requiredBy_[needed].push_back(u);
        }
      }
    }
  }

  void findUnusable() {
    out_.unusable.assign(p_.units.size(), false);
    out_.breaksBudget.assign(out_.model.limits.size(), false);
    for (Index u = 0; u < p_.units.size(); ++u) {
      std::vector<Draw> sums;
      addDraws(u, sums);
      for (Index v : closure_[u]) addDraws(v, sums);
      for (const Draw& draw : sums) {
        if (withinBudget(out_.model.limits[draw.limit], draw.amount, draw.largest)) continue;
        out_.unusable[u] = true;
        out_.breaksBudget[draw.limit] = true;
      }
    }
  }

  // Adds what the unit draws to the sums, one per limit.
  void addDraws(Index u, std::vector<Draw>& sums) const {
    const auto add = [&](Index limit, Amount amount) {
      if (amount == 0) return;
      auto draw = std::ranges::find(sums, limit, &Draw::limit);
      if (draw == sums.end()) draw = sums.insert(sums.end(), {.limit = limit});
      draw->amount = saturatingAdd(draw->amount, amount);
      draw->largest = std::max(draw->largest, amount);
    };
    for (const Unit::Draw& draw : unit(u).draws) add(draw.budget, draw.amount);
    if (p_.maxStopped != kUnlimited) add(stopLimit(), unit(u).gpus);
  }

  // A unit that no other node, ceiling or unit has to do with.
  bool isPrivate(Index u) const {
    return unit(u).shares.size() == 1 && unit(u).reliefs.empty() && closure_[u].empty() &&
           requiredBy_[u].empty();
  }

  // The private units of a node are stopped together or not at all when only whole nodes count: they become
  // one.
  void foldPrivateUnits() {
    std::vector<Index> together;
    for (Index n : nodeOrder_) {
      together.clear();
      if (p_.nodes[n].blocked) continue;
      for (Index u : onNode_[n])
        if (isPrivate(u) && !out_.unusable[u]) together.push_back(u);
      if (!together.empty()) addUnit(together);
    }
  }

  void addUnit(std::span<const Index> members) {
    Model& m = out_.model;
    Int128 cost = 0;
    std::vector<Draw> draws;
    for (Index u : members) {
      modelUnit_[u] = static_cast<Index>(m.unitCount());
      cost += unit(u).cost;
      addDraws(u, draws);
      out_.members.push(u);
    }
    out_.members.endRow();
    m.origin.push_back(static_cast<Index>(m.unitCount()));
    m.cost.push_back(cost);
    for (const Draw& draw : draws) m.draws.push(draw);
    m.draws.endRow();
  }

  // Starts a group; units are added by edgeTo, options by endOption.
  void beginGroup() {
    groupBegin_ = static_cast<Index>(out_.model.groupUnits.valueCount());
    edgeOf_.resize(out_.model.unitCount(), kNoIndex);
  }

  void useUnit(Index u, Index node) {
    use(u, node);
    for (Index v : closure_[u]) use(v, node);
  }

  void use(Index u, Index node) {
    Model& m = out_.model;
    Index& edge = edgeOf_[modelUnit_[u]];
    if (edge == kNoIndex || edge < groupBegin_) {
      edge = static_cast<Index>(m.groupUnits.valueCount());
      m.groupUnits.push(modelUnit_[u]);
      m.edgeSize.push_back(1 + sizeOn(u, node));
    }
    optionEdges_.push_back(edge);
  }

  // Thousandths of pods that the unit's share alone would make room for, averaged over the dimensions.
  Amount sizeOn(Index u, Index node) const {
    const std::vector<Unit::Share>& shares = unit(u).shares;
    const auto share = std::ranges::lower_bound(shares, node, {}, &Unit::Share::node);
    if (share == shares.end() || share->node != node) return 0;
    double size = 0;
    for (std::size_t d = 0; d < p_.podRequest.size(); ++d)
      size += static_cast<double>(share->freed[d]) / static_cast<double>(p_.podRequest[d]);
    return static_cast<Amount>(std::min(1e12, size * 1000 / static_cast<double>(p_.podRequest.size())));
  }

  void endOption(std::int64_t gain) {
    std::ranges::sort(optionEdges_);
    const auto repeated = std::ranges::unique(optionEdges_);
    optionEdges_.erase(repeated.begin(), repeated.end());
    for (Index edge : optionEdges_) out_.model.optionEdges.push(edge);
    out_.model.optionEdges.endRow();
    out_.model.optionGain.push_back(gain);
    optionEdges_.clear();
  }

  void endGroup(Index dim, std::int64_t spareGain) {
    Model& m = out_.model;
    m.groupUnits.endRow();
    m.groupDim.push_back(dim);
    m.optionBegin.push_back(static_cast<Index>(m.optionCount()));
    m.spareGain.push_back(spareGain);
  }

  void addWholeNode(Index n) {
    const Node& node = p_.nodes[n];
    if (node.blocked) return;
    std::vector<Amount> after = node.idle;
    for (Index u : onNode_[n]) {
      if (out_.unusable[u]) return;
      const std::vector<Unit::Share>& shares = unit(u).shares;
      const auto share = std::ranges::lower_bound(shares, n, {}, &Unit::Share::node);
      for (std::size_t d = 0; d < after.size(); ++d) after[d] += share->freed[d];
    }
    const std::int64_t gain =
        podsThatFit(after, p_.podRequest, node.maxPods) - podsThatFit(node.idle, p_.podRequest, node.maxPods);
    if (gain <= 0 || p_.podsWanted <= 0) return;
    beginGroup();
    for (Index u : onNode_[n]) useUnit(u, n);
    endOption(std::min(gain, p_.podsWanted));
    endGroup(0, 0);
  }

  void addPartialNode(Index n) {
    if (p_.podsWanted <= 0) return;
    std::vector<LocalUnit> local;
    std::vector<Index> examples;  // of each kind
    for (Index u : onNode_[n]) {
      if (out_.unusable[u]) continue;
      const auto share = std::ranges::lower_bound(unit(u).shares, n, {}, &Unit::Share::node);
      local.push_back({.unit = u,
                       .kind = kindOf(u, examples),
                       .cost = unit(u).cost,
                       .freed = share->freed,
                       .draws = unit(u).draws,
                       .gpus = unit(u).gpus});
    }
    const Choices choices = partialChoices(p_, p_.nodes[n], local, maxSets());
    if (choices.list.empty() && choices.spareGain == 0) return;
    beginGroup();
    for (const Choice& choice : choices.list) {
      for (Index i : choice.local) useUnit(local[i].unit, n);
      endOption(choice.gain);
    }
    endGroup(0, choices.spareGain);
  }

  // A small cluster may have its crowded nodes looked at more closely.
  int maxSets() const {
    return static_cast<int>(std::clamp<std::size_t>(kSetsInAll / p_.nodes.size(), 4096, 32768));
  }

  Index kindOf(Index u, std::vector<Index>& examples) const {
    if (!isPrivate(u)) return kNoIndex;
    const auto same = [&](Index v) {
      return unit(u).shares[0].freed == unit(v).shares[0].freed && unit(u).gpus == unit(v).gpus &&
             std::ranges::equal(unit(u).draws, unit(v).draws, [](const Unit::Draw& a, const Unit::Draw& b) {
               return a.budget == b.budget && a.amount == b.amount;
             });
    };
    const auto it = std::ranges::find_if(examples, same);
    if (it != examples.end()) return static_cast<Index>(it - examples.begin());
    examples.push_back(u);
    return static_cast<Index>(examples.size() - 1);
  }

  void addReliefs() {
    for (Index u : unitOrder_) {
      if (out_.unusable[u]) continue;
      for (const Unit::Draw& relief : unit(u).reliefs) {
        const Amount need = p_.reliefs[relief.budget].need;
        if (relief.amount <= 0 || need <= 0) continue;
        beginGroup();
        useUnit(u, kNoIndex);
        endOption(std::min(relief.amount, need));
        endGroup(relief.budget + 1, 0);
      }
    }
  }

  void addDependents() {
    Model& m = out_.model;
    std::vector<std::vector<Index>> dependents(m.unitCount());
    for (Index u : unitOrder_) {
      if (modelUnit_[u] == kNoIndex) continue;
      for (Index v : requiredBy_[u])
        if (modelUnit_[v] != kNoIndex) dependents[modelUnit_[u]].push_back(modelUnit_[v]);
    }
    for (const std::vector<Index>& row : dependents) {
      for (Index v : row) m.dependents.push(v);
      m.dependents.endRow();
    }
  }

  const Problem& p_;
  const std::vector<bool>& worthNode_;
  Built out_;
  std::vector<Index> modelUnit_;  // of each problem unit
  std::vector<Index> unitOrder_, nodeOrder_;
  std::vector<std::vector<Index>> closure_, requiredBy_, onNode_;
  Index groupBegin_ = 0;       // first edge of the group being built
  std::vector<Index> edgeOf_;  // per model unit: its edge, if not before groupBegin_
  std::vector<Index> optionEdges_;
};

}  // namespace

Built build(const Problem& problem, const std::vector<bool>& worthNode) {
  return Builder(problem, worthNode).run();
}

}  // namespace tidegate::recall::solver
