#include "placement/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tidegate::placement {
namespace {

// The first accelerator a task asks for.
std::optional<ResourceId> acceleratorOf(const Session& session, const ResourceVec& request) {
  const ResourceTable& table = session.state().resources();
  for (ResourceId r = 0; r < request.size(); ++r) {
    if (request[r] > 0 && table.isAccelerator(r)) return r;
  }
  return std::nullopt;
}

// Free devices of any kind that placing work without devices would strand.
Amount freeAccelerators(const Session& session, Slot slot) {
  const ResourceTable& table = session.state().resources();
  const ResourceVec& allocatable = session.node(slot).allocatable;
  Amount sum = 0;
  for (ResourceId r = 0; r < allocatable.size(); ++r) {
    if (allocatable[r] > 0 && table.isAccelerator(r)) sum += std::max<Amount>(1, session.futureFree(slot, r));
  }
  return sum;
}

// Kubernetes' NodeResourcesFit and BalancedAllocation scores on cpu and memory, in thousandths.
std::int64_t nodeOrderScore(const Session& session, Slot slot, const ResourceVec& request,
                            const Scoring& scoring) {
  double used[2] = {0, 0};
  const ResourceId kinds[2] = {ResourceTable::kCpu, ResourceTable::kMemory};
  for (int i = 0; i < 2; ++i) {
    const double allocatable = static_cast<double>(session.node(slot).allocatable[kinds[i]]);
    if (allocatable <= 0) continue;
    const double taken =
        allocatable - static_cast<double>(session.futureFree(slot, kinds[i]) - request[kinds[i]]);
    used[i] = std::clamp(taken / allocatable, 0.0, 1.0);
  }
  const double mean = (used[0] + used[1]) / 2;
  const double score = scoring.leastRequested * (1 - mean) + scoring.mostRequested * mean +
                       scoring.balancedResource * (1 - std::abs(used[0] - used[1]));
  return static_cast<std::int64_t>(score * 1000);
}

// Smaller is better, field by field.
using Rank = std::tuple<int, bool, bool, bool, Amount, std::int64_t>;

Amount freeOf(const Session& session, Slot slot, ResourceId r, Target target) {
  return target == Target::Now ? session.room(slot).free[r] : session.futureFree(slot, r);
}

// Nobody holds any of it.
bool untouched(const Session& session, Slot slot, ResourceId r, Target target) {
  return freeOf(session, slot, r, target) == session.node(slot).allocatable[r];
}

// The group has the node for itself, and enough tasks to fill it.
bool fillsAlone(const Session& session, const Task& task, Slot slot, Target target, ResourceId accelerator,
                const Fill& fill) {
  if (std::ranges::find(fill.opened, slot) != fill.opened.end()) return true;
  const Amount size = session.node(slot).allocatable[accelerator];
  return untouched(session, slot, accelerator, target) &&
         fill.remaining * (*task.request)[accelerator] >= size;
}

Rank rankOf(Session& session, const Task& task, Slot slot, Target target, const Scoring& scoring,
            std::optional<ResourceId> accelerator, const Fill& fill) {
  const int wish = preference(session.node(slot), session.constraints(task.constraints));
  const bool notHeld = !session.heldForQueue(slot, task.queue);
  const bool later = target == Target::Future && !session.fitsNow(slot, *task.request);
  const Amount left = accelerator ? session.futureFree(slot, *accelerator) - (*task.request)[*accelerator]
                                  : freeAccelerators(session, slot);
  const bool shared = accelerator && !fillsAlone(session, task, slot, target, *accelerator, fill);
  const std::int64_t order = scoring.nodeOrder ? -nodeOrderScore(session, slot, *task.request, scoring) : 0;
  return {-wish, notHeld, later, shared, left, order};
}

// A node that a recall frees is handed over whole: nobody moves in beside work that still leaves it.
bool isHalfFree(const Session& session, const Task& task, Slot slot) {
  return session.heldForQueue(slot, task.queue) && acceleratorOf(session, *task.request) &&
         isBeingFreed(session, slot);
}

bool mayHost(Session& session, const Task& task, Slot slot, Target target) {
  if (session.judge(slot, task.constraints) != Verdict::Fits) return false;
  const bool fits =
      target == Target::Now ? session.fitsNow(slot, *task.request) : session.fitsFuture(slot, *task.request);
  if (!fits || session.heldFromQueue(slot, task.queue)) return false;
  if (target == Target::Now && isHalfFree(session, task, slot)) return false;
  return !task.wholeNode || !session.hostsForeign(slot, task.queue);
}

bool refused(const Session& session, const Task& task, Target target) {
  return target == Target::Now ? session.refusedNow(task.queue, *task.request).has_value()
                               : session.refusedFuture(task.queue, *task.request).has_value();
}

}  // namespace

bool isBeingFreed(const Session& session, Slot slot) {
  return acceleratorOf(session, session.room(slot).leaving).has_value();
}

std::optional<Slot> chooseSlot(Session& session, const Task& task, Target target, const Scoring& scoring,
                               const Fill& fill, const std::vector<Slot>* within) {
  const auto accelerator = acceleratorOf(session, *task.request);
  std::optional<Slot> best;
  Rank bestRank;
  auto consider = [&](Slot slot) {
    if (!mayHost(session, task, slot, target)) return;
    const Rank rank = rankOf(session, task, slot, target, scoring, accelerator, fill);
    if (!best || rank < bestRank) best = slot, bestRank = rank;
  };
  if (within != nullptr) {
    for (const Slot slot : *within) consider(slot);
  } else if (accelerator) {
    for (const Slot slot : session.slotsWithFree(*accelerator)) consider(slot);
  } else {
    for (Slot slot = 0; slot < session.slots(); ++slot) consider(slot);
  }
  return best;
}

