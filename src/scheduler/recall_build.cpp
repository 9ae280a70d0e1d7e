#include "scheduler/recall_build.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "quota/legality.hpp"
#include "scheduler/devices.hpp"
#include "scheduler/order.hpp"

namespace tidegate::scheduler {
using placement::Session;
using placement::Slot;
using placement::Verdict;

namespace {

// The objective, folded into one number. Keys from the most important: disruption budgets broken, GPUs of the
// ceiling's priority, work lost, GPUs stopped, jobs stopped, evictions suffered before, place in the order of
// service. The solver takes sums up to 2^100; a key that outgrows its bits over very many units only blurs
// into the next.
constexpr int kRankBits = 16;  // one unit takes at most 10 of them
constexpr int kEvictionBits = 4;
constexpr int kJobBits = 9;
constexpr int kGpuBits = 17;
constexpr int kLostBits = 30;
constexpr int kTopBits = kRankBits + kEvictionBits + kJobBits + kGpuBits + kLostBits;
constexpr std::int64_t kMostStrain = std::int64_t{1} << 22;

struct CostKeys {
  std::int64_t topGpus = 0;
  std::int64_t lost = 0;
  std::int64_t gpus = 0;
  std::int64_t jobs = 0;
  std::int64_t evictions = 0;
  std::int64_t rank = 0;
};

Int128 foldCost(const CostKeys& keys) {
  auto capped = [](std::int64_t value, int bits) { return std::min(value, (std::int64_t{1} << bits) - 1); };
  Int128 cost = keys.topGpus;
  cost = (cost << kLostBits) + capped(keys.lost, kLostBits);
  cost = (cost << kGpuBits) + capped(keys.gpus, kGpuBits);
  cost = (cost << kJobBits) + capped(keys.jobs, kJobBits);
  cost = (cost << kEvictionBits) + capped(keys.evictions, kEvictionBits);
  return (cost << kRankBits) + capped(keys.rank, kRankBits - 6);
}

class Builder {
 public:
  Builder(Session& session, const Policy& policy, VictimJudge& judge, const Demand& demand,
          const Attempt& attempt)
      : session_(session),
        policy_(policy),
        judge_(judge),
        demand_(demand),
        attempt_(attempt),
        request_(*demand.tasks.front().request) {}

  BuiltProblem build() {
    built_.problem.mode = demand_.mode;
    built_.problem.maxStopped = attempt_.maxStopped;
    chooseSlots();
    chooseDimensions();
    for (const Slot slot : built_.slots) addNode(slot);
    const auto wanted = static_cast<std::int64_t>(demand_.tasks.size());
    built_.problem.podsWanted = std::max<std::int64_t>(0, wanted - podsOnIdle());
    collectGangs();
    addReliefs();
    for (std::size_t i = 0; i < gangs_.size(); ++i) addGang(gangs_[i], rankOf(i));
    weighStrain();
    return std::move(built_);
  }

 private:
  const ClusterState& state() const { return session_.state(); }
  bool isAccelerator(ResourceId r) const { return state().resources().isAccelerator(r); }

  void chooseSlots() {
    const auto& task = demand_.tasks.front();
    auto consider = [&](Slot slot) {
      if (session_.judge(slot, task.constraints) != Verdict::Fits || session_.heldFromQueue(slot, task.queue))
        return;
      if (request_.fitsIn(session_.node(slot).allocatable)) built_.slots.push_back(slot);
    };
    if (demand_.within != nullptr) {
      for (const Slot slot : *demand_.within) consider(slot);
    } else {
      for (Slot slot = 0; slot < session_.slots(); ++slot) consider(slot);
    }
    slotIndex_.assign(session_.slots(), kNone);
    for (std::uint32_t i = 0; i < built_.slots.size(); ++i) slotIndex_[built_.slots[i]] = i;
  }

  // Only resources that are short somewhere matter; accelerators that are asked for always do.
  void chooseDimensions() {
    for (ResourceId r = 0; r < request_.size(); ++r) {
      if (request_[r] <= 0) continue;
      if (!isAccelerator(r) && !isShort(session_, built_.slots, r, request_[r])) continue;
      dimensions_.push_back(r);
      built_.problem.podRequest.push_back(request_[r]);
    }
  }

