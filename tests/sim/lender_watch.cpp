#include "lender_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lifecycle/phases.hpp"

namespace tidegate::lab {

namespace {

constexpr ResourceId kGpu = ResourceTable::kGpu;

std::string idOf(const api::Recall& recall) {
  return recall.metadata.name + (recall.spec.startedAt ? formatTime(*recall.spec.startedAt) : "");
}

// What each queue uses above its entitlement.
std::map<std::string, Amount> borrowedIn(const quota::QueueTree& tree) {
  std::map<std::string, Amount> borrowed;
  for (const quota::QueueId queue : tree.sortedByName())
    borrowed[tree.config(queue).name] = tree.borrowed(queue)[kGpu];
  return borrowed;
}

// What each queue has of others, by the ledger.
std::map<std::string, Amount> loansIn(const quota::QueueTree& tree) {
  std::map<std::string, Amount> loans;
  for (const quota::Loan& loan : tree.ledger()) {
    if (loan.resource == kGpu) loans[tree.config(loan.borrower).name] += loan.amount;
  }
  return loans;
}

}  // namespace

Amount LenderWatch::Takings::sum() const {
  Amount sum = 0;
  for (const auto& [gang, amount] : byGang) sum += amount;
  return sum;
}

Amount LenderWatch::Takings::largestWhole() const {
  Amount largest = 0;
  for (const auto& [gang, amount] : wholeGangs) largest = std::max(largest, amount);
  return largest;
}

LenderWatch::LenderWatch(Lab& lab) : lab_(lab) {
  lab.world().observe([this](const sim::SimWorld&) { look(); });
}

void LenderWatch::look() {
  for (const auto& [name, info] : lab_.brain().state().recalls()) {
    if (info.object && !seen_.contains(idOf(*info.object))) learn(*info.object);
  }
  for (const auto& [name, info] : lab_.brain().state().recalls()) {
    if (!info.object || info.object->spec.reason != "reclaim") continue;
    auto [seen, added] = seen_.try_emplace(idOf(*info.object));
    if (added) begin(*info.object);
    if (!info.active && !seen->second.over) {
      seen->second.over = true;
      finish(*info.object);
    }
  }
}

Amount LenderWatch::gpusOf(const api::RecallPod& pod) const {
  const auto known = podGpus_.find(pod.uid);
  return known == podGpus_.end() ? 0 : known->second;
}

// Of each lender, the pods of a record that hold GPUs, or that it has stopped.
void LenderWatch::add(const api::Recall& recall, bool stoppedOnly, ByLender& takings) {
  for (const api::RecallVictim& victim : recall.spec.victims) {
    const auto phase = lifecycle::victimPhase(victim.phase);
    if (phase == lifecycle::VictimPhase::Cancelled || (stoppedOnly && !lifecycle::stopBegun(phase))) continue;
    Takings& of = takings[lenderOf_[victim.gang]];
    for (const api::RecallPod& pod : victim.pods) {
      of.byGang[victim.gang] += gpusOf(pod);
      if (victim.whole) of.wholeGangs[victim.gang] += gpusOf(pod);
    }
  }
}

// Whose its victims are and what they hold, while they are there.
void LenderWatch::learn(const api::Recall& recall) {
  const ClusterState& state = lab_.brain().state();
  for (const api::RecallVictim& victim : recall.spec.victims) {
    const GangId gang = state.findGang(victim.gang);
    if (gang != kNone) lenderOf_[victim.gang] = state.gang(gang).queue;
    for (const api::RecallPod& pod : victim.pods) {
      const PodId id = state.findPod(keyOf(pod.namespace_, pod.name));
      if (id != kNone && state.pod(id).uid == pod.uid) podGpus_[pod.uid] = state.pod(id).request[kGpu];
    }
  }
}

void LenderWatch::begin(const api::Recall& recall) {
  const ClusterState& state = lab_.brain().state();
  Seen& seen = seen_[idOf(recall)];
  seen.borrowed = borrowedIn(state.queues());
  for (const auto& [name, other] : state.recalls()) {
    if (!other.active || !other.object || name == recall.metadata.name) continue;
    for (const api::RecallVictim& victim : other.object->spec.victims) {
      // What is gone is not counted as used, and so not as borrowed; what is stuck was given up on.
      for (const api::RecallPod& pod : victim.pods) {
        const PodId id = state.findPod(keyOf(pod.namespace_, pod.name));
        const bool holds = id != kNone && state.pod(id).uid == pod.uid && state.pod(id).leaving();
        if (holds) seen.others[lenderOf_[victim.gang]].byGang[victim.gang] += gpusOf(pod);
      }
    }
  }
  for (const auto& [borrower, amount] : loansIn(state.queues())) {
    if (amount > seen.borrowed[borrower])
      wronged_.push_back("the ledger has more than queue " + borrower + " borrows");
  }
  ByLender takings = seen.others;
  add(recall, false, takings);
  judge(recall, "as planned", takings, seen.borrowed);
}

void LenderWatch::finish(const api::Recall& recall) {
  const Seen& seen = seen_[idOf(recall)];
  ByLender takings = seen.others;
  add(recall, true, takings);
  judge(recall, "as carried out", takings, seen.borrowed);
}

bool LenderWatch::mayStraddle(const api::Recall& recall, Amount taken) const {
  if (recall.spec.guaranteeBacked) return true;
  Amount delivered = 0;
  const ClusterState& state = lab_.brain().state();
  for (const api::RecallPlacement& placement : recall.spec.placements) {
    const PodId id = state.findPod(placement.pod);
    if (id != kNone) delivered += state.pod(id).request[kGpu];
  }
  return taken <= 4 * delivered;
}

void LenderWatch::judge(const api::Recall& recall, const std::string& when, const ByLender& takings,
                        const std::map<std::string, Amount>& borrowed) {
  for (const auto& [lender, taken] : takings) {
    if (taken.sum() == 0) continue;
    ++judged_;
    const auto found = borrowed.find(lender);
    const Amount over = found == borrowed.end() ? 0 : found->second;
    if (taken.sum() <= over) continue;
    const bool straddles = over > 0 && taken.sum() - taken.largestWhole() < over;
    if (straddles && mayStraddle(recall, taken.sum())) continue;
    wronged_.push_back(fmt::format("{} {}: queue {} borrows {} GPUs and gives {}", recall.metadata.name, when,
                                   lender, over / 1000, taken.sum() / 1000));
  }
}

}  // namespace tidegate::lab
