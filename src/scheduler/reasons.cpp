#include "scheduler/reasons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "scheduler/returning.hpp"

namespace tidegate::scheduler {
using placement::Session;
using placement::Task;

namespace {

std::string refusalText(const Session& session, const quota::Refusal& refusal) {
  const std::string& name = session.quotaFuture().config(refusal.queue).name;
  if (refusal.undeclared) return fmt::format("queue {} does not exist", name);
  if (refusal.closed) return fmt::format("queue {} is closed", name);
  const ResourceTable& table = session.state().resources();
  const ResourceId r = refusal.resource;
  return fmt::format("quota: {} uses {} of at most {} {}, {} more asked{}",
                     refusal.queue == quota::kRoot ? "the cluster" : "queue " + name,
                     table.format(r, refusal.used), table.format(r, refusal.limit), table.name(r),
                     table.format(r, refusal.asked),
                     refusal.lockedGuarantee ? " (guarantees locked by lending: none are kept free)" : "");
}

bool acts(const Policy& policy, ActionKind kind) {
  return std::ranges::find(policy.actions, kind) != policy.actions.end();
}

class Explainer {
 public:
  Explainer(PlanContext context, const CycleResult& result)
      : context_(context), session_(context.session), result_(result) {}

  std::vector<PendingDecision> run() {
    const ClusterState& state = session_.state();
    lookPastKeptRoom();
    std::vector<PodId> waiting;
    for (PodId id = 0; id < state.pods().size(); ++id) {
      const PodInfo& pod = state.pod(id);
      const bool waits = pod.ours && pod.node == kNone && !pod.terminal() && !pod.terminating;
      if (waits && !session_.isPlaced(id)) waiting.push_back(id);
    }
    std::ranges::sort(waiting, {}, [&](PodId id) -> const std::string& { return state.pod(id).key; });
    std::vector<PendingDecision> pending;
    for (const PodId id : waiting) pending.push_back({.pod = id, .reason = reasonOf(id)});
    return pending;
  }

 private:
  // Which gangs would have a place but for the room that is kept for returning jobs. From then on it is not
  // counted as used: the numbers told are those of the cluster.
  void lookPastKeptRoom() {
    kept_ = context_.returning.kept();
    if (kept_.empty()) return;
    context_.returning.release();
    const Session::Mark mark = session_.mark();
    for (const WorkItem& item : collectWork(session_, context_.policy, WorkKind::Requesting)) {
      const auto amount = item.required ? placement::HowMany::AllOrNothing : placement::HowMany::AsManyAsFit;
      const auto placed =
          placeTasks(session_, item.tasks, placement::Target::Future, amount, context_.scoring);
      if (!placed.empty()) passedOver_.insert(item.gang);
      session_.rollback(mark);
    }
  }

  std::string reasonOf(PodId id) {
    const ClusterState& state = session_.state();
    const PodInfo& pod = state.pod(id);
    const GangInfo& gang = state.gang(pod.gang);
    if (pod.recalled)
      return "suspended: its job was recalled" + (gang.recalledBy.empty() ? "" : " by " + gang.recalledBy);
    const Task task{.pod = id,
                    .gang = pod.gang,
                    .queue = gang.queueId,
                    .constraints = pod.constraints,
                    .request = &pod.request,
                    .wholeNode = gang.wholeNode.value_or(state.queues().config(gang.queueId).wholeNode)};
    if (auto text = gangReason(gang)) return *text;
    if (passedOver_.contains(pod.gang))
      return fmt::format("room is kept for recalled work that is served first: {}", fmt::join(kept_, ", "));
    if (const auto found = result_.delayedBy.find(pod.gang); found != result_.delayedBy.end())
      return fmt::format(
          "beyond what its gang needs: recalled work that is served first comes back before it: {}",
          fmt::join(found->second, ", "));
    std::string text = classReason(task);
    const auto refusal = result_.refusals.find(pod.gang);
    if (refusal != result_.refusals.end()) text += "; no recall: " + refusal->second;
    return text;
  }

  std::optional<std::string> gangReason(const GangInfo& gang) const {
    if (gang.unseen()) return fmt::format("gang: there is no PodGroup {}", gang.key);
    const GangId id = session_.state().findGang(gang.key);
    const auto active = activeMembers(session_, id);
    const auto waiting = std::ranges::count_if(
        gang.pods, [&](PodId pod) { return session_.state().pod(pod).pending() && !session_.isPlaced(pod); });
    if (active + waiting >= gang.minMember) return std::nullopt;
    return fmt::format("gang: {} has {} of the {} pods it needs to start", gang.key, active + waiting,
                       gang.minMember);
  }

  // The same for all pods of a class, so it is put together once.
  std::string classReason(const Task& task) {
    for (const auto& [known, text] : classes_) {
      if (known.sameClass(task)) return withGang(task, text);
    }
    classes_.emplace_back(task, describe(task));
    return withGang(task, classes_.back().second);
  }

  std::string describe(const Task& task) {
    if (const auto refusal = session_.quotaFuture().refusal(task.queue, *task.request)) {
      return refusalText(session_, *refusal);
    }
    if (const auto never = placement::neverFits(session_, task)) return "never fits: " + *never;
    std::string text = "nodes: " + placement::explainNodes(session_, task);
    if (!acts(context_.policy, ActionKind::Reclaim))
      text += "; actions in the scheduler configuration leave out reclaim";
    return text;
  }

  std::string withGang(const Task& task, const std::string& text) const {
    const GangInfo& gang = session_.state().gang(task.gang);
    if (gang.minMember <= 1) return text;
    return fmt::format("{} (gang of {}, all or none)", text, gang.minMember);
  }

  PlanContext context_;
  Session& session_;
  const CycleResult& result_;
  std::vector<std::pair<Task, std::string>> classes_;
  std::vector<std::string> kept_;
  std::set<GangId> passedOver_;
};

}  // namespace

std::vector<PendingDecision> explainPending(PlanContext context, const CycleResult& result) {
  return Explainer(context, result).run();
}

}  // namespace tidegate::scheduler