  bool isDimension(ResourceId r) const { return std::ranges::find(dimensions_, r) != dimensions_.end(); }

  void addNode(Slot slot) {
    recall::Node node;
    for (const ResourceId r : dimensions_)
      node.idle.push_back(std::max<Amount>(0, session_.futureFree(slot, r)));
    const auto& first = demand_.tasks.front();
    if (first.wholeNode && session_.hostsForeign(slot, first.queue)) hideIdle(node);
    node.maxPods = std::numeric_limits<std::int32_t>::max();
    for (ResourceId r = 0; r < request_.size(); ++r) {
      if (request_[r] > 0 && !isDimension(r)) {
        node.maxPods = std::min(node.maxPods, session_.futureFree(slot, r) / request_[r]);
      }
    }
    node.gpus = acceleratorsOf(state().resources(), session_.node(slot).allocatable);
    built_.problem.nodes.push_back(std::move(node));
  }

  // Idle room beside foreign work is of no use to a demand that insists on whole nodes, until the node is
  // whole: it is told to the solver as work that costs nothing to stop.
  void hideIdle(recall::Node& node) {
    recall::Unit unit;
    unit.shares.push_back(
        {.node = static_cast<std::uint32_t>(built_.problem.nodes.size()), .freed = node.idle});
    std::ranges::fill(node.idle, 0);
    built_.problem.units.push_back(std::move(unit));
    built_.sources.emplace_back();
    strained_.push_back(0);
  }

  // Room that is there already: the gain of a plan is counted beyond it.
  std::int64_t podsOnIdle() const {
    std::int64_t sum = 0;
    for (const recall::Node& node : built_.problem.nodes) {
      sum += recall::podsThatFit(node.idle, built_.problem.podRequest, node.maxPods);
    }
    return sum;
  }

  std::int64_t rankOf(std::size_t place) const {
    constexpr std::int64_t kPlaces = (1 << (kRankBits - 6)) - 1;
    const auto count = static_cast<std::int64_t>(gangs_.size());
    return count <= kPlaces ? static_cast<std::int64_t>(place)
                            : static_cast<std::int64_t>(place) * kPlaces / count;
  }

  // Breaking a disruption budget weighs more than all GPUs that a plan could stop, as far as the numbers
  // allow.
  void weighStrain() {
    std::int64_t total = 0;
    for (const auto strain : strained_) total += strain;
    if (total == 0) return;
    const std::int64_t weight =
        std::min<std::int64_t>(1 << 13, std::max<std::int64_t>(1, kMostStrain / total));
    for (std::size_t i = 0; i < strained_.size(); ++i) {
      built_.problem.units[i].cost += static_cast<Int128>(strained_[i] * weight) << kTopBits;
    }
  }

  // Work that matters to the demand: it holds a device, or a resource that is short.
  bool matters(const PodInfo& pod) const {
    return std::ranges::any_of(dimensions_, [&](ResourceId r) { return pod.request[r] > 0; });
  }
  bool holdsAccelerator(const PodInfo& pod) const {
    return acceleratorsOf(state().resources(), pod.request) > 0;
  }

  // Gangs with work on the candidate nodes, last served first; nodes with work that must stay are blocked.
  void collectGangs() {
    std::set<GangId> seen;
    for (std::uint32_t i = 0; i < built_.slots.size(); ++i) {
      for (const PodId id : session_.node(built_.slots[i]).pods) {
        const PodInfo& pod = state().pod(id);
        if (session_.isLeaving(id) || !matters(pod)) continue;
        const auto& victim = judge_.judge(pod.gang);
        const bool may = victim && victim->priority <= attempt_.priorityCeiling && mayStop(*victim, id);
        if (may) {
          seen.insert(victim->gang);
        } else if (holdsAccelerator(pod) && !ownWork(pod)) {
          built_.problem.nodes[i].blocked = true;
        }
      }
    }
    gangs_.assign(seen.begin(), seen.end());
    std::ranges::sort(gangs_, [&](GangId a, GangId b) { return servedBefore(state(), policy_, b, a); });
  }

