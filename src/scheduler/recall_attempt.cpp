#include "scheduler/recall_attempt.hpp"

#include <algorithm>
#include <map>

#include "quota/legality.hpp"
#include "scheduler/devices.hpp"
#include "scheduler/recall_describe.hpp"
#include "scheduler/rival_rules.hpp"

namespace tidegate::scheduler {
using placement::HowMany;
using placement::Placement;
using placement::Session;
using placement::Slot;
using placement::Target;
using placement::Task;

namespace {

// The smallest node a task could have whole, in accelerators; kUnlimited if none has any.
Amount smallestNode(Session& session, const Task& task) {
  Amount smallest = kUnlimited;
  for (Slot slot = 0; slot < session.slots(); ++slot) {
    if (session.judge(slot, task.constraints) != placement::Verdict::Fits) continue;
    const ResourceVec& allocatable = session.node(slot).allocatable;
    if (!task.request->fitsIn(allocatable)) continue;
    const Amount devices = acceleratorsOf(session.state().resources(), allocatable);
    if (devices > 0) smallest = std::min(smallest, devices);
  }
  return smallest;
}

Amount stoppedBy(const Solved& solved) {
  Amount sum = 0;
  for (const auto unit : solved.plan->units) sum += solved.built.problem.units[unit].gpus;
  return sum;
}

// Serves tasks of one class.
class ClassServer {
 public:
  ClassServer(PlanContext context, Attempt attempt, const std::vector<Slot>* within)
      : context_(context),
        session_(context.session),
        attempt_(std::move(attempt)),
        within_(within),
        judge_(context.session, context.policy, attempt_.rules) {}

  bool serve(const std::vector<Task>& tasks, AttemptResult& result) {
    const auto onIdle =
        placeTasks(session_, tasks, Target::Future, HowMany::AsManyAsFit, context_.scoring, within_);
    result.placed.insert(result.placed.end(), onIdle.begin(), onIdle.end());
    std::vector<Task> rest;
    std::ranges::copy_if(tasks, std::back_inserter(rest),
                         [&](const Task& t) { return !session_.isPlaced(t.pod); });
    if (rest.empty()) return true;
    if (!carryOut(rest, choosePlan(rest), result)) {
      result.possible += static_cast<std::int64_t>(onIdle.size());
      return false;
    }
    // Kept as well: the rest of the demand waits for the recall, and its idle nodes must still be there then.
    for (const Placement& p : onIdle) {
      result.recalls.back().placements.push_back({.pod = p.task.pod, .node = session_.nodeAt(p.slot)});
    }
    return true;
  }

 private:
  // Whole nodes for demand that fills one, or that says so; the least that makes room for smaller demand.
  // Where freeing whole nodes would stop over a node's worth more than is asked for, room on shared nodes is
  // taken instead, unless the demand insists.
  Solved choosePlan(const std::vector<Task>& rest) {
    const Task& first = rest.front();
    smallestNode_ = smallestNode(session_, first);
    const Amount demand =
        acceleratorsOf(session_.state().resources(), *first.request) * static_cast<Amount>(rest.size());
    if (!first.wholeNode && (demand == 0 || demand < smallestNode_))
      return solve(rest, recall::Mode::Partial);
    Solved whole = solve(rest, recall::Mode::WholeNode);
    const bool wasteful = whole.plan && stoppedBy(whole) > demand + smallestNode_;
    if (first.wholeNode || (whole.plan && !wasteful)) return whole;
    if (attempt_.wholeOnly) {
      whole.plan.reset();
      return whole;
    }
    Solved partial = solve(rest, recall::Mode::Partial);
    if (!whole.plan) return partial;
    return partial.plan && stoppedBy(partial) < stoppedBy(whole) ? partial : whole;
  }

  // The lowest priority ceiling that has a plan wins: nobody more important pays than must.
  Solved solve(const std::vector<Task>& rest, recall::Mode mode) {
    const Demand demand{.tasks = rest, .within = within_, .mode = mode};
    Solved solved;
    for (const std::int32_t ceiling : judge_.priorities()) {
      attempt_.priorityCeiling = ceiling;
      solved.built = buildProblem(session_, context_.policy, judge_, demand, attempt_);
      auto answer = solveBy(context_.policy.victims, solved.built.problem);
      if (answer) {
        solved.plan = std::move(*answer);
        return solved;
      }
      solved.noPlan = answer.error();
    }
    return solved;
  }

