#include "scheduler/victims.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "quota/legality.hpp"
#include "scheduler/devices.hpp"
#include "state/companies.hpp"
#include "state/selectors.hpp"

namespace tidegate::scheduler {
using placement::Session;

namespace {

bool running(const Session& session, PodId id) {
  const PodInfo& pod = session.state().pod(id);
  return pod.bound() && !session.isLeaving(id) && !pod.terminating && !pod.recalled;
}

// Kubernetes' disruption controller: healthy pods less those that must stay.
std::int64_t disruptionsAllowed(const Session& session, const api::PodDisruptionBudget& budget) {
  const ClusterState& state = session.state();
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  for (PodId id = 0; id < state.pods().size(); ++id) {
    const PodInfo& pod = state.pod(id);
    if (pod.key.empty()) continue;
    const api::ObjectMeta& metadata = pod.object->metadata;
    if (metadata.namespace_ != budget.metadata.namespace_ || pod.terminal()) continue;
    if (!matches(budget.spec.selector, metadata.labels)) continue;
    ++expected;
    if (running(session, id) && pod.phase == PodPhase::Running) ++healthy;
  }
  auto scaled = [expected](const api::IntOrPercent& value) -> std::int64_t {
    return value.percent ? (expected * value.value + 99) / 100 : value.value;
  };
  if (budget.spec.minAvailable) return healthy - scaled(*budget.spec.minAvailable);
  if (budget.spec.maxUnavailable) return healthy - (expected - scaled(*budget.spec.maxUnavailable));
  return healthy;
}

bool restartsAll(const std::vector<api::LifecyclePolicy>& policies) {
  return std::ranges::any_of(policies, [](const api::LifecyclePolicy& policy) {
    auto evicted = [](const std::string& event) { return event == "PodEvicted" || event == "*"; };
    const bool hit = evicted(policy.event) || std::ranges::any_of(policy.events, evicted);
    return hit && (policy.action == "RestartJob" || policy.action == "RestartTask");
  });
}

// GPUs of the whole gang if its job starts all over when one of its pods is evicted (Volcano's Job: policies
// of the job or of a task); else 0.
std::int64_t restartedGpus(const ClusterState& state, const GangInfo& gang) {
  if (gang.owner.kind != "Job" || gang.owner.apiVersion != api::VcJob::kApiVersion) return 0;
  const auto job = state.vcJobs().find(gang.key.substr(0, gang.key.find('/') + 1) + gang.owner.name);
  if (job == state.vcJobs().end()) return 0;
  const api::VcJobSpec& spec = job->second.spec;
  const bool restarts =
      restartsAll(spec.policies) ||
      std::ranges::any_of(spec.tasks, [](const api::TaskSpec& task) { return restartsAll(task.policies); });
  if (!restarts) return 0;
  std::int64_t gpus = 0;
  for (const PodId pod : gang.pods) gpus += state.pod(pod).bound() ? gpusOf(state, pod, 1) : 0;
  return gpus;
}

// Who makes the gang's pods: the owner of its PodGroup, else of its pods; kind empty if nobody does.
api::OwnerReference makerOf(const ClusterState& state, const GangInfo& gang) {
  if (!gang.owner.kind.empty() || gang.pods.empty()) return gang.owner;
  const auto& owners = state.pod(gang.pods.front()).object->metadata.ownerReferences;
  const auto controller = std::ranges::find_if(owners, &api::OwnerReference::controller);
  return controller == owners.end() ? api::OwnerReference{} : *controller;
}

// May chosen pods go and the others stay? Only where it is ours to choose them: a batch Job or StatefulSet
// that is scaled down takes pods of its own choice (docs/decisions/0011-who-chooses-the-pods.md).
bool canShrink(const ClusterState& state, const Policy& policy, const GangInfo& gang) {
  const api::OwnerReference maker = makerOf(state, gang);
  return maker.kind.empty() || maker.kind == api::ReplicaSet::kKind || maker.kind == api::Deployment::kKind ||
         (policy.shrinksVcJobs && maker.apiVersion == api::VcJob::kApiVersion);
}

}  // namespace

std::optional<Time> workingSince(const Session& session, GangId gang) {
  std::optional<Time> latest;
  for (const PodId id : session.state().gang(gang).pods) {
    const PodInfo& pod = session.state().pod(id);
    if (running(session, id) && pod.started && (!latest || *pod.started > *latest)) latest = pod.started;
  }
  return latest;
}

std::int64_t lostSeconds(const Session& session, const Policy& policy, GangId id, Duration deadline) {
  const GangInfo& gang = session.state().gang(id);
  auto wholeSeconds = [](Duration d) {
    return std::max<std::int64_t>(0, std::chrono::floor<seconds>(d).count());
  };
  std::optional<Time> saved = gang.lastCheckpoint;
  for (const PodId pod : gang.pods) {
    const auto& own = session.state().pod(pod).lastCheckpoint;
    if (own && (!saved || *own > *saved)) saved = own;
  }
  std::int64_t lost = 0;
  if (saved) {
    lost = wholeSeconds(session.now() - *saved);
  } else {
    const auto since = workingSince(session, id);
    const std::int64_t age = since ? wholeSeconds(session.now() - *since) : 0;
    const std::int64_t expected =
        wholeSeconds(gang.checkpointInterval.value_or(policy.checkpointInterval)) / 2;
    lost = age <= expected ? age : expected + (age - expected) / 100;
  }
  if (gang.checkpointDuration) {
    const Duration needed = *gang.checkpointDuration + gang.stopDuration.value_or(Duration{});
    if (needed + kTeardownAllowance <= deadline)
      lost = std::min(lost, wholeSeconds(*gang.checkpointDuration));
  }
  return lost + wholeSeconds(policy.restartCost);
}

VictimJudge::VictimJudge(const Session& session, const Policy& policy, VictimRules rules)
    : session_(&session),
      policy_(&policy),
      rules_(std::move(rules)),
      answers_(session.state().gangs().size()) {
  for (const auto& [name, budget] : session.state().budgets()) {
    budgets_.push_back(
        {.name = name, .allowed = std::max<std::int64_t>(0, disruptionsAllowed(session, budget))});
  }
  for (const auto& [owner, gangs] : companiesOf(session.state())) {
    if (gangs.size() < 2) continue;
    for (const GangId gang : gangs) companies_[gang] = gangs;
  }
}

std::vector<std::size_t> VictimJudge::budgetsOf(PodId id) const {
  std::vector<std::size_t> result;
  const api::ObjectMeta& metadata = session_->state().pod(id).object->metadata;
  std::size_t index = 0;
  for (const auto& [name, budget] : session_->state().budgets()) {
    if (metadata.namespace_ == budget.metadata.namespace_ && matches(budget.spec.selector, metadata.labels)) {
      result.push_back(index);
    }
    ++index;
  }
  return result;
}

const std::optional<Victim>& VictimJudge::judge(GangId gang) {
  Answer& answer = answers_[gang];
  if (answer.known) return answer.victim;
  const auto company = companies_.find(gang);
  if (company == companies_.end()) {
    answer = {.known = true, .victim = examine(gang)};
    return answer.victim;
  }
  const auto victim = examineCompany(company->second);
  for (const GangId each : company->second) answers_[each] = {.known = true, .victim = victim};
  return answers_[gang].victim;
}

std::vector<std::int32_t> VictimJudge::priorities() {
  std::set<std::int32_t> found;
  for (GangId gang = 0; gang < answers_.size(); ++gang) {
    const auto& victim = judge(gang);
    if (victim) found.insert(victim->priority);
  }
  return {found.begin(), found.end()};
}

bool VictimJudge::isYoung(const GangInfo& gang) const {
  const auto& queue = session_->state().queues().config(gang.queueId);
  const Duration minimum = gang.minRuntime.value_or(queue.minRuntime.value_or(policy_->minRuntime));
  const auto since = workingSince(*session_, session_->state().findGang(gang.key));
  if (!since || session_->now() - *since >= minimum) return false;
  const Time until = *since + minimum;
  if (!sparedUntil_ || std::tie(until, gang.key) < std::tie(sparedUntil_->second, sparedUntil_->first))
    sparedUntil_ = {gang.key, until};
  return true;
}

bool VictimJudge::inScope(quota::QueueId queue) const {
  const auto& tree = session_->quotaFuture();
  while (queue != rules_.scope && queue != quota::kNoQueue) queue = tree.parent(queue);
  return queue == rules_.scope;
}

bool VictimJudge::mayTouch(const GangInfo& gang) const {
  if (!gang.preemptable) return false;
  if (rules_.preempt) return gang.queueId == rules_.claimant && gang.priority < rules_.priority;
  if (gang.queueId == rules_.claimant || !inScope(gang.queueId)) return false;
  return !rules_.sparesYoung || !isYoung(gang);
}

bool VictimJudge::mayStop(const PodInfo& pod) const {
  if (!pod.ours || !pod.preemptable) return false;
  if (rules_.preempt) return pod.priority < rules_.priority;
  const auto lender = session_->state().gang(pod.gang).queueId;
  return quota::exposed(session_->quotaFuture(), lender, rules_.claimant, pod.request, rules_.judged);
}

// Launchers and heads without a device: no claim is judged on what they hold.
bool VictimJudge::goesAlong(const PodInfo& pod) const {
  if (!pod.preemptable) return false;
  const ResourceTable& table = session_->state().resources();
  if (rules_.preempt) return acceleratorsOf(table, pod.request) == 0 && pod.priority < rules_.priority;
  return std::ranges::none_of(rules_.judged, [&](ResourceId r) { return pod.request[r] > 0; });
}

VictimJudge::Members VictimJudge::membersOf(const GangInfo& gang) const {
  Members members;
  for (const PodId id : gang.pods) {
    const PodInfo& pod = session_->state().pod(id);
    if (!running(*session_, id)) continue;
    ++members.active;
    if (mayStop(pod)) {
      members.stoppable.push_back(id);
    } else if (goesAlong(pod)) {
      members.along.push_back(id);
    } else {
      members.others = true;
    }
  }
  return members;
}

// All of them, or none.
std::optional<Victim> VictimJudge::examineCompany(const std::vector<GangId>& gangs) const {
  const ClusterState& state = session_->state();
  if (rules_.sparesCores) return std::nullopt;
  Victim victim{
      .gang = gangs.front(), .core = {}, .surplus = {}, .priority = state.gang(gangs.front()).priority};
  bool anyStoppable = false;
  for (const GangId id : gangs) {
    const GangInfo& gang = state.gang(id);
    const Members members = membersOf(gang);
    if (members.others || !gang.preemptable) return std::nullopt;
    if (members.stoppable.empty() && members.along.empty()) continue;
    victim.core.insert(victim.core.end(), members.stoppable.begin(), members.stoppable.end());
    victim.core.insert(victim.core.end(), members.along.begin(), members.along.end());
    if (members.stoppable.empty()) continue;
    if (!mayTouch(gang)) return std::nullopt;
    anyStoppable = true;
    victim.priority = std::max(victim.priority, gang.priority);
    victim.lostSeconds = std::max(victim.lostSeconds, lostSeconds(*session_, *policy_, id, rules_.deadline));
  }
  return anyStoppable ? std::optional(std::move(victim)) : std::nullopt;
}

std::optional<Victim> VictimJudge::examine(GangId id) const {
  const ClusterState& state = session_->state();
  const GangInfo& gang = state.gang(id);
  if (gang.pods.empty() || !mayTouch(gang)) return std::nullopt;
  Victim victim{.gang = id, .core = {}, .surplus = {}, .priority = gang.priority};
  const Members members = membersOf(gang);
  std::vector<PodId> stoppable = members.stoppable;
  if (stoppable.empty()) return std::nullopt;
  // The last to be placed goes first: lowest priority, latest start, last by name.
  std::ranges::sort(stoppable, [&](PodId a, PodId b) {
    const PodInfo& left = state.pod(a);
    const PodInfo& right = state.pod(b);
    const Time leftStart = left.started.value_or(Time::max());
    const Time rightStart = right.started.value_or(Time::max());
    return std::tuple(left.priority, rightStart, right.key.size(), std::string_view(right.key)) <
           std::tuple(right.priority, leftStart, left.key.size(), std::string_view(left.key));
  });
  // Of an elastic gang the pods above minMember may go one by one; of a gang at or below it, all or none.
  auto spare = static_cast<std::size_t>(std::max(0, members.active - std::max(1, gang.minMember)));
  spare = canShrink(state, *policy_, gang) ? std::min(spare, stoppable.size()) : 0;
  victim.surplus.assign(stoppable.begin(), stoppable.begin() + static_cast<std::ptrdiff_t>(spare));
  if (!members.others && !rules_.sparesCores) {
    victim.core.assign(stoppable.begin() + static_cast<std::ptrdiff_t>(spare), stoppable.end());
    victim.core.insert(victim.core.end(), members.along.begin(), members.along.end());
  }
  if (victim.core.empty() && victim.surplus.empty()) return std::nullopt;
  victim.lostSeconds = lostSeconds(*session_, *policy_, id, rules_.deadline);
  victim.restartedGpus = restartedGpus(state, gang);
  return victim;
}

}  // namespace tidegate::scheduler
