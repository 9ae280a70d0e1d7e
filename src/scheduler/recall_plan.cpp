#include "scheduler/recall_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "quota/legality.hpp"
#include "scheduler/devices.hpp"

namespace tidegate::scheduler {
using placement::Session;
using placement::Slot;
using placement::Task;

namespace {

// The first items whose tasks number at most `most`: required ones whole, extras as far as they go, unless
// what their gang needs is left out.
std::vector<Task> selectUpTo(const Session& session, const std::vector<WorkItem>& batch, std::int64_t most) {
  std::vector<Task> tasks;
  std::set<GangId> leftOut;
  for (const WorkItem& item : batch) {
    std::vector<Task> waiting;
    std::ranges::copy_if(item.tasks, std::back_inserter(waiting),
                         [&](const Task& task) { return !session.isPlaced(task.pod); });
    const auto room = static_cast<std::size_t>(most) - tasks.size();
    if (item.required && waiting.size() > room) leftOut.insert(item.gang);
    if (leftOut.contains(item.gang)) continue;
    const auto take = static_cast<std::ptrdiff_t>(std::min(waiting.size(), room));
    tasks.insert(tasks.end(), waiting.begin(), waiting.begin() + take);
  }
  return tasks;
}

std::int64_t countWaiting(const Session& session, const std::vector<WorkItem>& batch) {
  std::int64_t count = 0;
  for (const WorkItem& item : batch) {
    count += std::ranges::count_if(item.tasks, [&](const Task& task) { return !session.isPlaced(task.pod); });
  }
  return count;
}

// Resources that a recall for this request is judged on: devices where it asks for any, else what is short.
std::vector<ResourceId> judgedResources(const Session& session, const ResourceVec& request) {
  std::vector<ResourceId> accelerators = acceleratorsIn(session.state().resources(), request);
  if (!accelerators.empty()) return accelerators;
  std::vector<Slot> everywhere(session.slots());
  std::iota(everywhere.begin(), everywhere.end(), Slot{0});
  std::vector<ResourceId> others;
  for (ResourceId r = 0; r < request.size(); ++r) {
    const bool asked = request[r] > 0 && r != ResourceTable::kPods;
    if (asked && isShort(session, everywhere, r, request[r])) others.push_back(r);
  }
  return others;
}

ResourceVec largestRequest(const std::vector<WorkItem>& batch) {
  ResourceVec largest;
  for (const WorkItem& item : batch) {
    for (const Task& task : item.tasks) {
      for (ResourceId r = 0; r < task.request->size(); ++r)
        largest.set(r, std::max(largest[r], (*task.request)[r]));
    }
  }
  return largest;
}

// Keys of a plan in the order of the objective; smaller is cheaper. Of equals the one whose victims are
// served later.
struct PlanRank {
  std::vector<std::pair<std::int32_t, std::int64_t>> gpusByPriority;  // most important first
  std::int64_t lost = 0;
  std::int64_t gpus = 0;
  std::int32_t jobs = 0;
  std::int32_t evictions = 0;
  GangId firstServed = kNone;  // of the victims

  static PlanRank of(PlanContext context, const AttemptResult& result) {
    PlanRank rank;
    std::map<std::int32_t, std::int64_t, std::greater<>> gpus;
    for (const auto& recall : result.recalls) {
      for (const auto& [priority, count] : recall.cost.gpusByPriority) gpus[priority] += count;
      rank.lost += recall.cost.lostGpuSeconds;
      rank.gpus += recall.cost.gpusStopped;
      rank.jobs += recall.cost.jobs;
      rank.evictions += recall.cost.evictedBefore;
      for (const auto& victim : recall.victims) {
        const bool sooner = rank.firstServed == kNone || servedBefore(context.session.state(), context.policy,
                                                                      victim.gang, rank.firstServed);
        if (sooner) rank.firstServed = victim.gang;
      }
    }
    rank.gpusByPriority.assign(gpus.begin(), gpus.end());
    return rank;
  }