  bool ownWork(const PodInfo& pod) const {
    return pod.ours && state().gang(pod.gang).queueId == demand_.tasks.front().queue;
  }

  static bool mayStop(const Victim& victim, PodId id) {
    return !victim.core.empty() || std::ranges::find(victim.surplus, id) != victim.surplus.end();
  }

  // Quota ceilings of the claimant and its ancestors that the demand would break: work under them must go
  // first.
  void addReliefs() {
    const auto& tree = session_.quotaFuture();
    const auto wanted = static_cast<Amount>(demand_.tasks.size());
    for (auto queue = demand_.tasks.front().queue; queue != quota::kRoot && queue != quota::kNoQueue;
         queue = tree.parent(queue)) {
      for (ResourceId r = 0; r < request_.size(); ++r) {
        const Amount limit = tree.config(queue).capability[r];
        if (request_[r] <= 0 || limit == kUnlimited) continue;
        const Amount over = tree.used(queue)[r] + wanted * request_[r] - limit;
        if (over <= 0) continue;
        reliefs_.push_back({.queue = queue, .resource = r});
        built_.problem.reliefs.push_back({.need = over});
      }
    }
  }

  bool isUnder(quota::QueueId queue, quota::QueueId ancestor) const {
    const auto& tree = session_.quotaFuture();
    for (; queue != quota::kNoQueue; queue = tree.parent(queue)) {
      if (queue == ancestor) return true;
    }
    return false;
  }

  void addGang(GangId gang, std::int64_t rank) {
    const Victim& victim = *judge_.judge(gang);
    std::vector<std::uint32_t> surplusUnits;
    for (const PodId pod : victim.surplus) {
      if (victim.core.empty() && slotIndex_[session_.slotOf(state().pod(pod).node)] == kNone) continue;
      surplusUnits.push_back(static_cast<std::uint32_t>(built_.problem.units.size()));
      addUnit(victim, {.gang = gang, .core = false, .pods = {pod}}, rank, {});
    }
    if (!victim.core.empty()) {
      addUnit(victim, {.gang = gang, .core = true, .pods = victim.core}, rank, std::move(surplusUnits));
    }
  }

  void addUnit(const Victim& victim, BuiltProblem::UnitSource source, std::int64_t rank,
               std::vector<std::uint32_t> requires_) {
    recall::Unit unit;
    std::map<std::uint32_t, std::vector<Amount>> freed;
    std::int64_t gpus = 0;
    std::int64_t strained = 0;
    for (const PodId id : source.pods) {
      const PodInfo& pod = state().pod(id);
      gpus += gpusOf(state(), id);
      addDraws(unit, id, strained);
      const std::uint32_t index = slotIndex_[session_.slotOf(pod.node)];
      if (index == kNone || !matters(pod)) continue;
      auto& amounts = freed[index];
      amounts.resize(dimensions_.size());
      for (std::size_t d = 0; d < dimensions_.size(); ++d) amounts[d] += pod.request[dimensions_[d]];
    }
    for (auto& [node, amounts] : freed) unit.shares.push_back({.node = node, .freed = std::move(amounts)});
    unit.gpus = gpus * 1000;
    unit.requires_ = std::move(requires_);
    const bool top = victim.priority == attempt_.priorityCeiling;
    const std::int64_t weight = std::max<std::int64_t>(gpus, 1);
    // A shrunk job goes on with fewer pods, and all it redoes is the start; unless it restarts as a whole.
    const std::int64_t lost = source.core ? weight * victim.lostSeconds
                              : victim.restartedGpus > 0
                                  ? victim.restartedGpus * victim.lostSeconds
                                  : weight * std::min(victim.lostSeconds, restartSeconds());
    unit.cost = foldCost({.topGpus = top ? weight : 0,
                          .lost = lost + (source.core ? penaltySeconds() : 0),
                          .gpus = weight,
                          .jobs = source.core || victim.core.empty() ? 1 : 0,
                          .evictions = state().gang(source.gang).evictions,
                          .rank = rank});
    built_.problem.units.push_back(std::move(unit));
    built_.sources.push_back(std::move(source));
    strained_.push_back(strained);
  }