void advance(const Session& session, Fill& fill, const Task& task, Slot slot, Target target) {
  --fill.remaining;
  const auto accelerator = acceleratorOf(session, *task.request);
  if (!accelerator || std::ranges::find(fill.opened, slot) != fill.opened.end()) return;
  const Amount before = freeOf(session, slot, *accelerator, target) + (*task.request)[*accelerator];
  if (before == session.node(slot).allocatable[*accelerator]) fill.opened.push_back(slot);
}

std::vector<Placement> placeTasks(Session& session, const std::vector<Task>& tasks, Target target,
                                  HowMany amount, const Scoring& scoring, const std::vector<Slot>* within) {
  const Session::Mark mark = session.mark();
  std::vector<Placement> placed;
  Fill fill{.remaining = static_cast<std::int64_t>(tasks.size()), .opened = {}};
  const Task* failed = nullptr;  // the last that did not fit: others of its class need not be tried
  for (const Task& task : tasks) {
    if (failed != nullptr && failed->sameClass(task)) continue;
    const auto slot = refused(session, task, target)
                          ? std::nullopt
                          : chooseSlot(session, task, target, scoring, fill, within);
    if (!slot) {
      if (amount == HowMany::AllOrNothing) {
        session.rollback(mark);
        return {};
      }
      failed = &task;
      continue;
    }
    target == Target::Now ? session.bind(task, *slot) : session.pipeline(task, *slot);
    advance(session, fill, task, *slot, target);
    placed.push_back({.task = task, .slot = *slot});
  }
  return placed;
}

std::optional<std::vector<std::vector<Slot>>> domainsOf(Session& session, GangId gang) {
  const ClusterState& state = session.state();
  const GangInfo& info = state.gang(gang);
  if (!info.hardTier) return std::nullopt;
  struct Domain {
    std::int32_t tier;
    Amount free;
    std::string name;
    std::vector<Slot> slots;
  };
  std::vector<Domain> domains;
  for (const DomainInfo& domain : state.domains()) {
    if (domain.tier > *info.hardTier) continue;
    Domain entry{.tier = domain.tier, .free = 0, .name = domain.name, .slots = {}};
    for (const NodeId node : domain.nodes) {
      entry.slots.push_back(session.slotOf(node));
      entry.free += session.futureFree(entry.slots.back(), ResourceTable::kGpu);
    }
    std::ranges::sort(entry.slots);
    const bool holdsAll = std::ranges::all_of(info.pods, [&](PodId id) {
      const PodInfo& pod = state.pod(id);
      return !pod.bound() || std::ranges::binary_search(entry.slots, session.slotOf(pod.node));
    });
    if (holdsAll) domains.push_back(std::move(entry));
  }
  std::ranges::sort(domains, [](const Domain& a, const Domain& b) {
    return std::tie(a.tier, a.free, a.name) < std::tie(b.tier, b.free, b.name);
  });
  std::vector<std::vector<Slot>> result;
  for (Domain& domain : domains) result.push_back(std::move(domain.slots));
  return result;
}

std::string explainNodes(Session& session, const Task& task) {
  std::map<std::string, int> reasons;
  int nodes = 0;
  for (Slot slot = 0; slot < session.slots(); ++slot) {
    const Verdict verdict = session.judge(slot, task.constraints);
    if (verdict == Verdict::Gone) continue;
    ++nodes;
    if (verdict != Verdict::Fits) {
      ++reasons[describe(verdict)];
    } else if (session.heldFromQueue(slot, task.queue)) {
      ++reasons["held for a recall"];
    } else if (task.wholeNode && session.hostsForeign(slot, task.queue)) {
      ++reasons["shared with other queues (topology: whole-node)"];
    } else {
      for (ResourceId r = 0; r < task.request->size(); ++r) {
        const Amount need = (*task.request)[r];
        if (need > 0 && (need > session.room(slot).free[r] || need > session.futureFree(slot, r))) {
          ++reasons["insufficient " + session.state().resources().name(r)];
        }
      }
    }
  }
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(-count, reason);
  std::ranges::sort(sorted);
  std::string text = fmt::format("0/{} nodes fit", nodes);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", -sorted[i].first, sorted[i].second);
  }
  return text;
}

std::optional<std::string> neverFits(Session& session, const Task& task) {
  const ResourceTable& table = session.state().resources();
  bool anyNode = false;
  bool anyMatches = false;
  ResourceVec largest;
  for (Slot slot = 0; slot < session.slots(); ++slot) {
    const Verdict verdict = session.judge(slot, task.constraints);
    anyNode |= verdict != Verdict::Gone;
    if (verdict == Verdict::Selector || verdict == Verdict::Gone) continue;
    anyMatches = true;
    const ResourceVec& allocatable = session.node(slot).allocatable;
    if (task.request->fitsIn(allocatable)) return std::nullopt;
    for (ResourceId r = 0; r < allocatable.size(); ++r) largest.set(r, std::max(largest[r], allocatable[r]));
  }
  if (!anyNode) return "there are no nodes";
  if (!anyMatches) return "no node matches its node selector or affinity";
  for (ResourceId r = 0; r < task.request->size(); ++r) {
    if ((*task.request)[r] > largest[r]) {
      return fmt::format("asks {} {}, the largest node offers {}", table.format(r, (*task.request)[r]),
                         table.name(r), table.format(r, largest[r]));
    }
  }
  return "no node offers all it asks for at once";
}

}  // namespace tidegate::placement