  bool carryOut(const std::vector<Task>& rest, const Solved& solved, AttemptResult& result) {
    if (!solved.plan) {
      result.possible += solved.noPlan.podsPossible;
      result.reason = whyNoRecall(session_, attempt_, judge_, solved);
      return false;
    }
    const quota::QueueTree before = session_.quotaFuture();
    for (const auto unit : solved.plan->units) {
      for (const PodId pod : solved.built.sources[unit].pods) session_.evict(pod);
    }
    std::vector<Slot> nodes;
    for (const auto node : solved.plan->nodes) nodes.push_back(solved.built.slots[node]);
    std::ranges::sort(nodes);
    // Without nodes the room was there and only a quota ceiling stood in the way.
    const auto placed = placeTasks(session_, rest, Target::Future, HowMany::AllOrNothing, context_.scoring,
                                   nodes.empty() ? within_ : &nodes);
    if (placed.empty()) {
      result.possible += static_cast<std::int64_t>(rest.size()) - 1;
      result.reason = "the nodes that a recall would free do not take its pods";
      return false;
    }
    if (auto illegal = judgeLegality(before, rest, solved)) {
      result.possible += static_cast<std::int64_t>(rest.size()) - 1;
      result.reason = *illegal;
      return false;
    }
    result.recalls.push_back(describeRecall(context_, judge_, solved, nodes, placed, smallestNode_));
    result.placed.insert(result.placed.end(), placed.begin(), placed.end());
    return true;
  }

  std::optional<std::string> judgeLegality(const quota::QueueTree& before, const std::vector<Task>& rest,
                                           const Solved& solved) const {
    if (attempt_.rules.preempt) return std::nullopt;
    quota::Claim claim{.queue = rest.front().queue, .amount = {}, .judged = attempt_.rules.judged};
    for (const Task& task : rest) claim.amount += *task.request;
    std::map<GangId, ResourceVec> takenFrom;  // whole gangs straddle, not their pieces
    std::vector<quota::Taking> takings;
    for (const auto unit : solved.plan->units) {
      const auto& source = solved.built.sources[unit];
      if (source.gang == kNone) continue;  // idle room
      ResourceVec amount;
      for (const PodId pod : source.pods) amount += session_.state().pod(pod).request;
      if (source.core)
        takenFrom[source.gang] += amount;
      else
        takings.push_back({.queue = session_.state().gang(source.gang).queueId, .amount = amount});
    }
    for (const auto& [gang, amount] : takenFrom) {
      takings.push_back({.queue = session_.state().gang(gang).queueId, .amount = amount});
    }
    return quota::illegal(before, claim, takings, attempt_.allowStraddle);
  }

  PlanContext context_;
  Session& session_;
  Attempt attempt_;
  const std::vector<Slot>* within_;
  VictimJudge judge_;
  Amount smallestNode_ = kUnlimited;
};

// Tasks class by class, the largest demand first.
std::vector<std::vector<Task>> byClass(const Session& session, const std::vector<Task>& tasks) {
  std::vector<std::vector<Task>> classes;
  for (const Task& task : tasks) {
    auto found = std::ranges::find_if(classes, [&](const auto& c) { return c.front().sameClass(task); });
    if (found == classes.end())
      classes.push_back({task});
    else
      found->push_back(task);
  }
  std::ranges::stable_sort(classes, std::greater<>{}, [&](const auto& c) {
    return acceleratorsOf(session.state().resources(), *c.front().request);
  });
  return classes;
}

}  // namespace

AttemptResult serve(PlanContext context, const Attempt& attempt, const std::vector<Task>& tasks,
                    const std::vector<Slot>* within) {
  const Session::Mark mark = context.session.mark();
  AttemptResult result;
  for (const auto& alike : byClass(context.session, tasks)) {
    if (ClassServer(context, attempt, within).serve(alike, result)) continue;
    context.session.rollback(mark);
    result.placed.clear();
    result.recalls.clear();
    return result;
  }
  result.ok = true;
  return result;
}

}  // namespace tidegate::scheduler
