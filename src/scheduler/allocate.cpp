// Actions allocate and backfill.
#include <algorithm>

#include "scheduler/actions.hpp"
#include "scheduler/devices.hpp"
#include "scheduler/returning.hpp"

namespace tidegate::scheduler {
using placement::Fill;
using placement::HowMany;
using placement::Placement;
using placement::Session;
using placement::Slot;
using placement::Target;
using placement::Task;

namespace {

class Allocator {
 public:
  Allocator(PlanContext context, CycleResult& result)
      : context_(context), session_(context.session), result_(result) {}

  void run() {
    std::vector<WorkItem> items = collectWork(session_, context_.policy, WorkKind::Requesting);
    context_.returning.join(items);
    WorkOrder order(session_, std::move(items));
    while (auto item = order.next(session_)) {
      if (item->returning)
        context_.returning.reserve(*item->returning);
      else
        place(*item);
    }
  }

 private:
  void place(const WorkItem& item) {
    if (item.required) {
      if (!placeGang(item, Target::Now)) placeGang(item, Target::Future);
      return;
    }
    placeExtras(item);
  }

  // Pods beyond minMember follow those that are needed: one is bound when so many are, and gets a place in
  // the future when so many have one.
  void placeExtras(const WorkItem& item) {
    const std::int32_t needed = session_.state().gang(item.gang).minMember;
    const std::int32_t placed = activeMembers(session_, item.gang);
    if (placed < needed) return;
    if (auto jobs = context_.returning.delayedBy(item); !jobs.empty()) {
      result_.delayedBy[item.gang] = std::move(jobs);
      return;
    }
    const bool bindable = placed - pipelinedOf(item.gang) >= needed;
    const auto domains = placement::domainsOf(session_, item.gang);
    const std::vector<Slot>* within = domains && !domains->empty() ? &domains->front() : nullptr;
    if (domains && domains->empty()) return;
    Fill fill{.remaining = static_cast<std::int64_t>(item.tasks.size()), .opened = {}};
    for (const Task& task : item.tasks) {
      if (known(task)) continue;
      const bool bound = bindable && placeOne(task, Target::Now, within, fill);
      if (!bound && !placeOne(task, Target::Future, within, fill)) failed_.push_back(task);
    }
  }

  std::int32_t pipelinedOf(GangId gang) const {
    return static_cast<std::int32_t>(std::ranges::count_if(
        result_.pipelined, [&](const Placement& placement) { return placement.task.gang == gang; }));
  }

  // Once a task has found no place, others like it need not look again in this action: room only shrinks.
  bool known(const Task& task) const {
    if (nominationOf(task)) return false;
    return std::ranges::any_of(failed_, [&](const Task& other) { return other.sameClass(task); });
  }

  std::optional<Slot> nominationOf(const Task& task) const {
    const auto slot = session_.nomination(task.pod);
    if (!slot) return std::nullopt;
    const bool stands = session_.judge(*slot, task.constraints) == placement::Verdict::Fits &&
                        session_.fitsFuture(*slot, *task.request);
    return stands ? slot : std::nullopt;
  }

  bool placeGang(const WorkItem& item, Target target) {
    const auto domains = placement::domainsOf(session_, item.gang);
    if (!domains) return placeAll(item.tasks, target, nullptr);
    return std::ranges::any_of(*domains,
                               [&](const auto& domain) { return placeAll(item.tasks, target, &domain); });
  }

  bool placeAll(const std::vector<Task>& tasks, Target target, const std::vector<Slot>* within) {
    if (std::ranges::any_of(tasks, [&](const Task& task) { return known(task); })) return false;
    const Session::Mark mark = session_.mark();
    auto& list = target == Target::Now ? result_.bound : result_.pipelined;
    const std::size_t before = list.size();
    Fill fill{.remaining = static_cast<std::int64_t>(tasks.size()), .opened = {}};
    for (const Task& task : tasks) {
      if (placeOne(task, target, within, fill)) continue;
      // A lone task's failure says something about all like it; a gang's later pods failed for want of room
      // for all.
      if (target == Target::Future && tasks.size() == 1 && within == nullptr) failed_.push_back(task);
      session_.rollback(mark);
      list.resize(before);
      return false;
    }
    return true;
  }

  bool placeOne(const Task& task, Target target, const std::vector<Slot>* within, Fill& fill) {
    if (const auto slot = nominationOf(task)) {
      const bool now = session_.fitsNow(*slot, *task.request) && !placement::isBeingFreed(session_, *slot) &&
                       !session_.refusedNow(task.queue, *task.request);
      if (target == Target::Now && !now) return false;
      keep(task, *slot, target, fill);
      return true;
    }
    const auto refusal = target == Target::Now ? session_.refusedNow(task.queue, *task.request)
                                               : session_.refusedFuture(task.queue, *task.request);
    if (refusal) return false;
    const auto slot = placement::chooseSlot(session_, task, target, context_.scoring, fill, within);
    if (!slot) return false;
    keep(task, *slot, target, fill);
    return true;
  }

  void keep(const Task& task, Slot slot, Target target, Fill& fill) {
    if (target == Target::Now)
      session_.bind(task, slot);
    else
      session_.pipeline(task, slot);
    placement::advance(session_, fill, task, slot, target);
    (target == Target::Now ? result_.bound : result_.pipelined).push_back({.task = task, .slot = slot});
  }

  PlanContext context_;
  Session& session_;
  CycleResult& result_;
  std::vector<Task> failed_;
};

}  // namespace

void allocate(PlanContext context, CycleResult& result) {
  Allocator(context, result).run();
}

void backfill(PlanContext context, CycleResult& result) {
  WorkOrder order(context.session, collectWork(context.session, context.policy, WorkKind::BestEffort));
  while (auto item = order.next(context.session)) {
    const auto placed = placement::placeTasks(context.session, item->tasks, Target::Now, HowMany::AsManyAsFit,
                                              context.scoring);
    result.bound.insert(result.bound.end(), placed.begin(), placed.end());
  }
}

}  // namespace tidegate::scheduler