  std::int64_t restartSeconds() const { return std::chrono::floor<seconds>(policy_.restartCost).count(); }
  std::int64_t penaltySeconds() const { return std::chrono::floor<seconds>(policy_.jobPenalty).count(); }

  // Takes `amount` from a budget, made on first use: what a queue may give, or a PodDisruptionBudget.
  static constexpr std::int64_t kLoan = 0;
  static constexpr std::int64_t kDisruption = 1;
  void draw(recall::Unit& unit, std::int64_t kind, quota::QueueId queue, ResourceId r, Amount slack,
            Amount amount, bool straddle) {
    auto [entry, added] = budgetIndex_.try_emplace({kind, queue, r}, built_.problem.budgets.size());
    if (added) {
      built_.problem.budgets.push_back({.slack = slack, .allowStraddle = straddle});
      built_.disruptions.push_back(kind == kDisruption ? judge_.budgets()[queue].name : "");
    }
    addTo(unit.draws, static_cast<std::uint32_t>(entry->second), amount);
  }

  static void addTo(std::vector<recall::Unit::Draw>& list, std::uint32_t index, Amount amount) {
    auto found = std::ranges::find(list, index, &recall::Unit::Draw::budget);
    if (found == list.end())
      list.push_back({.budget = index, .amount = amount});
    else
      found->amount += amount;
  }

  void addDraws(recall::Unit& unit, PodId id, std::int64_t& strained) {
    const PodInfo& pod = state().pod(id);
    const auto lender = state().gang(pod.gang).queueId;
    if (!attempt_.rules.preempt) {
      for (const ResourceId r : attempt_.rules.judged) {
        if (pod.request[r] <= 0) continue;
        for (const auto& slack : slackOf(lender, r)) {
          draw(unit, kLoan, slack.queue, r, slack.amount, pod.request[r], attempt_.allowStraddle);
        }
      }
    }
    for (std::size_t i = 0; i < reliefs_.size(); ++i) {
      const auto& relief = reliefs_[i];
      if (pod.request[relief.resource] > 0 && isUnder(lender, relief.queue)) {
        addTo(unit.reliefs, static_cast<std::uint32_t>(i), pod.request[relief.resource]);
      }
    }
    for (const std::size_t budget : judge_.budgetsOf(id)) {
      const auto& room = judge_.budgets()[budget];
      if (attempt_.rules.sparesBudgets)
        draw(unit, kDisruption, static_cast<quota::QueueId>(budget), 0, room.allowed, 1, false);
      else if (room.allowed < 1)
        ++strained;
    }
  }

  const std::vector<quota::Slack>& slackOf(quota::QueueId lender, ResourceId r) {
    auto [entry, added] = slacks_.try_emplace({lender, r});
    if (added) entry->second = quota::slack(session_.quotaFuture(), lender, attempt_.rules.claimant, r);
    return entry->second;
  }

  struct ReliefOf {
    quota::QueueId queue;
    ResourceId resource;
  };

  Session& session_;
  const Policy& policy_;
  VictimJudge& judge_;
  const Demand& demand_;
  const Attempt& attempt_;
  const ResourceVec& request_;
  BuiltProblem built_;
  std::vector<ResourceId> dimensions_;
  std::vector<std::uint32_t> slotIndex_;
  std::vector<GangId> gangs_;
  std::vector<ReliefOf> reliefs_;
  std::vector<std::int64_t> strained_;  // per unit: budgets that stopping it breaks
  std::map<std::tuple<std::int64_t, quota::QueueId, ResourceId>, std::size_t> budgetIndex_;
  std::map<std::pair<quota::QueueId, ResourceId>, std::vector<quota::Slack>> slacks_;
};

}  // namespace

BuiltProblem buildProblem(Session& session, const Policy& policy, VictimJudge& judge, const Demand& demand,
                          const Attempt& attempt) {
  return Builder(session, policy, judge, demand, attempt).build();
}

}  // namespace tidegate::scheduler