  bool cheaperThan(PlanContext context, const PlanRank& other) const {
    const auto left = std::tie(gpusByPriority, lost, gpus, jobs, evictions);
    const auto right = std::tie(other.gpusByPriority, other.lost, other.gpus, other.jobs, other.evictions);
    if (left != right) return left < right;
    return firstServed != kNone && other.firstServed != kNone &&
           servedBefore(context.session.state(), context.policy, other.firstServed, firstServed);
  }
};

// A HyperNode-bound gang is tried in each domain, and the cheapest plan kept; others in the whole cluster.
AttemptResult serveInDomains(PlanContext context, const Attempt& attempt, const std::vector<Task>& tasks) {
  const auto domains = placement::domainsOf(context.session, tasks.front().gang);
  if (!domains) return serve(context, attempt, tasks, nullptr);
  const Session::Mark mark = context.session.mark();
  std::optional<std::pair<PlanRank, const std::vector<Slot>*>> best;
  AttemptResult last;
  last.reason = "no HyperNode of the allowed tier can hold the gang";
  for (const auto& domain : *domains) {
    AttemptResult result = serve(context, attempt, tasks, &domain);
    context.session.rollback(mark);
    if (!result.ok) {
      last = std::move(result);
      continue;
    }
    PlanRank rank = PlanRank::of(context, result);
    if (!best || rank.cheaperThan(context, best->first)) best = {std::move(rank), &domain};
  }
  return best ? serve(context, attempt, tasks, best->second) : last;
}

// Tries attempts in order; the first that works is kept. Otherwise the most that any could have served is
// told.
AttemptResult serveByFirst(PlanContext context, const std::vector<Attempt>& attempts,
                           const std::vector<Task>& tasks) {
  AttemptResult failed;
  for (const Attempt& attempt : attempts) {
    AttemptResult result = serveInDomains(context, attempt, tasks);
    if (result.ok) return result;
    failed.possible = std::max(failed.possible, result.possible);
    if (!result.reason.empty()) failed.reason = result.reason;
  }
  return failed;
}

// How much to try next after `size` tasks could not be served, of which at most `possible` can be.
std::int64_t smallerWant(std::int64_t size, std::int64_t possible) {
  return possible < size ? possible : size / 2;
}

class Reclaimer {
 public:
  Reclaimer(PlanContext context, const std::vector<WorkItem>& batch)
      : context_(context),
        session_(context.session),
        batch_(batch),
        queue_(batch.front().queue),
        request_(largestRequest(batch)),
        judged_(judgedResources(session_, request_)) {}

  BatchOutcome run() {
    if (judged_.empty()) {
      outcome_.reason = "nothing that it asks for is short anywhere: a recall would not help";
      return std::move(outcome_);
    }
    const auto& tree = session_.quotaFuture();
    for (auto scope = quota::kRoot;;) {
      serveScope(scope);
      if (countWaiting(session_, batch_) == 0) {
        outcome_.reason.clear();
        break;
      }
      // One step down towards the queue; its own children lend nothing to it.
      auto next = queue_;
      while (next != quota::kNoQueue && tree.parent(next) != scope) next = tree.parent(next);
      if (next == quota::kNoQueue || next == queue_) break;
      scope = next;
    }
    return std::move(outcome_);
  }

 private:
  // Tasks that the queue and its ancestors below `scope` may still claim.
  std::int64_t claimable(quota::QueueId scope) const {
    const auto& tree = session_.quotaFuture();
    std::int64_t most = countWaiting(session_, batch_);
    for (auto queue = queue_; queue != scope && queue != quota::kNoQueue; queue = tree.parent(queue)) {
      for (const ResourceId r : judged_) {
        const Amount left = tree.entitlement(queue)[r] - tree.used(queue)[r];
        most = std::min(most, std::max<Amount>(0, left) / request_[r]);
      }
    }
    return most;
  }

  // Tasks that a guarantee backs: every declared guarantee on the way up has room for them, and there is one.
  std::int64_t guaranteed(quota::QueueId scope) const {
    const auto& tree = session_.quotaFuture();
    std::int64_t most = countWaiting(session_, batch_);
    bool declared = false;
    for (auto queue = queue_; queue != scope && queue != quota::kNoQueue; queue = tree.parent(queue)) {
      const ResourceVec guarantee = tree.guarantee(queue);
      for (const ResourceId r : judged_) {
        if (tree.config(queue).guarantee[r] <= 0) continue;
        declared = true;
        most = std::min(most, std::max<Amount>(0, guarantee[r] - tree.used(queue)[r]) / request_[r]);
      }
    }
    return declared ? most : 0;
  }

  void serveScope(quota::QueueId scope) {
    constexpr int kMostTries = 12;
    std::int64_t want = claimable(scope);
    if (want == 0) {
      if (outcome_.reason.empty()) outcome_.reason = noClaim(scope);
      return;
    }
    if (want < countWaiting(session_, batch_)) outcome_.reason = noClaim(scope);
    for (int tries = 0; want > 0 && tries < kMostTries; ++tries) {
      const std::vector<Task> tasks = selectUpTo(session_, batch_, want);
      if (tasks.empty()) break;
      const auto size = static_cast<std::int64_t>(tasks.size());
      const bool emergency = size <= guaranteed(scope);
      AttemptResult result = serveByFirst(context_, attemptsFor(scope, tasks, emergency), tasks);
      if (result.ok) {
        keep(std::move(result), emergency);
        want = claimable(scope);
        continue;
      }
      outcome_.reason = result.reason;
      want = smallerWant(size, result.possible);
      // What a guarantee backs may go further than the whole.
      if (!emergency && result.possible > 0) want = std::max(want, std::min(guaranteed(scope), size - 1));
    }
  }

  std::vector<Attempt> attemptsFor(quota::QueueId scope, const std::vector<Task>& tasks,
                                   bool emergency) const {
    const auto& config = session_.quotaFuture().config(queue_);
    Attempt base;
    base.rules.claimant = queue_;
    base.rules.scope = scope;
    base.rules.judged = judged_;
    base.rules.deadline = config.recallDeadline.value_or(context_.policy.recallDeadline);
    std::vector<Attempt> attempts = {base};
    if (emergency) {
      base.rules.sparesYoung = false;
      attempts.push_back(base);
      if (context_.policy.overrideBudgets && !session_.state().budgets().empty()) {
        base.rules.sparesBudgets = false;
        attempts.push_back(base);
      }
      base.allowStraddle = true;
      attempts.push_back(base);
      return tasks.front().wholeNode ? attempts : wholeNodesFirst(std::move(attempts));
    }
    Amount delivered = 0;
    for (const Task& task : tasks) delivered += acceleratorsOf(session_.state().resources(), *task.request);
    base.allowStraddle = true;
    if (delivered > 0) {
      const double ratio = config.straddleRatio.value_or(context_.policy.straddleRatio);
      base.maxStopped = static_cast<Amount>(static_cast<double>(delivered) * ratio);
    }
    attempts.push_back(base);
    return attempts;
  }

  // What a guarantee backs gets whole nodes by any of the attempts before it is stitched together from shared
  // ones.
  static std::vector<Attempt> wholeNodesFirst(std::vector<Attempt> attempts) {
    std::vector<Attempt> out = attempts;
    for (Attempt& attempt : out) attempt.wholeOnly = true;
    out.insert(out.end(), attempts.begin(), attempts.end());
    return out;
  }

  void keep(AttemptResult result, bool emergency) {
    outcome_.pipelined.insert(outcome_.pipelined.end(), result.placed.begin(), result.placed.end());
    for (RecallDecision& recall : result.recalls) {
      recall.guaranteeBacked = emergency;
      outcome_.recalls.push_back(std::move(recall));
    }
  }

  std::string noClaim(quota::QueueId scope) const {
    const auto& tree = session_.quotaFuture();
    const ResourceTable& table = session_.state().resources();
    for (auto queue = queue_; queue != scope && queue != quota::kNoQueue; queue = tree.parent(queue)) {
      for (const ResourceId r : judged_) {
        const Amount entitled = tree.entitlement(queue)[r];
        const Amount used = tree.used(queue)[r];
        if (used + request_[r] <= entitled) continue;
        return fmt::format(
            "queue {} uses {} of the {} {} it is entitled to: {} more would be borrowed, and {}",
            tree.config(queue).name, table.format(r, used), table.format(r, entitled), table.name(r),
            table.format(r, request_[r]), idleText(r));
      }
    }
    return "its gang asks for more than its queue may claim";
  }

  // Why what is idle is of no use to it.
  std::string idleText(ResourceId r) const {
    const ResourceTable& table = session_.state().resources();
    Amount idle = 0;
    Amount most = 0;
    for (placement::Slot slot = 0; slot < session_.slots(); ++slot) {
      const Amount here = std::max<Amount>(0, session_.futureFree(slot, r));
      idle += here;
      most = std::max(most, here);
    }
    if (idle == 0) return "nothing is idle";
    if (most >= request_[r]) {
      return fmt::format("the {} idle are kept for others or not where it may run", table.format(r, idle));
    }
    return fmt::format("of the {} idle no node has more than {}", table.format(r, idle),
                       table.format(r, most));
  }

  PlanContext context_;
  Session& session_;
  const std::vector<WorkItem>& batch_;
  quota::QueueId queue_;
  ResourceVec request_;
  std::vector<ResourceId> judged_;
  BatchOutcome outcome_;
};

}  // namespace

bool isLuxury(const Session& session, const WorkItem& item) {
  return !item.required && !session.state().gang(item.gang).implicit;
}

BatchOutcome planReclaim(PlanContext context, const std::vector<WorkItem>& batch) {
  return Reclaimer(context, batch).run();
}

BatchOutcome planPreempt(PlanContext context, const std::vector<WorkItem>& batch) {
  constexpr int kMostTries = 12;
  Session& session = context.session;
  Attempt strict;
  strict.rules.claimant = batch.front().queue;
  strict.rules.preempt = true;
  strict.rules.sparesCores = isLuxury(session, batch.front());
  strict.rules.priority = session.state().gang(batch.front().gang).priority;
  strict.rules.deadline = context.policy.recallDeadline;
  std::vector<Attempt> attempts = {strict};
  if (!session.state().budgets().empty()) {
    attempts.push_back(strict);
    attempts.back().rules.sparesBudgets = false;
  }
  BatchOutcome outcome;
  std::int64_t want = countWaiting(session, batch);
  for (int tries = 0; want > 0 && tries < kMostTries; ++tries) {
    const std::vector<Task> tasks = selectUpTo(session, batch, want);
    if (tasks.empty()) break;
    AttemptResult result = serveByFirst(context, attempts, tasks);
    if (!result.ok) {
      const auto size = static_cast<std::int64_t>(tasks.size());
      outcome.reason = result.reason;
      want = smallerWant(size, result.possible);
      continue;
    }
    outcome.pipelined.insert(outcome.pipelined.end(), result.placed.begin(), result.placed.end());
    for (RecallDecision& recall : result.recalls) outcome.recalls.push_back(std::move(recall));
    want = countWaiting(session, batch);
    if (want == 0) outcome.reason.clear();
  }
  return outcome;
}

}  // namespace tidegate::scheduler
